// Projected Gauss–Seidel on impulses, forwards and backwards (symmetric sweeps), with friction on a disc.
//
//   λ_i ← clamp(λ_i + (w_i − J_i u − γ_i λ_i) / K_ii),  u ← u + M⁻¹ J_iᵀ Δλ_i
//
// It converges linearly; one iteration costs two passes over the rows.
#include <algorithm>
#include <cmath>

#include "rigor/extend/plugin.h"

namespace {

using rigor::extend::ImpulseBlock;
using rigor::extend::ImpulseProblem;
using rigor::extend::Scratch;
using rigor::extend::SolveResult;

class SymmetricSweeps final : public rigor::extend::Solver {
 public:
  void fields(rigor::FieldVisitor& v) override {
    v.integer("iterations", iterations_, {"1", 1, 1e5, "pairs of sweeps over all rows"});
    v.number("tolerance", tolerance_, {"m/s", 0, 1, "stops when no impulse changes a velocity by more"});
  }

  SolveResult solve(ImpulseProblem& p, Scratch&) override {
    for (const ImpulseBlock& b : p.blocks)
      for (int i = b.begin; i < b.end; ++i)
        push(p, b, static_cast<std::size_t>(i), p.lambda[static_cast<std::size_t>(i)]);
    SolveResult result;
    double change = 0;
    while (result.iterations < iterations_) {
      ++result.iterations;
      change = 0;
      for (std::size_t k = 0; k < p.blocks.size(); ++k) change = std::max(change, visit(p, p.blocks[k]));
      for (std::size_t k = p.blocks.size(); k-- > 0;) change = std::max(change, visit(p, p.blocks[k]));
      if (change <= tolerance_) break;
    }
    result.converged = change <= tolerance_;
    return result;
  }

 private:
  static void push(ImpulseProblem& p, const ImpulseBlock& b, std::size_t i, double impulse) {
    apply_impulse(p.JW[i], impulse, p.velocity[static_cast<std::size_t>(b.a)],
                  p.velocity[static_cast<std::size_t>(b.b)]);
  }
  /// What λ_i would be if nothing bounded it.
  static double free_impulse(const ImpulseProblem& p, const ImpulseBlock& b, std::size_t i) {
    const double speed =
        row_speed(p.J[i], p.velocity[static_cast<std::size_t>(b.a)], p.velocity[static_cast<std::size_t>(b.b)]);
    return p.lambda[i] + (p.target[i] - speed - p.softness[i] * p.lambda[i]) / p.diagonal[i];
  }
  /// Returns the change of speed, m/s or rad/s.
  static double set(ImpulseProblem& p, const ImpulseBlock& b, std::size_t i, double lambda) {
    const double change = lambda - p.lambda[i];
    p.lambda[i] = lambda;
    push(p, b, i, change);
    return std::abs(change) * p.diagonal[i];
  }

  static double visit(ImpulseProblem& p, const ImpulseBlock& b) {
    double change = 0;
    for (auto i = static_cast<std::size_t>(b.begin); i < static_cast<std::size_t>(b.end); ++i) {
      if (!(p.diagonal[i] > 0)) continue;
      const int n = p.friction_of[i];
      if (n < 0) {
        change = std::max(change, set(p, b, i, std::clamp(free_impulse(p, b, i), p.lo[i], p.hi[i])));
        continue;
      }
      const double most = std::max(p.lambda[static_cast<std::size_t>(n)], 0.0);
      const bool pair = i + 1 < static_cast<std::size_t>(b.end) && p.kind[i + 1] == p.kind[i] && p.diagonal[i + 1] > 0;
      double x = free_impulse(p, b, i), y = pair ? free_impulse(p, b, i + 1) : 0;
      const double limit_x = p.mu[i] * most, limit_y = pair ? p.mu[i + 1] * most : 0;
      if (limit_x <= 0) x = 0;
      if (limit_y <= 0) y = 0;
      const double over = std::hypot(limit_x > 0 ? x / limit_x : 0, limit_y > 0 ? y / limit_y : 0);
      if (over > 1) x /= over, y /= over;
      change = std::max(change, set(p, b, i, x));
      if (pair) change = std::max(change, set(p, b, ++i, y));
    }
    return change;
  }

  int iterations_ = 10;
  double tolerance_ = 0;
};

}  // namespace

RIGOR_PLUGIN(registrar) {
  registrar.add<SymmetricSweeps>({"symmetric-sweeps",
                                  "projected Gauss–Seidel on impulses, forwards and backwards",
                                  "Erleben 2004; Young 1971, chapter 15",
                                  {"collision", "contact", "joint", "iterative", "warm-start", "soft"}});
}
