// Contacts in lanes are the same problem as the rows they were made of.
#include "lcp/lane_contacts.h"

#include <gtest/gtest.h>

#include "lcp/contact_problem.h"
#include "lcp/row_sweeps.h"

namespace rigor {
namespace {

using test::ContactProblem;

/// Sums of a few dozen products of numbers up to 10, taken in another order, times mass ratios of up to 10.
constexpr double kRounding = 1e-11;

struct InLanes {
  explicit InLanes(const ContactProblem& p, const std::vector<double>& guess) : rows(p.rows()), x(guess) {
    EXPECT_TRUE(packed.pack(rows, true));
    PackedOperator plain(packed, x);
    row_scales(plain, d);
    EXPECT_TRUE(lanes.pack(packed, x));
  }
  LcpRows rows;
  std::vector<double> x, d;
  PackedRows packed;
  LaneContacts lanes;
};

std::vector<double> guess(std::size_t n) {
  Random random(5);
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i) {
    const double normal = i / 3 % 4 == 0 ? 0 : 0.5 + 0.5 * random.symmetric(1);
    x.push_back(i % 3 == 0 ? normal : 0);
  }
  return x;
}

/// Velocities after sweeps are those of the multipliers: no two lanes have written the same body.
TEST(LaneContacts, SweepsKeepVelocitiesAndMultipliersTogether) {
  for (const auto& [points, bodies] : {std::pair{300, 40}, std::pair{300, 9}, std::pair{203, 100}, std::pair{5, 7}}) {
    const ContactProblem p(points, bodies, 6);
    InLanes s(p, guess(static_cast<std::size_t>(3 * points)));
    LaneOperator op(s.packed, s.lanes, s.x);
    op.restart();
    for (int k = 0; k < 5; ++k) gauss_seidel_sweep(op, s.rows.limits, s.d, s.x, 1);
    s.lanes.store(s.x);
    std::vector<double> v, e;
    RowsOperator plain(s.rows, s.x, v);
    for (std::size_t b = 0; b < s.packed.bodies.size(); ++b) {
      const PackedBody& body = s.packed.bodies[b];
      const double velocity[6] = {body.v_xy[0], body.v_xy[1], body.z[0], body.w_xy[0], body.w_xy[1], body.z[1]};
      for (std::size_t k = 0; k < 6; ++k) ASSERT_NEAR(velocity[k], v[6 * b + k], kRounding) << points << ", body " << b;
    }
    row_scales(plain, e);
    const double in_lanes = natural_residual(op, s.rows.limits, s.d, s.x),
                 in_rows = natural_residual(plain, s.rows.limits, e, s.x);
    EXPECT_NEAR(in_lanes, in_rows, kRounding);
    EXPECT_GT(in_rows, 0);
    for (int i = 0; i < s.rows.size(); ++i) {
      const Interval allowed = s.rows.limits.at(i, s.x);
      EXPECT_TRUE(allowed.lo <= s.x[static_cast<std::size_t>(i)] && s.x[static_cast<std::size_t>(i)] <= allowed.hi)
          << i;
    }
  }
}

TEST(LaneContacts, AnyWidthGivesTheSameBits) {
  const ContactProblem p(300, 40, 6);
  const std::vector<double> x = guess(900);
  InLanes wide(p, x), one(p, x);
  LaneOperator op_wide(wide.packed, wide.lanes, wide.x), op_one(one.packed, one.lanes, one.x);
  op_wide.restart(), op_one.restart();
  for (int k = 0; k < 4; ++k) {
    Sweep a, b;
    wide.lanes.sweep(wide.packed.bodies, 1, a);
    one.lanes.sweep(one.packed.bodies, 1, b, SweepWidth::one);
    EXPECT_EQ(a.change, b.change);
    EXPECT_EQ(a.scale, b.scale);
  }
  wide.lanes.store(wide.x), one.lanes.store(one.x);
  EXPECT_EQ(wide.x, one.x);
}

/// Without friction the velocities of the solution are unique, and there is one where b = J u: the bodies stop.
TEST(LaneContacts, ConvergeToTheSolutionOfTheRows) {
  ContactProblem p(300, 120, 3);
  Random random(3);
  std::vector<double> u(6 * 121, 0.0), x(900, 0.0), y(900, 0.0), d, v;
  for (std::size_t i = 6; i < u.size(); ++i) u[i] = random.symmetric(1);
  for (std::size_t i = 0; i < 900; ++i) {
    p.factor[i] = 0, p.b[i] = 0;
    for (std::size_t k = 0; k < 12; ++k)
      p.b[i] += p.J[i][k] * u[6 * static_cast<std::size_t>((k < 6 ? p.first[i] : p.second[i]) + 1) + k % 6];
  }
  IterationSettings settings;
  settings.iterations = 3000, settings.tolerance = 1e-9;
  const LcpRows rows = p.rows();
  const LcpResult in_lanes = RowSweeps().solve(rows, x, 1, settings);
  RowsOperator plain(rows, y, v);
  const LcpResult in_rows = gauss_seidel(plain, rows.limits, y, 1, settings, d);
  ASSERT_TRUE(in_lanes.converged && in_rows.converged) << in_lanes.residual << ", " << in_rows.residual;
  const std::vector<double> v_rows = v;
  RowsOperator at_lanes(rows, x, v);
  for (std::size_t i = 0; i < v.size(); ++i)
    EXPECT_NEAR(v[i], v_rows[i], 1e-6);  // both near the tolerance times condition
}

TEST(LaneContacts, OverflowIsReported) {
  ContactProblem p(300, 40, 4);
  for (std::size_t i = 0; i < p.b.size(); i += 3) p.b[i] = -1e308;
  std::vector<double> x(900, 0.0);
  IterationSettings settings;
  settings.iterations = 20;
  const LcpResult result = RowSweeps().solve(p.rows(), x, 1, settings);
  EXPECT_FALSE(result.converged);
  for (const double x_i : x) EXPECT_TRUE(std::isfinite(x_i));
}

}  // namespace
}  // namespace rigor
