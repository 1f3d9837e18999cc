// Exact solvers agree with each other: in w wherever limits are fixed, in x where A is definite.
#include <gtest/gtest.h>

#include "lcp/random_problems.h"
#include "lcp/solvers.h"

namespace rigor::test {
namespace {

struct Solution {
  LcpResult result;
  std::vector<double> x, w;

  Solution(const std::string& solver, const RandomProblem& p) : x(p.n, 0.0) {
    result = make_lcp(solver)->solve(p.problem(), x);
    for (int i = 0; i < p.n; ++i) {
      double sum = p.b[i];
      for (int j = 0; j < p.n; ++j) sum += p.a(i, j) * x[j];
      w.push_back(sum);
    }
  }
};

/// How far w and x of two solutions may be apart, given their residuals e (absolute, in units of w). Both being solutions up
/// to e, (x - x')·(w - w') <= Σ (e + e')(|x_i - x'_i| + |w_i - w'_i| / d_i), and for A positive semi-definite
/// |w - w'|² <= trace(A) (x - x')·A (x - x').
void expect_same_w(const RandomProblem& p, const Solution& s, const Solution& t) {
  double size = 0, trace = 0, product = 0, apart = 0;
  for (int i = 0; i < p.n; ++i) {
    trace += p.a(i, i);
    for (int j = 0; j < p.n; ++j) size = std::max({size, std::abs(p.a(i, j) * s.x[j]), std::abs(p.b[i])});
  }
  // The rounding of w itself, and the residual.
  const double e = (s.result.residual + t.result.residual + 1e-15 * p.n) * size;
  for (int i = 0; i < p.n; ++i) {
    product += e * (std::abs(s.x[i] - t.x[i]) + std::abs(s.w[i] - t.w[i]) / p.a(i, i));
    apart += (s.w[i] - t.w[i]) * (s.w[i] - t.w[i]);
  }
  EXPECT_LE(apart, trace * product + p.n * e * e);
}

void expect_same_x(const RandomProblem& p, const Solution& s, const Solution& t) {
  double largest = 0;
  for (const double x : s.x) largest = std::max(largest, std::abs(x));
  // Well-conditioned classes: eigenvalues of A are above 1, rounding dominates. 1e-11 is chosen, far above n ε.
  for (int i = 0; i < p.n; ++i) EXPECT_NEAR(s.x[i], t.x[i], 1e-11 * std::max(1.0, largest));
}

TEST(ExactLcp, DantzigAndLemkeAgree) {
  for (const ProblemClass c : {ProblemClass::well_conditioned, ProblemClass::badly_conditioned, ProblemClass::singular,
                               ProblemClass::tight_limits, ProblemClass::mixed}) {
    ProblemMaker maker(2000);
    for (int k = 0; k < 25; ++k) {
      RandomProblem p = maker.make(c, maker.size(false), false);
      p.dependency.assign(p.n, -1);
      const Solution dantzig("dantzig", p), lemke("lemke", p);
      SCOPED_TRACE(std::string(name_of(c)) + " " + std::to_string(k));
      ASSERT_TRUE(dantzig.result.converged && lemke.result.converged);
      expect_same_w(p, dantzig, lemke);
      if (p.definite && c != ProblemClass::badly_conditioned) expect_same_x(p, dantzig, lemke);
    }
  }
}

TEST(ExactLcp, LinearSolversAgreeWithPivotingOnes) {
  ProblemMaker maker(3000);
  for (int k = 0; k < 20; ++k) {
    const RandomProblem p = maker.make(ProblemClass::well_conditioned, maker.size(false), true);
    const Solution reference("cholesky", p);
    for (const char* other : {"ldlt", "sparse-cholesky", "sparse-ldlt", "kkt", "dantzig", "lemke"}) {
      const Solution s(other, p);
      SCOPED_TRACE(other);
      ASSERT_TRUE(s.result.converged);
      // ε of sparse-ldlt and kkt is within its tolerance and left in x unless a smaller tolerance is asked for.
      if (std::string(other) != "sparse-ldlt" && std::string(other) != "kkt") expect_same_x(p, reference, s);
      expect_same_w(p, reference, s);
    }
  }
}

/// Redundant equations: x is not unique, Jᵀx is.
TEST(ExactLcp, RedundantEquationsGiveTheSameMotion) {
  ProblemMaker maker(4000);
  for (int k = 0; k < 20; ++k) {
    const RandomProblem p = maker.make(ProblemClass::contact, maker.size(false), true);
    for (const char* name : {"ldlt", "sparse-ldlt", "kkt", "dantzig", "lemke"}) {
      const Solution s(name, p);
      EXPECT_TRUE(s.result.converged) << name << ", residual " << s.result.residual;
    }
  }
}

/// Contact with friction in two dimensions has no unique solution in general, but a definite A and small friction do.
TEST(ExactLcp, SmallFrictionIsUnique) {
  ProblemMaker maker(5000);
  for (int k = 0; k < 25; ++k) {
    RandomProblem p = maker.make(ProblemClass::friction, maker.size(false), false);
    for (double& mu : p.factor) mu *= 0.1;
    const Solution dantzig("dantzig", p), lemke("lemke", p);
    ASSERT_TRUE(dantzig.result.converged && lemke.result.converged);
    expect_same_x(p, dantzig, lemke);
  }
}

}  // namespace
}  // namespace rigor::test
