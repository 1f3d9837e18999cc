#include "lcp/cone_gradient.h"

#include <algorithm>

namespace rigor {

namespace {
using Index = std::size_t;
}

bool judge_scaled(ConeJudge& judge, std::span<const double> x, std::span<const double> D, std::vector<double>& r) {
  r.resize(x.size());
  for (Index i = 0; i < x.size(); ++i) r[i] = x[i] * D[i];
  return judge.done(r);
}

namespace {

/// The outer iteration, see cone_gradient.h.
ConeResult correct_and_minimise(GradientInner& inner, const ConeSettings& settings, const ConeProblem& p,
                                std::span<const double> D, std::span<double> r, ConeJudge& judge) {
  GradientProblem convex{p, std::vector<double>(p.q.size(), 0)};
  std::vector<double> x(r.size()), u(r.size()), next(r.size(), 0), scratch;
  double relaxation = 1, last = kUnbounded;
  for (Index i = 0; i < x.size(); ++i) x[i] = r[i] / D[i];
  int k = 0;
  while (k < settings.iterations) {
    velocities(p, x, u);
    for (const ConeBlock& block : p.blocks)
      if (block.contact) next[Index(block.begin)] = de_saxce(block, u.data() + block.begin);
    for (Index i = 0; i < u.size(); ++i) u[i] += next[i];
    const double error = convex.error(x, u, scratch);
    if (!std::isfinite(error)) break;
    if (error > 0.9 * last) relaxation = std::max(0.7 * relaxation, 0.05);
    last = error;
    for (Index i = 0; i < next.size(); ++i) convex.s[i] += relaxation * (next[i] - convex.s[i]);
    k += inner.minimise(convex, x, 0.1 * error, settings.iterations - k, judge, D);
    if (judge_scaled(judge, x, D, scratch)) break;
  }
  return judge.finish(r, k);
}

}  // namespace

ConeResult solve_by_gradients(GradientInner& inner, const ConeSettings& settings, const ConeProblem& problem,
                              std::span<double> r, ConeTrace* trace) {
  return solve_scaled(problem, settings, r, trace,
                      [&](const ConeProblem& p, std::span<const double> D, ConeJudge& judge) {
                        inner.start();
                        return correct_and_minimise(inner, settings, p, D, r, judge);
                      });
}

}  // namespace rigor
