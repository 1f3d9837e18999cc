#include "lcp/cone_newton.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lcp/cone_sweeps.h"
#include "lcp/cone_system.h"
#include "registry/entry.h"

namespace rigor {

namespace {

using Vector = Eigen::VectorXd;
using Index = std::size_t;

/// ε of the scaled W, whose diagonal is 1. Larger ones make steps that are no better than those of Gauss–Seidel.
constexpr double kMostProximal = 0.1;
/// Iterations in which ‖F‖² has to fall to a quarter. Chosen: rising ε takes five of them.
constexpr int kPatience = 12;
/// Rounds of sweeps after which the interior-point method is asked. Chosen: problems that sweeps help need one.
constexpr int kSweepRounds = 2;
/// Most iterations of the interior-point method. Chosen: it needs 10 to 30, or stays at 1e-8, from where Newton's steps are quadratic.
constexpr int kMostInside = 40;

/// F along the steps, and their linear systems.
class System {
 public:
  System(const NewtonFunction& function, const ConeProblem& p)
      : function_(function), p_(p), W_(cone_matrix(p.W)), linear_(p), u_(p.size()), F_(p.size()) {}

  /// ½ ‖F‖² at x; writes F, A, B.
  double evaluate(const Vector& x) {
    u_.noalias() = W_ * x;
    for (Eigen::Index i = 0; i < u_.size(); ++i) u_[i] += p_.q[Index(i)];
    linear_.clear();
    for (Index b = 0; b < p_.blocks.size(); ++b) {
      const ConeBlock& block = p_.blocks[b];
      function_.evaluate(p_, block, x.data() + block.begin, u_.data() + block.begin, F_.data() + block.begin,
                         linear_.A(b), linear_.B(b));
    }
    return 0.5 * F_.squaredNorm();
  }

  /// Δx at the last evaluate(). False where the system is singular.
  bool step(double proximal, Vector& dx) {
    if (!linear_.factorise(proximal)) return false;
    dx = linear_.solve(-F_);
    return dx.allFinite();
  }

 private:
  const NewtonFunction& function_;
  const ConeProblem& p_;
  ConeMatrix W_;
  ConeSystem linear_;
  Vector u_, F_;
};

}  // namespace

void NewtonSettings::fields(FieldVisitor& v) {
  ConeSettings::fields(v);
  v.integer("sweeps", sweeps, {"1", 0, 1e6, "of Gauss–Seidel before the first step, and where no step makes progress"});
  v.number("proximal", proximal, {"1", 1e-15, 1, "ε on the diagonal of the scaled W"});
  v.flag("interior", interior, "begins anew from the result of the interior-point method where sweeps do not help");
}

void limits_function(const ConeProblem& p, const ConeBlock& block, const double* x, const double* u, double* F,
                     double* A, double* B) {
  const int n = block.size;
  for (int i = 0; i < n; ++i) {
    const double y = x[i] - u[i], lo = p.lo[Index(block.begin + i)], hi = p.hi[Index(block.begin + i)];
    const bool inside = y > lo && y < hi;
    F[i] = x[i] - std::min(std::max(y, lo), hi);
    (inside ? B : A)[i * n + i] = 1;
  }
}

void disk_function(const ConeBlock& block, const FrictionGroup& group, const double* x, const double* u,
                   bool normal_by_u, double* F, double* A, double* B) {
  const int n = block.size, o = group.offset, k = group.size;
  const double y_n = normal_by_u ? x[0] - u[0] : x[0], radius = group.mu * std::max(y_n, 0.0);
  double y[2] = {0, 0}, squared = 0;
  for (int i = 0; i < k; ++i) {
    y[i] = x[o + i] - u[o + i];
    squared += y[i] * y[i];
  }
  const double length = std::sqrt(squared);
  if (length <= radius && radius > 0) {  // sticks
    for (int i = 0; i < k; ++i) {
      F[o + i] = u[o + i];
      B[(o + i) * n + o + i] = 1;
    }
    return;
  }
  const double factor = length > 0 ? radius / length : 0;
  for (int i = 0; i < k; ++i) {
    F[o + i] = x[o + i] - factor * y[i];
    for (int j = 0; j < k; ++j) {
      const double t = length > 0 ? y[i] * y[j] / squared : 0, G = factor * ((i == j ? 1 : 0) - t);
      A[(o + i) * n + o + j] = (i == j ? 1 : 0) - G;
      B[(o + i) * n + o + j] = G;
    }
    if (y_n > 0 && length > 0) {
      const double slope = group.mu * y[i] / length;
      A[(o + i) * n] = -slope;
      if (normal_by_u) B[(o + i) * n] = slope;
    }
  }
}

namespace {

/// One solve: Newton's steps with their safeguards, see cone_newton.h.
class NewtonRun {
 public:
  NewtonRun(const NewtonFunction& function, const NewtonSettings& settings, const ConeProblem& problem,
            const ConeProblem& p, std::span<const double> D, std::span<double> r, ConeJudge& judge)
      : settings_(settings),
        problem_(problem),
        D_(D),
        r_(r),
        judge_(judge),
        gauss_seidel_(problem),
        system_(function, p),
        x_(p.size()),
        dx_(p.size()),
        trial_(p.size()),
        candidate_(r.size()),
        sweeps_(settings.sweeps),
        proximal_(settings.proximal) {}

  ConeResult run() {
    if (!relax()) iterate();
    return judge_.finish(r_, k_, LcpStatus::iteration_limit);
  }

 private:
  void iterate() {
    int failures = 0;
    while (k_ < settings_.iterations) {
      ++k_;
      const bool progress = system_.step(proximal_, dx_) && search();
      if (progress) {
        if (is_done()) return;
        proximal_ = std::max(0.1 * proximal_, settings_.proximal);
        if (merit_ < 0.25 * milestone_) milestone_ = merit_, since_ = k_;
        if (k_ - since_ < kPatience) continue;
      }
      if (!progress && proximal_ < kMostProximal && k_ - since_ < kPatience) {
        system_.evaluate(x_);  // the derivatives where the step began
        proximal_ = std::min(100 * proximal_, kMostProximal);
        continue;
      }
      proximal_ = settings_.proximal;
      // Gauss–Seidel from the best impulses so far, longer every time.
      std::copy(judge_.best_r().begin(), judge_.best_r().end(), r_.begin());
      sweeps_ = std::clamp(2 * sweeps_, 1, 640);
      if (++failures > 20 || relax()) return;
      if (failures == kSweepRounds && settings_.interior && restart_inside()) return;
    }
  }

  /// Restarts Newton's method from the result of the interior-point method. True if that solves the problem.
  bool restart_inside() {
    const std::int64_t most = std::min(settings_.iterations - k_, kMostInside);
    if (most < 1) return false;
    const auto inside = create<ConeSolver>(
        Kind::cone, {"interior-point", {{"iterations", most}, {"tolerance", settings_.tolerance}, {"polish", false}}},
        "cone");
    k_ += inside->solve(problem_, r_, nullptr).iterations;
    restart();
    return is_done();
  }

  /// Moves x by the longest of Δx, Δx/2, Δx/4, … at which ‖F‖ falls below the largest of the last five. False if none does.
  bool search() {
    double length = 1;
    const double bound = *std::max_element(last_.begin(), last_.end());
    for (int i = 0; i < 12; ++i, length *= 0.5) {
      trial_ = x_ + length * dx_;
      merit_ = system_.evaluate(trial_);
      if (!(merit_ <= (1 - 1e-4 * length) * bound)) continue;
      x_ = trial_;
      last_[Index(k_) % last_.size()] = merit_;
      return true;
    }
    return false;
  }

  /// Makes Gauss–Seidel sweeps from r and restarts Newton's method there. True if the sweeps solve the problem.
  bool relax() {
    for (int i = 0; i < sweeps_; ++i) gauss_seidel_.sweep(r_);
    restart();
    return is_done();
  }

  /// Newton's method begins at r.
  void restart() {
    for (Eigen::Index i = 0; i < x_.size(); ++i) x_[i] = r_[Index(i)] / D_[Index(i)];
    milestone_ = system_.evaluate(x_), since_ = k_;
    last_.fill(milestone_);
  }

  /// True if the iterate solves the problem. It is projected first, since rounding may put it outside of its cones.
  bool is_done() {
    for (Eigen::Index i = 0; i < x_.size(); ++i) candidate_[Index(i)] = x_[i] * D_[Index(i)];
    project(problem_, candidate_);
    return judge_.done(candidate_);
  }

  const NewtonSettings& settings_;
  const ConeProblem& problem_;
  std::span<const double> D_;
  std::span<double> r_;
  ConeJudge& judge_;
  ConeSweeps gauss_seidel_;
  System system_;
  Vector x_, dx_, trial_;
  std::vector<double> candidate_;
  int sweeps_, k_ = 0, since_ = 0;
  double proximal_, merit_ = 0, milestone_ = 0;  // milestone: ½ ‖F‖² at which the count of kPatience began
  std::array<double, 5> last_{};                 // ½ ‖F‖² of the last steps
};

}  // namespace

ConeResult newton(const NewtonFunction& function, const NewtonSettings& settings, const ConeProblem& problem,
                  std::span<double> r, ConeTrace* trace) {
  return solve_scaled(problem, settings, r, trace,
                      [&](const ConeProblem& p, std::span<const double> D, ConeJudge& judge) {
                        return NewtonRun(function, settings, problem, p, D, r, judge).run();
                      });
}

}  // namespace rigor
