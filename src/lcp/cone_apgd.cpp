// Accelerated projected gradients (Nesterov 1983; Mazhar, Heyn, Negrut, Tasora 2015) inside a fixed-point iteration on de Saxcé's correction (cone_gradient.h):
//
//   x_{k+1} ← P(y − g(y)/L),   y ← x_{k+1} + β_k (x_{k+1} − x_k)
//
// L is found by backtracking on f(x_{k+1}) ≤ f(y) + g·Δ + L/2 ‖Δ‖² and falls by a tenth per step; the momentum starts anew where it leads uphill, g·(x_{k+1} − x_k) > 0
// (O'Donoghue, Candès 2015). Error of the convex problem O(1/k²), which is slow: tight tolerances take thousands of iterations. Cost of one: two products with W and a
// projection. Without the outer iteration it would solve the convex relaxation, in which what slides lifts off.
#include <algorithm>

#include "lcp/cone_gradient.h"
#include "registry/entry.h"

namespace rigor {

namespace {

using Index = std::size_t;

class Apgd final : public GradientInner {
 public:
  void start() override { L_ = 1; }

  int minimise(const GradientProblem& convex, std::vector<double>& x, double target, int most, ConeJudge& judge,
               std::span<const double> D) override {
    const Index n = x.size();
    y_ = x;
    g_.resize(n), next_.resize(n), h_.resize(n);
    double theta = 1;
    int k = 0;
    while (k < most) {
      ++k;
      const double f = convex.gradient(y_, g_);
      if (!std::isfinite(f)) break;
      L_ *= 0.9;
      for (int tries = 0;; ++tries) {
        for (Index i = 0; i < n; ++i) next_[i] = y_[i] - g_[i] / L_;
        project(convex.p, next_);
        // f(next) − f(y) − gᵀd = ½ dᵀW d with d = next − y, which does not cancel.
        d_.resize(n);
        double squared = 0;
        for (Index i = 0; i < n; ++i) {
          d_[i] = next_[i] - y_[i];
          squared += d_[i] * d_[i];
        }
        convex.p.W.multiply(d_, h_);
        double curvature = 0;
        for (Index i = 0; i < n; ++i) curvature += d_[i] * h_[i];
        if (curvature <= L_ * squared || tries > 100) break;
        L_ = std::max(2 * L_, squared > 0 ? curvature / squared : 2 * L_);
      }
      double uphill = 0;
      for (Index i = 0; i < n; ++i) uphill += g_[i] * (next_[i] - x[i]);
      const double next_theta = 0.5 * (-theta * theta + theta * std::sqrt(theta * theta + 4));
      const double beta = uphill > 0 ? 0 : theta * (1 - theta) / (theta * theta + next_theta);
      theta = uphill > 0 ? 1 : next_theta;
      for (Index i = 0; i < n; ++i) {
        y_[i] = next_[i] + beta * (next_[i] - x[i]);
        x[i] = next_[i];
      }
      convex.gradient(x, h_);
      const bool met = convex.error(x, h_, scratch_) <= target;
      if (judge_scaled(judge, x, D, scratch_) || met) break;
    }
    return k;
  }

 private:
  double L_ = 1;
  std::vector<double> y_, g_, next_, h_, d_, scratch_;
};

}  // namespace

Entry register_cone_apgd() {
  return {Kind::cone,
          "apgd",
          "accelerated projected gradients with a fixed point on de Saxcé's correction",
          "Nesterov 1983; Mazhar, Heyn, Negrut, Tasora 2015",
          {"warm-start", "singular", "matrix-free"},
          make_default<GradientSolver<Apgd>>,
          {}};
}

}  // namespace rigor
