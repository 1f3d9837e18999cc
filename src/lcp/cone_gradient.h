// What the gradient methods on cone problems share: an outer fixed-point iteration on de Saxcé's correction (Acary, Cadoux 2013, 5.2). With s held,
//
//   minimise f(x) = ½ xᵀW x + (q + s)ᵀ x   over the cones and limits
//
// is convex; its solution has û = W x + q + s. Then s ← Γ(W x + q) n, and so on until the error with the new s is met. Where the error does not fall, s moves
// by a smaller part of the way. The inner problem is solved to a tenth of the error that s leaves.
#pragma once

#include <cmath>

#include "lcp/cone_problem.h"

namespace rigor {

/// The convex problem of the present s, in the scaled coordinates.
struct GradientProblem {
  const ConeProblem& p;
  std::vector<double> s;

  /// g ← W x + q + s; returns f.
  double gradient(std::span<const double> x, std::span<double> g) const {
    velocities(p, x, g);
    double f = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      f += 0.5 * x[i] * (g[i] + p.q[i]) + s[i] * x[i];
      g[i] += s[i];
    }
    return f;
  }
  /// max |x − P(x − g)|: the natural map of the convex problem.
  double error(std::span<const double> x, std::span<const double> g, std::vector<double>& scratch) const {
    scratch.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) scratch[i] = x[i] - g[i];
    project(p, scratch);
    double e = 0;
    for (std::size_t i = 0; i < x.size(); ++i) e = std::max(e, std::abs(x[i] - scratch[i]));
    return e;
  }
};

/// Improves x until the error is at most `target`, in at most `most` iterations; returns how many it took.
class GradientInner {
 public:
  virtual ~GradientInner() = default;
  /// Begins a new problem.
  virtual void start() {}
  virtual int minimise(const GradientProblem& problem, std::vector<double>& x, double target, int most,
                       ConeJudge& judge, std::span<const double> D) = 0;
};

ConeResult solve_by_gradients(GradientInner& inner, const ConeSettings& settings, const ConeProblem& problem,
                              std::span<double> r, ConeTrace* trace);
/// The cone solver with this inner method.
template <class Inner> class GradientSolver final : public ConeSolver {
 public:
  GradientSolver() { settings_.iterations = 10000; }
  void fields(FieldVisitor& v) override { settings_.fields(v); }

  ConeResult solve(const ConeProblem& problem, std::span<double> r, ConeTrace* trace) override {
    return solve_by_gradients(inner_, settings_, problem, r, trace);
  }

 private:
  Inner inner_;
  ConeSettings settings_;
};

/// For the trace: the residual of x = r / D.
bool judge_scaled(ConeJudge& judge, std::span<const double> x, std::span<const double> D, std::vector<double>& r);

}  // namespace rigor
