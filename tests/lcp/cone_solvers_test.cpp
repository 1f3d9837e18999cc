// Cone solvers on contact problems from files, random ones, and ones with a known solution.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "io/random.h"
#include "lcp/cone_contact.h"
#include "lcp/cone_figures.h"
#include "lcp/cone_guard.h"
#include "lcp/contact_files.h"
#include "registry/entry.h"
#include "rigor/error.h"

namespace rigor::test {
namespace {

std::vector<std::string> cone_solvers() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::cone) names.push_back(info.name);
  return names;
}

std::unique_ptr<ConeSolver> make(const std::string& name, const Settings& settings = {}) {
  return create<ConeSolver>(Kind::cone, {name, settings}, "cone");
}

double uniform(Random& random) { return random.symmetric(1); }

/// One block with a W = B Bᵀ, the normal stiff or soft against the tangents.
ConeProblem one_contact(Random& random, double mu) {
  double B[3][3], W[9] = {};
  for (auto& row : B)
    for (double& x : row) x = uniform(random) * std::exp(2 * uniform(random));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) W[3 * i + j] += B[i][k] * B[j][k];
  const double mus[1] = {mu};
  return contact_problem(block_matrix({0, 3}, W), {uniform(random), uniform(random), uniform(random)}, mus, 3);
}

TEST(ConeContact, IsSolvedExactly) {
  Random random(7);
  for (int k = 0; k < 20000; ++k) {
    const ConeProblem p = one_contact(random, k % 7 == 0 ? 0 : 2 * random.uniform());
    const ContactFactors f = contact_factors(p.blocks[0], p.W.diagonal_block(0));
    double r[3] = {0, 0, 0};
    solve_contact(f, p.blocks[0].group[0].mu, p.q.data(), r);
    // Rounding grows with the condition of W, which W_nn r_n against q bounds.
    double size = 1;
    for (int i = 0; i < 3; ++i) size = std::max(size, std::abs(r[i]) * p.W.diagonal_entry(0, i));
    EXPECT_LT(cone_figures(p, r).natural_map.max, 1e-12 * size) << "problem " << k;
  }
}

/// A block on a plane with μ = 0.5, pushed along x: it sticks below μ m g, slides above, opens where it is lifted.
TEST(ConeContact, KnowsItsCases) {
  const double W[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, mu[1] = {0.5};
  const auto solve = [&](double n, double x) {
    const ConeProblem p = contact_problem(block_matrix({0, 3}, W), {n, x, 0}, mu, 3);
    std::array<double, 3> r{};
    solve_contact(contact_factors(p.blocks[0], p.W.diagonal_block(0)), 0.5, p.q.data(), r.data());
    return r;
  };
  EXPECT_EQ(solve(0.1, 1), (std::array<double, 3>{0, 0, 0}));
  EXPECT_NEAR(solve(-1, 0.3)[0], 0.5, 1e-15);
  EXPECT_NEAR(solve(-1, 0.3)[1], -0.15, 1e-15);
  EXPECT_NEAR(solve(-1, 5)[1], -0.25, 1e-15);
}

TEST(Cone, ProjectionIsNearestOfManyPoints) {
  Random random(3);
  ConeProblem p;
  ConeBlock block{0, 6, true, 3, {}};
  for (int k = 0; k < 300; ++k) {
    block.group = {FrictionGroup{1, 2, random.uniform()}, FrictionGroup{3, 2, 0.3 * random.uniform()},
                   FrictionGroup{5, 1, 0.2 * random.uniform()}};
    double x[6], y[6];
    for (int i = 0; i < 6; ++i) y[i] = x[i] = uniform(random);
    project(p, block, y);
    const auto inside = [&](const double* r) { return cone_distance(block, r) < 1e-12; };
    EXPECT_TRUE(inside(y));
    // Moreau: x − y is normal to the cone at y: y·(x − y) = 0, and z·(x − y) ≤ 0 for every z of the cone.
    double along = 0;
    for (int i = 0; i < 6; ++i) along += y[i] * (x[i] - y[i]);
    EXPECT_NEAR(along, 0, 1e-12);
    for (int j = 0; j < 20; ++j) {
      double z[6], product = 0;
      for (double& v : z) v = uniform(random);
      z[0] = std::abs(z[0]);
      project(p, block, z);
      for (int i = 0; i < 6; ++i) product += z[i] * (x[i] - y[i]);
      EXPECT_LE(product, 1e-12);
    }
  }
}

TEST(ContactFile, IsReadAsItIsWritten) {
  RIGOR_NEEDS_CONTACT_FILES();
  for (const auto& path : contact_files()) {
    const ConeProblem p = load(path).problem();
    std::vector<double> r(p.q.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::sin(double(i));
    const ContactFile again = read_contact_file(write_contact_file(p, r));
    const ConeProblem q = again.problem();
    EXPECT_EQ(again.solution, r) << path;
    EXPECT_EQ(q.q, p.q) << path;
    EXPECT_EQ(cone_figures(p, r).siconos, cone_figures(q, r).siconos) << path;
  }
}

TEST(ContactFile, SaysWhatIsWrongAndWhere) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      read_contact_file(text);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(error("").find("dimension"), std::string::npos);
  EXPECT_NE(error("4 1").find("2 or 3"), std::string::npos);
  EXPECT_NE(error("3\n1\n0\n3\n3\n3 3\n1 0 0\n0 x 0").find("line 8"), std::string::npos);
  EXPECT_NE(error("3\n1\n7\n3\n3\n").find("storage"), std::string::npos);
  EXPECT_NE(error("3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 -0.5").find("friction"), std::string::npos);
  EXPECT_NE(error("3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 nan 0.5"), "");
  // Found by fuzzing: a matrix of masses without rows, which the factorisation divided by.
  EXPECT_THROW(read_contact_file("3 0  0 0 0 0 0  0 0 0 0 0  36").problem(), Error);
}

/// What a solver calls converged is solved by the figures that know no solver, and the cones hold whether it converged or not.
TEST(ConeSolvers, SayTheTruth) {
  RIGOR_NEEDS_CONTACT_FILES();
  for (const auto& path : contact_files()) {
    const ConeProblem p = load(path).problem();
    for (const std::string& name : cone_solvers()) {
      std::vector<double> r(p.q.size(), 0);
      const ConeResult result =
          make(name,
               {{"iterations", std::int64_t{name.find("-") != std::string::npos ? 60 : 500}}, {"tolerance", 1e-9}})
              ->solve(p, r, nullptr);
      const ConeFigures f = cone_figures(p, r);
      EXPECT_EQ(f.relative, result.residual) << name << " on " << path;
      EXPECT_EQ(result.converged, result.residual <= 1e-9) << name << " on " << path;
      double size = 0;
      for (const double x : r) size = std::max(size, std::abs(x));
      EXPECT_LE(f.cone.max, 1e-14 * size) << name << " on " << path;
    }
  }
}

/// Problems that every solver has to solve: all but those with many redundant contacts, on which first-order methods take long.
TEST(ConeSolvers, SolveTheFiles) {
  RIGOR_NEEDS_CONTACT_FILES();
  int solved = 0;
  for (const auto& path : contact_files()) {
    const std::string file = path.filename().string();
    const ConeProblem p = load(path).problem();
    for (const std::string& name : cone_solvers()) {
      const bool newton = name == "alart-curnier" || name == "fischer-burmeister";
      const bool hard = file.find("Capsules") == 0 || file.find("OneObject") == 0 || file.find("BoxesStack") == 0;
      if (hard && !newton) continue;
      std::vector<double> r(p.q.size(), 0);
      const ConeResult result = make(name, {{"tolerance", 1e-9}})->solve(p, r, nullptr);
      EXPECT_TRUE(result.converged) << name << " on " << file << ": " << result.residual;
      ++solved;
    }
  }
  EXPECT_GE(solved, 100);
}

/// Rows with limits beside contacts: a joint between the bodies, a motor that is too weak.
TEST(ConeSolvers, TakeJointsAndLimits) {
  Random random(5);
  for (int k = 0; k < 50; ++k) {
    const int n = 3 + 3 + 2 + 1;
    std::vector<double> B(n * n), W(n * n, 0), q(n);
    for (double& x : B) x = uniform(random);
    for (double& x : q) x = uniform(random);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int l = 0; l < n; ++l) W[std::size_t(n * i + j)] += B[std::size_t(n * i + l)] * B[std::size_t(n * j + l)];
    for (int i = 0; i < n; ++i) W[std::size_t(n * i + i)] += 0.1;
    ConeProblem p;
    p.W = block_matrix({0, 3, 6, 8, 9}, W);
    p.q = q;
    p.lo = {0, 0, 0, 0, 0, 0, -kUnbounded, -kUnbounded, -0.1}, p.hi.assign(9, kUnbounded), p.hi[8] = 0.2;
    p.blocks = {{0, 3, true, 1, {}}, {3, 3, true, 1, {}}, {6, 2, false, 0, {}}, {8, 1, false, 0, {}}};
    p.blocks[0].group[0] = p.blocks[1].group[0] = {1, 2, 0.4};
    for (const std::string& name : cone_solvers()) {
      std::vector<double> r(9, 0);
      const ConeResult result = make(name)->solve(p, r, nullptr);
      EXPECT_TRUE(result.converged) << name << " on " << k << ": " << result.residual;
      std::vector<double> u(9);
      velocities(p, r, u);
      EXPECT_NEAR(u[6], 0, 1e-7) << name;
      EXPECT_GE(r[8], -0.1 - 1e-12);
      EXPECT_LE(r[8], 0.2 + 1e-12);
    }
  }
}

TEST(ConeSolvers, RefuseWhatIsNotFinite) {
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu[1] = {0.5};
  ConeProblem p = contact_problem(block_matrix({0, 3}, W), {-1, 0, std::nan("")}, mu, 3);
  std::vector<double> r(3, 0);
  for (const std::string& name : cone_solvers()) EXPECT_THROW(make(name)->solve(p, r, nullptr), Error) << name;
}

/// A solver that claims a result with energy from nowhere.
class Liar final : public ConeSolver {
 public:
  ConeResult solve(const ConeProblem& problem, std::span<double> r, ConeTrace*) override {
    for (const ConeBlock& b : problem.blocks) r[std::size_t(b.begin)] = 1e3;
    ConeResult result;
    result.converged = false, result.status = LcpStatus::iteration_limit,
    result.residual = ConeResidual(problem).evaluate(r);
    return result;
  }
};

TEST(ConeGuard, LetsNoEnergyThrough) {
  RIGOR_NEEDS_CONTACT_FILES();
  for (const auto& path : contact_files()) {
    const ConeProblem p = load(path).problem();
    Liar liar;
    std::vector<double> r(p.q.size(), 0), u(r.size());
    solve_guarded(liar, p, r);
    velocities(p, r, u);
    double size = 0;
    for (std::size_t i = 0; i < r.size(); ++i) size += std::abs(r[i] * p.q[i]);
    EXPECT_LE(energy_change(p, r, u), 1e-12 * size) << path;
  }
}

}  // namespace
}  // namespace rigor::test
