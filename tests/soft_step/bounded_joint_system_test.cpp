// Impulses of a joint island within their bounds: the conditions of the problem hold, and loops are solved as by their Schur
// complement.
#include "soft_step/bounded_joint_system.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "constraints/row_math.h"
#include "multibody/joint_system.h"

namespace rigor::test {
namespace {

struct Problem {
  std::vector<TreeEdge> joints;
  std::vector<BodyMass> masses;
  BoundedRows rows;
};

/// A ring of bodies, one of them held, with chords; rows 1 and 4 of each joint are optionally bounded.
Problem ring(unsigned seed, bool with_bounds) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Problem p;
  const int bodies = 6, rows = 5;
  for (int i = 0; i < bodies; ++i) p.joints.push_back({i, (i + 1) % bodies, 0, 0});
  p.joints.push_back({-1, 0, 0, 0}), p.joints.push_back({1, 4, 0, 0});
  for (int i = 0; i < bodies; ++i) {
    BodyMass mass;
    mass.linear = std::pow(10, uniform(random));
    mass.angular = mass.linear * Mat3::diagonal({1 + 0.3 * uniform(random), 1, 0.5});
    p.masses.push_back(mass);
  }
  p.rows.resize(p.joints.size() * rows);
  for (std::size_t e = 0; e < p.joints.size(); ++e) {
    p.joints[e].begin = static_cast<int>(e) * rows, p.joints[e].end = p.joints[e].begin + rows;
    for (auto i = static_cast<std::size_t>(p.joints[e].begin); i < static_cast<std::size_t>(p.joints[e].end); ++i) {
      for (double& x : p.rows.J[i]) x = uniform(random);
      const bool is_bounded = with_bounds && i % 5 % 3 == 1;
      const double infinity = std::numeric_limits<double>::infinity();
      p.rows.lo[i] = is_bounded ? 0 : -infinity, p.rows.hi[i] = is_bounded ? 0.3 : infinity;
      p.rows.gamma[i] = i % 5 == 2 ? 0.1 : is_bounded ? 1e-7 : 0;
      p.rows.r[i] = uniform(random);
      p.rows.place[i] = is_bounded ? RowPlace::lo : RowPlace::inside;
    }
  }
  return p;
}

double missing(const Problem& p, const TreeEdge& joint, std::size_t i, std::span<const BodyVelocity> x, double delta) {
  const auto of = [&](int body) { return body < 0 ? BodyVelocity{} : x[static_cast<std::size_t>(body)]; };
  return p.rows.r[i] - speed_along(p.rows.J[i], of(joint.a), of(joint.b)) - p.rows.gamma[i] * delta;
}

TEST(BoundedJointSystem, LoopsAreSolvedAsByTheirSchurComplement) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Problem p = ring(seed, false);
    std::vector<BodyVelocity> x(p.masses.size()), expected(p.masses.size());
    BoundedJointSystem system;
    ASSERT_TRUE(system.solve(p.rows, p.joints, p.masses, x));
    JointSystem plain;
    std::vector<double> lambda(p.rows.size());
    plain.factorise(static_cast<int>(p.masses.size()), p.joints, p.masses, p.rows.J, p.rows.gamma,
                    LoopMethod::together);
    plain.solve(p.rows.r, {}, lambda, expected);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(length(x[i].v - expected[i].v), 1e-7) << "seed " << seed;
  }
}

TEST(BoundedJointSystem, ConditionsHoldWithinAndAtBounds) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Problem p = ring(seed, true);
    std::vector<BodyVelocity> x(p.masses.size());
    BoundedJointSystem system;
    ASSERT_TRUE(system.solve(p.rows, p.joints, p.masses, x)) << "seed " << seed;
    for (const TreeEdge& joint : p.joints)
      for (auto i = static_cast<std::size_t>(joint.begin); i < static_cast<std::size_t>(joint.end); ++i) {
        if (!p.rows.is_bounded(i)) continue;
        const double lambda = system.delta()[i], rest = missing(p, joint, i, x, lambda);
        EXPECT_GE(lambda, -1e-8);
        EXPECT_LE(lambda, 0.3 + 1e-8);
        if (lambda > 1e-9) {
          EXPECT_GE(rest, -1e-6) << "seed " << seed;
        }
        if (lambda < 0.3 - 1e-9) {
          EXPECT_LE(rest, 1e-6) << "seed " << seed;
        }
      }
  }
}

/// The same joint twice: one of the two needs no impulse, and none is infinite.
TEST(BoundedJointSystem, RedundantRowsNeedNoImpulse) {
  Problem p = ring(1, false);
  const TreeEdge twin = p.joints.front();
  const std::size_t n = p.rows.size();
  Problem doubled = p;
  doubled.rows.resize(n + 5);
  for (std::size_t i = 0; i < n + 5; ++i) {
    const std::size_t from = i < n ? i : static_cast<std::size_t>(twin.begin) + i - n;
    doubled.rows.J[i] = p.rows.J[from], doubled.rows.r[i] = p.rows.r[from];
    doubled.rows.lo[i] = p.rows.lo[from], doubled.rows.hi[i] = p.rows.hi[from];
    doubled.rows.place[i] = RowPlace::inside;
  }
  doubled.joints.push_back({twin.a, twin.b, static_cast<int>(n), static_cast<int>(n) + 5});
  std::vector<BodyVelocity> x(p.masses.size());
  BoundedJointSystem system;
  ASSERT_TRUE(system.solve(doubled.rows, doubled.joints, doubled.masses, x));
  for (const double lambda : system.delta()) EXPECT_LT(std::abs(lambda), 1e6);
}

/// Factors of two sets of rows are kept: none of them is taken for another problem.
TEST(BoundedJointSystem, KeptFactorsAreThoseOfTheProblem) {
  BoundedJointSystem kept;
  for (unsigned k = 0; k < 24; ++k) {
    Problem p = ring(k / 8, false);
    if (k % 2 == 1)
      for (std::size_t i = 2; i < p.rows.size(); i += 5) p.rows.place[i] = RowPlace::out;
    if (k % 4 >= 2)
      for (double& gamma : p.rows.gamma) gamma += 0.01;
    if (k % 8 >= 4) std::swap(p.joints[1].a, p.joints[2].b);  // other joints with rows of the same numbers
    if (k % 8 == 0) kept.forget();                            // other Jacobians and masses
    std::vector<BodyVelocity> x(p.masses.size()), expected(p.masses.size());
    BoundedJointSystem fresh;
    ASSERT_TRUE(kept.solve(p.rows, p.joints, p.masses, x));
    ASSERT_TRUE(fresh.solve(p.rows, p.joints, p.masses, expected));
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x[i].v, expected[i].v) << k;
      EXPECT_EQ(x[i].w, expected[i].w) << k;
    }
  }
}

}  // namespace
}  // namespace rigor::test
