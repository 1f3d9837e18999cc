// Spectral projected gradients (Birgin, Martínez, Raydan 2000; Heyn et al. 2013 for contacts) inside a fixed-point iteration on de Saxcé's correction
// (cone_gradient.h). The step is that of Barzilai and Borwein:
//
//   d ← P(x − α g) − x,   x ← x + λ d,   α ← sᵀs / sᵀy or sᵀy / yᵀy in turn,   s = Δx,  y = Δg
//
// λ is the minimiser of f along d, at most 1, where f exceeds the largest of the last ten values (Grippo, Lampariello, Lucidi 1986), otherwise 1. f falls unevenly, and
// mostly faster than with acceleration. Cost of an iteration: one product with W and a projection.
#include <algorithm>
#include <array>

#include "lcp/cone_gradient.h"
#include "registry/entry.h"

namespace rigor {

namespace {

using Index = std::size_t;

class Spg final : public GradientInner {
 public:
  int minimise(const GradientProblem& convex, std::vector<double>& x, double target, int most, ConeJudge& judge,
               std::span<const double> D) override {
    const Index n = x.size();
    g_.resize(n), d_.resize(n), Wd_.resize(n);
    convex.gradient(x, g_);
    double f = 0, alpha = 1;  // f against its value at the start, which does not cancel
    std::array<double, 10> last;
    last.fill(f);
    int k = 0;
    while (k < most) {
      ++k;
      for (Index i = 0; i < n; ++i) d_[i] = x[i] - alpha * g_[i];
      project(convex.p, d_);
      double slope = 0, size = 0;
      for (Index i = 0; i < n; ++i) {
        d_[i] -= x[i];
        slope += g_[i] * d_[i], size += std::abs(g_[i] * d_[i]);
      }
      convex.p.W.multiply(d_, Wd_);
      double ss = 0, sy = 0, yy = 0;
      for (Index i = 0; i < n; ++i) ss += d_[i] * d_[i], sy += d_[i] * Wd_[i], yy += Wd_[i] * Wd_[i];
      double length = 1;
      const double full = f + slope + 0.5 * sy;
      // Near a solution the slope is the difference of large numbers; what is below their rounding says nothing.
      const double noise = 1e-13 * size;
      if (slope < -noise && sy > 0 && full > *std::max_element(last.begin(), last.end()) + 1e-4 * slope)
        length = std::min(-slope / sy, 1.0);
      f += length * slope + 0.5 * length * length * sy;
      last[Index(k) % last.size()] = f;
      for (Index i = 0; i < n; ++i) x[i] += length * d_[i], g_[i] += length * Wd_[i];
      if (k % 50 == 0) convex.gradient(x, g_);  // rounding adds up
      alpha = sy > 0 && yy > 0 ? std::clamp(k % 2 == 0 ? ss / sy : sy / yy, 1e-6, 1e6) : 1e6;
      const bool met = convex.error(x, g_, scratch_) <= target;
      if (judge_scaled(judge, x, D, scratch_) || met) break;
      if (!std::isfinite(f)) break;
    }
    return k;
  }

 private:
  std::vector<double> g_, d_, Wd_, scratch_;
};

}  // namespace

Entry register_cone_spg() {
  return {Kind::cone,
          "spg",
          "spectral projected gradients by Barzilai and Borwein, with a fixed point on de Saxcé's correction",
          "Birgin, Martínez, Raydan 2000; Heyn, Anitescu, Tasora, Negrut 2013",
          {"warm-start", "singular", "matrix-free"},
          make_default<GradientSolver<Spg>>,
          {}};
}

}  // namespace rigor
