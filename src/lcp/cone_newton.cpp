#include "lcp/cone_newton.h"

#include <Eigen/SparseLU>
#include <algorithm>
#include <array>
#include <cmath>

#include "lcp/cone_sweeps.h"
#include "lcp/cone_system.h"

namespace rigor {

namespace {

using Vector = Eigen::VectorXd;
using Index = std::size_t;

/// ε of the scaled W, whose diagonal is 1. Larger ones make steps that are no better than those of Gauss–Seidel.
constexpr double kMostProximal = 0.1;
/// Iterations in which ‖F‖² has to fall to a quarter. Chosen: rising ε takes five of them.
constexpr int kPatience = 12;

/// The linear systems of the steps, and F along them.
class System {
 public:
  System(const NewtonFunction& function, const ConeProblem& p)
      : function_(function), p_(p), W_(cone_matrix(p.W)), u_(p.size()), F_(p.size()) {
    std::size_t entries = 0;
    for (const ConeBlock& block : p.blocks) {
      begin_.push_back(entries);
      entries += Index(block.size * block.size);
    }
    A_.resize(entries), B_.resize(entries);
  }

  /// ½ ‖F‖² at x; writes F, A, B.
  double evaluate(const Vector& x) {
    u_.noalias() = W_ * x;
    for (Eigen::Index i = 0; i < u_.size(); ++i) u_[i] += p_.q[Index(i)];
    for (Index b = 0; b < p_.blocks.size(); ++b) {
      const ConeBlock& block = p_.blocks[b];
      double *A = A_.data() + begin_[b], *B = B_.data() + begin_[b];
      std::fill(A, A + block.size * block.size, 0.0);
      std::fill(B, B + block.size * block.size, 0.0);
      function_.evaluate(p_, block, x.data() + block.begin, u_.data() + block.begin, F_.data() + block.begin, A, B);
    }
    return 0.5 * F_.squaredNorm();
  }

  /// Δx at the last evaluate(). False where the system is singular.
  bool step(double proximal, Vector& dx) {
    assemble(proximal);
    if (!analysed_) lu_.analyzePattern(J_), analysed_ = true;
    lu_.factorize(J_);
    if (lu_.info() != Eigen::Success) return false;
    dx = lu_.solve(-F_);
    return dx.allFinite();
  }

 private:
  /// J = A + B (W + ε), with the pattern of W whatever A and B are.
  void assemble(double proximal) {
    triplets_.clear();
    const BlockMatrix& W = p_.W;
    for (int i = 0; i < W.blocks(); ++i) {
      const int n = W.size_of(i);
      const double *A = A_.data() + begin_[Index(i)], *B = B_.data() + begin_[Index(i)];
      for (int k = W.row_begin[Index(i)]; k < W.row_begin[Index(i) + 1]; ++k) {
        const int j = W.column[Index(k)], m = W.size_of(j);
        const double* w = W.data.data() + W.data_begin[Index(k)];
        for (int a = 0; a < n; ++a)
          for (int c = 0; c < m; ++c) {
            double sum = i == j ? A[a * n + c] + proximal * B[a * n + c] : 0;
            for (int b = 0; b < n; ++b) sum += B[a * n + b] * w[b * m + c];
            triplets_.emplace_back(W.start[Index(i)] + a, W.start[Index(j)] + c, sum);
          }
      }
    }
    J_.resize(W.size(), W.size());
    J_.setFromTriplets(triplets_.begin(), triplets_.end());
    J_.makeCompressed();
  }

  const NewtonFunction& function_;
  const ConeProblem& p_;
  ConeMatrix W_, J_;
  Vector u_, F_;
  std::vector<Index> begin_;
  std::vector<double> A_, B_;
  std::vector<Eigen::Triplet<double>> triplets_;
  Eigen::SparseLU<ConeMatrix> lu_;
  bool analysed_ = false;
};

}  // namespace

void NewtonSettings::fields(FieldVisitor& v) {
  ConeSettings::fields(v);
  v.integer("sweeps", sweeps, {"1", 0, 1e6, "of Gauss–Seidel before the first step, and where no step makes progress"});
  v.number("proximal", proximal, {"1", 1e-15, 1, "ε on the diagonal of the scaled W"});
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

ConeResult newton(const NewtonFunction& function, const NewtonSettings& settings, const ConeProblem& problem,
                  std::span<double> r, ConeTrace* trace) {
  check_problem(problem, r);
  project(problem, r);
  ConeJudge judge(problem, settings, trace);
  if (judge.done(r) || problem.size() == 0) return judge.finish(r, 0);
  const std::span<const double> D = judge.measure().D();
  const ConeProblem p = scaled(problem, D);
  ConeSweeps gauss_seidel(problem);
  System system(function, p);
  const Eigen::Index n = p.size();
  Vector x(n), dx(n), trial(n);
  std::vector<double> candidate(r.size());
  int sweeps = settings.sweeps, k = 0, failures = 0;
  double proximal = settings.proximal;
  const auto relax = [&] {
    for (int i = 0; i < sweeps; ++i) gauss_seidel.sweep(r);
    for (Eigen::Index i = 0; i < n; ++i) x[i] = r[Index(i)] / D[Index(i)];
  };
  const auto is_done = [&](const Vector& at) {  // the iterate itself may be outside of its cones by rounding
    for (Eigen::Index i = 0; i < n; ++i) candidate[Index(i)] = at[i] * D[Index(i)];
    project(problem, candidate);
    return judge.done(candidate);
  };
  relax();
  double merit = system.evaluate(x);
  double milestone = merit;
  int since = 0;
  std::array<double, 5> last;
  last.fill(merit);
  LcpStatus status = LcpStatus::iteration_limit;
  if (!is_done(x))
    while (k < settings.iterations) {
      ++k;
      bool progress = system.step(proximal, dx);
      if (progress) {
        double length = 1;
        progress = false;
        const double bound = *std::max_element(last.begin(), last.end());
        for (int i = 0; i < 12 && !progress; ++i, length *= 0.5) {
          trial = x + length * dx;
          merit = system.evaluate(trial);
          progress = merit <= (1 - 1e-4 * length) * bound;
        }
        if (progress) x = trial, last[Index(k) % last.size()] = merit;
      }
      if (progress) {
        if (is_done(x)) break;
        proximal = std::max(0.1 * proximal, settings.proximal);
        if (merit < 0.25 * milestone) milestone = merit, since = k;
        if (k - since < kPatience) continue;
      }
      if (!progress && proximal < kMostProximal && k - since < kPatience) {
        system.evaluate(x);  // the derivatives where the step began
        proximal = std::min(100 * proximal, kMostProximal);
        continue;
      }
      proximal = settings.proximal;
      // Gauss–Seidel from the best impulses so far, longer every time.
      std::copy(judge.best_r().begin(), judge.best_r().end(), r.begin());
      sweeps = std::clamp(2 * sweeps, 1, 640);
      if (++failures > 20) break;
      relax();
      milestone = system.evaluate(x), since = k;
      last.fill(milestone);
      if (is_done(x)) break;
    }
  return judge.finish(r, k, status);
}

}  // namespace rigor
