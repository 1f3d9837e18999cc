// Every solver on random problems of size 1 to 200: it solves within the tolerance it claims, or says that it did not.
//
// 280 problems per solver by default; RIGOR_LONG_TESTS=1 in the environment makes it 10 000 per solver, sizes uniform:
//   RIGOR_LONG_TESTS=1 ./test 'Classes/RandomLcp.*'
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "lcp/random_problems.h"
#include "lcp/solvers.h"
#include "long_tests.h"

namespace rigor::test {
namespace {

/// The residual of lcp.h written down a second time, in extended precision, and what double precision may change in it.
struct Oracle {
  double residual = 0, rounding = 0;

  Oracle(const RandomProblem& p, std::span<const double> x) {
    const LcpLimits limits = p.problem().limits;
    long double worst = 0, scale = 0, terms = 0, largest = 0;
    for (int i = 0; i < p.n; ++i) largest = std::max<long double>(largest, p.a(i, i));
    for (int i = 0; i < p.n; ++i) {
      long double w = p.b[i], size = std::abs(p.b[i]);
      for (int j = 0; j < p.n; ++j) {
        w += static_cast<long double>(p.a(i, j)) * x[j];
        size += std::abs(p.a(i, j) * x[j]);
      }
      const long double d = p.a(i, i) > 1e-14L * largest ? p.a(i, i) : largest;
      const auto [lo, hi] = limits.at(i, x);
      worst = std::max(worst, d * std::abs(x[i] - std::clamp<long double>(x[i] - w / d, lo, hi)));
      scale = std::max({scale, static_cast<long double>(std::abs(p.b[i])), 1e-6L * d * std::abs(x[i])});
      if (lo > 0) scale = std::max(scale, d * lo);
      if (hi < 0) scale = std::max(scale, -d * hi);
      terms = std::max(terms, size);
    }
    if (worst > 0) residual = static_cast<double>(worst / scale);
    // A sum of n + 1 products is off by at most (n + 2) ε times the sum of their sizes.
    if (scale > 0) rounding = static_cast<double>((p.n + 2) * std::numeric_limits<double>::epsilon() * terms / scale);
  }
};

void expect_admissible(const RandomProblem& p, std::span<const double> x) {
  for (int i = 0; i < p.n; ++i) {
    const auto [lo, hi] = p.problem().limits.at(i, x);
    ASSERT_TRUE(std::isfinite(x[i])) << "row " << i;
    ASSERT_TRUE(lo <= x[i] && x[i] <= hi) << "row " << i << ": " << x[i] << " outside " << lo << ", " << hi;
  }
}

double tolerance_of(const std::string& solver) {
  return std::get<double>(settings_of(*make_lcp(solver)).at("tolerance"));
}

/// The share of problems that a solver must solve; observed shares in 10 000 are above, these leave room for chance. Zero
/// where the method is not meant for the class.
double wanted_share(const Entry& e, ProblemClass c) {
  const bool redundant = c == ProblemClass::singular || c == ProblemClass::contact || c == ProblemClass::mixed;
  if (has_capability(e, "exact")) {
    if (redundant && !has_capability(e, "singular")) return 0;
    if (!has_capability(e, "inequalities")) return 1;
    // Friction may have limits that do not settle; Lemke needs them to only where they hang on equations.
    if (c == ProblemClass::mixed) return 0.9;
    return c == ProblemClass::contact && e.name != "lemke" ? 0.97 : 1;
  }
  const bool easy = c == ProblemClass::well_conditioned || c == ProblemClass::tight_limits;
  if (e.name == "cg") return easy || c == ProblemClass::friction ? 1 : 0;
  return easy ? 1 : c == ProblemClass::friction ? 0.8 : 0;
}

class RandomLcp : public testing::TestWithParam<std::tuple<std::string, ProblemClass>> {};

TEST_P(RandomLcp, SolvesWithinTheToleranceItClaimsOrSaysNot) {
  const auto& [name, problem_class] = GetParam();
  const Entry& e = lcp_entry(name);
  const double tolerance = tolerance_of(name);
  const std::unique_ptr<LcpSolver> solver = make_lcp(name);
  const int count = long_tests() ? 1429 : 40;
  ProblemMaker maker(1000 + static_cast<int>(problem_class));
  int solved = 0;
  for (int k = 0; k < count; ++k) {
    const int n = maker.size(long_tests());
    const RandomProblem p = maker.make(problem_class, n, !has_capability(e, "inequalities"));
    std::vector<double> x(n, 0.0);
    const LcpResult result = solver->solve(p.problem(), x);
    SCOPED_TRACE("problem " + std::to_string(k) + " of size " + std::to_string(n));
    expect_admissible(p, x);
    const Oracle oracle(p, x);
    ASSERT_LE(std::abs(oracle.residual - result.residual), 1e-9 * result.residual + oracle.rounding);
    ASSERT_EQ(result.converged, result.residual <= tolerance);
    ASSERT_EQ(result.converged, result.status == LcpStatus::solved);
    if (result.converged) ++solved;
  }
  RecordProperty("solved", solved);
  EXPECT_GE(solved, wanted_share(e, problem_class) * count);
}

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const Entry& e : lcp_entries()) names.push_back(e.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Classes, RandomLcp,
                         testing::Combine(testing::ValuesIn(solver_names()), testing::ValuesIn(kProblemClasses)),
                         [](const auto& test) {
                           std::string text = std::get<0>(test.param) + "_" + name_of(std::get<1>(test.param));
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

}  // namespace
}  // namespace rigor::test
