// Every solver on random problems of size 1 to 200: it solves within the tolerance it claims, or says that it did not.
//
// 280 problems per solver by default; RIGOR_LONG_TESTS=1 in the environment makes it 10 000 per solver, over all threads. Small
// sizes are the most frequent, as their corners are met most often; every fourth size of the long tests is uniform in 1 … 200:
//   RIGOR_LONG_TESTS=1 ./test 'Classes/RandomLcp.*'
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <tuple>

#include "lcp/random_problems.h"
#include "lcp/solvers.h"
#include "long_tests.h"
#include "threads/parallel.h"

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

/// One problem, and what a solver made of it.
struct Trial {
  RandomProblem problem;
  std::vector<double> x;
  LcpResult result;
  Oracle oracle;

  Trial(RandomProblem p, LcpSolver& solver)
      : problem(std::move(p)),
        x(static_cast<std::size_t>(problem.n), 0.0),
        result(solver.solve(problem.problem(), x)),
        oracle(problem, x) {}
};

TEST_P(RandomLcp, SolvesWithinTheToleranceItClaimsOrSaysNot) {
  const auto& name = std::get<0>(GetParam());  // clang cannot capture structured bindings
  const auto problem_class = std::get<1>(GetParam());
  const Entry& e = lcp_entry(name);
  const double tolerance = tolerance_of(name);
  const int count = long_tests() ? 1429 : 40;
  ProblemMaker maker(1000 + static_cast<int>(problem_class));
  const ThreadPool threads(long_tests() ? 0 : 1);
  constexpr int kAtOnce = 64;
  int solved = 0;
  for (int first = 0; first < count; first += kAtOnce) {
    std::vector<RandomProblem> problems;
    for (int k = first; k < std::min(first + kAtOnce, count); ++k)
      problems.push_back(
          maker.make(problem_class, maker.size(long_tests() && k % 4 == 0), !has_capability(e, "inequalities")));
    std::vector<std::optional<Trial>> trials(problems.size());
    threads.for_range(problems.size(), 4, [&](std::size_t begin, std::size_t end) {
      const std::unique_ptr<LcpSolver> solver = make_lcp(name);
      for (std::size_t k = begin; k < end; ++k) trials[k].emplace(std::move(problems[k]), *solver);
    });
    for (std::size_t k = 0; k < trials.size(); ++k) {
      const Trial& t = *trials[k];
      SCOPED_TRACE("problem " + std::to_string(first + static_cast<int>(k)) + " of size " +
                   std::to_string(t.problem.n));
      expect_admissible(t.problem, t.x);
      ASSERT_LE(std::abs(t.oracle.residual - t.result.residual), 1e-9 * t.result.residual + t.oracle.rounding);
      ASSERT_EQ(t.result.converged, t.result.residual <= tolerance);
      ASSERT_EQ(t.result.converged, t.result.status == LcpStatus::solved);
      if (t.result.converged) ++solved;
    }
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
