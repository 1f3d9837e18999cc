// What all solvers of src/lcp/ promise beside solving: refusals, honest failures, warm starts, determinism, small problems
// with known answers.
#include <gtest/gtest.h>

#include <chrono>

#include "lcp/random_problems.h"
#include "lcp/solvers.h"

namespace rigor::test {
namespace {

constexpr double kInf = kUnbounded;

struct Small {
  std::vector<double> A, b, lo, hi, factor = {};
  std::vector<int> dependency = {};
  LcpProblem problem() const { return {A, b, {lo, hi, dependency, factor}}; }
};

LcpResult solve(const std::string& solver, const Small& s, std::vector<double>& x) {
  x.resize(s.b.size());
  return make_lcp(solver)->solve(s.problem(), x);
}

std::string refusal(const std::string& solver, const Small& s) {
  std::vector<double> x(s.b.size(), 0.0);
  try {
    make_lcp(solver)->solve(s.problem(), x);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::vector<std::string> with(const std::string& capability) {
  std::vector<std::string> names;
  for (const Entry& e : lcp_entries())
    if (has_capability(e, capability)) names.push_back(e.name);
  return names;
}

TEST(Lcp, EmptyProblemIsSolved) {
  for (const Entry& e : lcp_entries()) {
    std::vector<double> x;
    const LcpResult r = solve(e.name, {}, x);
    EXPECT_TRUE(r.converged) << e.name;
    EXPECT_EQ(r.residual, 0) << e.name;
    EXPECT_TRUE(make_lcp(e.name)->solve_rows({}, x).converged) << e.name;
  }
}

TEST(Lcp, RefusesNumbersThatAreNotFinite) {
  const Small good{{2, 1, 1, 2}, {1, -1}, {-kInf, -kInf}, {kInf, kInf}};
  for (const Entry& e : lcp_entries())
    for (const double bad : {std::nan(""), kInf}) {
      Small s = good;
      s.A[1] = bad;
      EXPECT_NE(refusal(e.name, s), "") << e.name;
      s = good;
      s.b[0] = bad;
      EXPECT_NE(refusal(e.name, s), "") << e.name;
      std::vector<double> x = {0, bad};
      EXPECT_THROW(make_lcp(e.name)->solve(good.problem(), x), Error) << e.name;
    }
}

TEST(Lcp, RefusesLimitsThatMakeNoSense) {
  EXPECT_EQ(refusal("pgs", {{1}, {1}, {1}, {0}}), "lcp: row 0: no value is within its limits");
  EXPECT_NE(refusal("pgs", {{1}, {1}, {std::nan("")}, {1}}), "");
  EXPECT_NE(refusal("pgs", {{1}, {1}, {kInf}, {kInf}}), "");
  EXPECT_EQ(refusal("pgs", {{1}, {1}, {0}, {}}), "lcp: hi has 0 entries, not 1");
  EXPECT_EQ(refusal("pgs", {{1}, {1}, {0}, {1}, {0.5}, {0}}),
            "lcp: row 0: its limits depend on row 0, which does not exist or is dependent itself");
  EXPECT_NE(refusal("pgs", {{1}, {1}, {0}, {1}, {0.5}, {7}}), "");
  EXPECT_NE(refusal("pgs", {{2, 0, 0, 2}, {1, 1}, {0, 0}, {1, 1}, {0, -1}, {-1, 0}}), "");
}

TEST(Lcp, LinearSolversRefuseLimits) {
  for (const Entry& e : lcp_entries()) {
    const std::string message = refusal(e.name, {{1}, {1}, {0}, {kInf}});
    if (has_capability(e, "inequalities"))
      EXPECT_EQ(message, "");
    else
      EXPECT_EQ(message, "lcp: '" + e.name +
                             "' solves equations only, but row 0 has limits; choose a method with the capability "
                             "'inequalities'");
  }
}

TEST(Lcp, OneRowByHand) {
  for (const std::string& name : with("inequalities")) {
    std::vector<double> x;
    EXPECT_TRUE(solve(name, {{2}, {-3}, {0}, {kInf}}, x).converged);
    EXPECT_NEAR(x[0], 1.5, 1e-6) << name;
    EXPECT_TRUE(solve(name, {{2}, {3}, {0}, {kInf}}, x).converged);
    EXPECT_EQ(x[0], 0) << name;
    EXPECT_TRUE(solve(name, {{2}, {-3}, {-1}, {1}}, x).converged);
    EXPECT_EQ(x[0], 1) << name;
    EXPECT_TRUE(solve(name, {{2}, {-3}, {-kInf}, {-4}}, x).converged);
    EXPECT_EQ(x[0], -4) << name;
    EXPECT_TRUE(solve(name, {{2}, {0}, {5}, {5}}, x).converged);
    EXPECT_EQ(x[0], 5) << name;
  }
}

/// A block of mass 1 on a plane: the normal row carries the weight g, friction at most μ g of what the tangential pull p
/// asks for.
TEST(Lcp, BlockSticksAndSlides) {
  const double g = 9.81, mu = 0.5;
  for (const std::string& name : with("dependent-limits"))
    for (const double p : {2.0, -8.0}) {
      std::vector<double> x;
      const Small block{{1, 0, 0, 1}, {-g, -p}, {0, 0}, {kInf, 0}, {0, mu}, {-1, 0}};
      EXPECT_TRUE(solve(name, block, x).converged) << name;
      EXPECT_NEAR(x[0], g, 1e-5) << name;
      EXPECT_NEAR(x[1], std::clamp(p, -mu * g, mu * g), 1e-5) << name;
    }
}

/// A table of unit mass on four legs: rank three, one solution among many, always the right sum.
TEST(Lcp, FourLegsCarryTheWeight) {
  Small table;
  const double legs[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
  for (const auto& p : legs)
    for (const auto& q : legs) table.A.push_back(1 + 3 * p[0] * q[0] + 3 * p[1] * q[1]);
  table.b.assign(4, -9.81);
  table.lo.assign(4, 0.0);
  table.hi.assign(4, kInf);
  for (const std::string& name : with("singular")) {
    if (!has_capability(lcp_entry(name), "inequalities")) table.lo.assign(4, -kInf);
    std::vector<double> x;
    EXPECT_TRUE(solve(name, table, x).converged) << name;
    EXPECT_NEAR(x[0] + x[1] + x[2] + x[3], 9.81, 1e-4) << name;
  }
}

/// w_1 = w_2 + 1 for every x: no solution. No solver may claim one.
TEST(Lcp, ContradictingEquationsAreReported) {
  const Small s{{1, 1, 1, 1}, {0, 1}, {-kInf, -kInf}, {kInf, kInf}};
  for (const Entry& e : lcp_entries()) {
    std::vector<double> x;
    const LcpResult r = solve(e.name, s, x);
    EXPECT_FALSE(r.converged) << e.name;
    EXPECT_NE(r.status, LcpStatus::solved) << e.name;
    EXPECT_GT(r.residual, 0.01) << e.name;
    EXPECT_TRUE(std::isfinite(x[0]) && std::isfinite(x[1])) << e.name;
  }
  std::vector<double> x;
  EXPECT_EQ(solve("cg", s, x).status, LcpStatus::inconsistent);
  EXPECT_LT(std::abs(x[0]) + std::abs(x[1]), 10);  // the best x has x_1 + x_2 = −½; one that ran away is far from it
  EXPECT_EQ(solve("dantzig", s, x).status, LcpStatus::inconsistent);
  EXPECT_EQ(solve("ldlt", s, x).status, LcpStatus::inconsistent);
  EXPECT_EQ(solve("sparse-ldlt", s, x).status, LcpStatus::inconsistent);
}

/// Painlevé's rod: with sliding friction the effective A of its contact is negative, and w = A x + b < 0 for all x >= 0.
TEST(Lcp, PainleveHasNoSolutionAndNobodyHangs) {
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& name : with("inequalities")) {
    std::vector<double> x;
    const LcpResult r = solve(name, {{-0.5}, {-1}, {0}, {kInf}}, x);
    EXPECT_FALSE(r.converged) << name;
    EXPECT_TRUE(std::isfinite(x[0])) << name;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Lcp, IndefiniteMatricesEndHonestly) {
  ProblemMaker maker(6000);
  for (int k = 0; k < 10; ++k) {
    const int n = std::max(2, maker.size(false));
    for (const Entry& e : lcp_entries()) {
      RandomProblem p = maker.make(ProblemClass::well_conditioned, n, !has_capability(e, "inequalities"));
      for (int i = 0; i < n; i += 2) p.A[static_cast<std::size_t>(i) * n + i] *= -1;
      std::vector<double> x(n, 0.0);
      const LcpResult r = make_lcp(e.name)->solve(p.problem(), x);
      EXPECT_TRUE(std::isfinite(r.residual)) << e.name;
      EXPECT_NEAR(r.residual, residual_of(p.problem(), x), 1e-9 * (1 + r.residual)) << e.name;
      EXPECT_EQ(r.converged, r.status == LcpStatus::solved) << e.name;
    }
  }
}

TEST(Lcp, MatricesThatAreNotSymmetricAreSolvedOrRefused) {
  const Small s{{2, 1, -1, 2}, {-1, -1}, {-kInf, -kInf}, {kInf, kInf}};  // x = (0.2, 0.6)
  for (const Entry& e : lcp_entries()) {
    std::vector<double> x;
    const LcpResult r = solve(e.name, s, x);
    if (!has_capability(e, "nonsymmetric")) {
      EXPECT_TRUE(!r.converged || residual_of(s.problem(), x) < 1e-5) << e.name;
      continue;
    }
    EXPECT_TRUE(r.converged) << e.name;
    EXPECT_NEAR(x[0], 0.2, 1e-5) << e.name;
    EXPECT_NEAR(x[1], 0.6, 1e-5) << e.name;
  }
  std::vector<double> x;
  for (const char* name : {"dantzig", "cholesky", "ldlt", "sparse-cholesky", "sparse-ldlt"})
    EXPECT_EQ(solve(name, s, x).status, LcpStatus::not_symmetric) << name;
}

TEST(Lcp, RegularisedKktMatrix) {
  const Small kkt{{4, 0, 1, 0, 2, 1, 1, 1, -0.01}, {1, 2, 3}, {-kInf, -kInf, -kInf}, {kInf, kInf, kInf}};
  for (const std::string& name : with("quasi-definite")) {
    std::vector<double> x;
    EXPECT_TRUE(solve(name, kkt, x).converged) << name;
  }
}

TEST(Lcp, WarmStartSavesIterations) {
  ProblemMaker maker(7000);
  for (const std::string& name : with("warm-start")) {
    int cold = 0, warm = 0;
    for (int k = 0; k < 20; ++k) {
      RandomProblem p =
          maker.make(ProblemClass::well_conditioned, 60, !has_capability(lcp_entry(name), "inequalities"));
      const std::unique_ptr<LcpSolver> solver = make_lcp(name);
      std::vector<double> x(60, 0.0), fresh(60, 0.0);
      const LcpResult first = solver->solve(p.problem(), x);
      ASSERT_TRUE(first.converged);
      EXPECT_LE(solver->solve(p.problem(), x).iterations, std::max(1, first.iterations / 4)) << name;
      for (double& b : p.b) b *= 1.0001;
      const LcpResult w = solver->solve(p.problem(), x), c = solver->solve(p.problem(), fresh);
      ASSERT_TRUE(w.converged && c.converged);
      cold += c.iterations;
      warm += w.iterations;
    }
    EXPECT_LT(warm, cold) << name;
  }
}

TEST(Lcp, SameBitsEveryTimeAndFromAUsedInstance) {
  for (const Entry& e : lcp_entries()) {
    const std::unique_ptr<LcpSolver> used = make_lcp(e.name);
    for (const ProblemClass c : kProblemClasses) {
      ProblemMaker maker(8000);
      const RandomProblem p = maker.make(c, 37, !has_capability(e, "inequalities"));
      std::vector<double> x(37, 0.0), y(37, 0.0);
      const LcpResult r = make_lcp(e.name)->solve(p.problem(), x), s = used->solve(p.problem(), y);
      EXPECT_EQ(x, y) << e.name << " " << name_of(c);
      EXPECT_EQ(r.iterations, s.iterations) << e.name;
      EXPECT_EQ(r.residual, s.residual) << e.name;
    }
  }
}

/// Rows in factors are the same problem: the same x up to rounding, and the residual of the dense one.
TEST(Lcp, RowsInFactorsAreTheSameProblem) {
  for (const Entry& e : lcp_entries())
    for (const ProblemClass c : {ProblemClass::contact, ProblemClass::mixed}) {
      ProblemMaker maker(9000);
      for (int k = 0; k < 5; ++k) {
        RandomProblem p = maker.make(c, 1 + 10 * k, !has_capability(e, "inequalities"));
        const std::vector<double> gamma(p.n, 0.1);
        LcpRows rows = p.rows();
        rows.regularisation = gamma;
        p.A = assemble(rows);
        std::vector<double> x(p.n, 0.0), y(p.n, 0.0);
        const LcpResult dense = make_lcp(e.name)->solve(p.problem(), x);
        const LcpResult factors = make_lcp(e.name)->solve_rows(rows, y);
        EXPECT_EQ(dense.converged, factors.converged) << e.name << " " << name_of(c) << " " << p.n;
        EXPECT_NEAR(factors.residual, residual_of(p.problem(), y), 1e-12) << e.name << " " << name_of(c) << " " << p.n;
      }
    }
}

/// A body that cannot be moved makes a row of zeros; the others are solved all the same.
TEST(Lcp, RowsOfZeros) {
  const Small s{{0, 0, 0, 2}, {0, -4}, {0, 0}, {kInf, kInf}};
  for (const std::string& name : with("inequalities")) {
    std::vector<double> x;
    EXPECT_TRUE(solve(name, s, x).converged) << name;
    EXPECT_NEAR(x[1], 2, 1e-5) << name;
  }
}

/// Bodies of 10⁻⁶ and 10⁹ kg. The large multiplier of the heavy one does not hide that the light one falls, whatever the first guess.
TEST(Lcp, ASmallDiagonalIsNoRowOfZeros) {
  for (const double ratio : {1e-12, 1e-15, 1e-18}) {
    const Small s{{4e6 * ratio, 0, 0, 4e6}, {-0.16, -0.16}, {0, 0}, {kInf, kInf}};
    for (const std::string& name : with("inequalities"))
      for (const double guess : {0.0, 4e-8 / ratio}) {
        std::vector<double> x = {guess, 0};
        const LcpResult result = solve(name, s, x);
        EXPECT_TRUE(result.converged) << name << ' ' << ratio;
        EXPECT_NEAR(x[0], 4e-8 / ratio, 1e-5 * 4e-8 / ratio) << name << ' ' << ratio;
        EXPECT_NEAR(x[1], 4e-8, 1e-5 * 4e-8) << name << ' ' << ratio;
      }
  }
}

TEST(Lcp, ParametersAreChecked) {
  EXPECT_THROW(make_lcp("pgs", {{"iterations", std::int64_t{0}}}), Error);
  EXPECT_THROW(make_lcp("sor", {{"relaxation", 2.5}}), Error);
  std::vector<double> x(2, 0.0);
  const Small s{{2, 1, 1, 2}, {-1, 1}, {0, 0}, {kInf, kInf}};
  EXPECT_EQ(make_lcp("pgs", {{"iterations", std::int64_t{7}}, {"tolerance", 0.0}})->solve(s.problem(), x).converged,
            true);
}

/// A chain of contacts that all push at their neighbours, each with a row of friction: 2 n rows, most of them free.
Small long_problem(int n) {
  Small s;
  const auto rows = static_cast<std::size_t>(2 * n);
  s.A.assign(rows * rows, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    s.A[i * rows + i] = 2.1;
    if (i + 2 < rows) s.A[i * rows + i + 2] = s.A[(i + 2) * rows + i] = -1;
    s.b.push_back(i % 2 == 0 ? -1 : 0.3);
    s.lo.push_back(0), s.hi.push_back(kInf);
    s.dependency.push_back(i % 2 == 0 ? -1 : static_cast<int>(i) - 1);
    s.factor.push_back(i % 2 == 0 ? 0 : 0.5);
  }
  return s;
}

TEST(Lcp, WorkIsLimitedAndSaidSo) {
  const Small s = long_problem(60);
  for (const char* name : {"dantzig", "lemke"}) {
    std::vector<double> exact, cut, again;
    EXPECT_TRUE(solve(name, s, exact).converged) << name;
    const auto limited = [&](std::vector<double>& x) {
      x.assign(s.b.size(), 0.0);
      const auto solver = make_lcp(name);
      configure(*solver, {{"work", 0.1}}, name);
      return solver->solve(s.problem(), x);
    };
    const LcpResult r = limited(cut);
    EXPECT_FALSE(r.converged) << name;
    EXPECT_EQ(r.status, LcpStatus::work_limit) << name;
    EXPECT_LT(r.residual, residual_of(s.problem(), std::vector<double>(s.b.size(), 0.0)))
        << name;  // better than nothing
    const LcpLimits limits = s.problem().limits;
    for (int i = 0; i < limits.size(); ++i) {
      const auto [lo, hi] = limits.at(i, cut);
      EXPECT_TRUE(cut[static_cast<std::size_t>(i)] >= lo && cut[static_cast<std::size_t>(i)] <= hi)
          << name << ", row " << i;
    }
    limited(again);
    EXPECT_EQ(cut, again) << name;  // counted, not timed
  }
}

}  // namespace
}  // namespace rigor::test
