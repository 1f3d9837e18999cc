#include "lcp/newton_polish.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <vector>

#include "lcp/operators.h"

namespace rigor {

namespace {

constexpr int kMostFree = 2000;  // chosen: about a second

class NewtonStep {
 public:
  NewtonStep(const LcpProblem& problem, std::span<double> x, double regularisation)
      : problem_(problem), x_(x), n_(problem.size()), regularisation_(regularisation), position_(n_, -1), side_(n_, 0) {
    row_scales(DenseOperator(problem, x), d_);
  }

  /// False when the step is too much work, and x is as it was.
  bool run(WorkLeft& work) {
    read_sets();
    const int f = static_cast<int>(free_.size());
    if (f > kMostFree || !work.spend(1.0 / 3 * f * f * f)) return false;
    put_on_limits();
    if (f > 0) {
      Eigen::MatrixXd K(f, f);
      for (int p = 0; p < f; ++p) fill_row(p, K);
      const Eigen::PartialPivLU<Eigen::MatrixXd> factors(K);
      // The second solve removes what the regularisation has left.
      for (int pass = 0; pass < 2; ++pass) correct(factors);
    }
    project(problem_.limits, x_);
    return true;
  }

 private:
  void read_sets() {
    const DenseOperator op(problem_, x_);
    for (int i = 0; i < n_; ++i) {
      const auto [lo, hi] = problem_.limits.at(i, x_);
      const double target = x_[i] - op.row(i) / d_[i];
      side_[i] = target <= lo ? -1 : target >= hi ? 1 : 0;
      if (side_[i] != 0) continue;
      position_[i] = static_cast<int>(free_.size());
      free_.push_back(i);
    }
  }

  /// ∂x_i/∂x_j of a dependent row at its limit.
  double slope(int i) const {
    const int j = problem_.limits.dependency[i];
    return side_[i] * problem_.limits.factor[i] * (x_[j] < 0 ? -1 : 1);
  }

  void put_on_limits() {
    for (const bool dependent : {false, true})
      for (int i = 0; i < n_; ++i) {
        if (side_[i] == 0 || problem_.limits.depends(i) != dependent) continue;
        const auto [lo, hi] = problem_.limits.at(i, x_);
        x_[i] = side_[i] < 0 ? lo : hi;
      }
  }

  /// Row p of ∂w_free/∂x_free, dependent rows at their limits following the rows they depend on.
  void fill_row(int p, Eigen::MatrixXd& K) const {
    const double* a = problem_.A.data() + static_cast<std::size_t>(free_[p]) * n_;
    for (std::size_t q = 0; q < free_.size(); ++q) K(p, static_cast<int>(q)) = a[free_[q]];
    for (int i = 0; i < n_; ++i)
      if (side_[i] != 0 && problem_.limits.depends(i) && position_[problem_.limits.dependency[i]] >= 0)
        K(p, position_[problem_.limits.dependency[i]]) += a[i] * slope(i);
    K(p, p) += regularisation_ * d_[free_[p]];
  }

  void correct(const Eigen::PartialPivLU<Eigen::MatrixXd>& factors) {
    const DenseOperator op(problem_, x_);
    const int f = static_cast<int>(free_.size());
    Eigen::VectorXd w(f);
    for (int p = 0; p < f; ++p) w[p] = op.row(free_[p]);
    const Eigen::VectorXd dx = factors.solve(w);
    for (int i = 0; i < n_; ++i) {  // before x_j changes its sign, if it does
      if (side_[i] == 0 || !problem_.limits.depends(i)) continue;
      const int j = position_[problem_.limits.dependency[i]];
      if (j >= 0) x_[i] -= slope(i) * dx[j];
    }
    for (int p = 0; p < f; ++p) x_[free_[p]] -= dx[p];
  }

  const LcpProblem& problem_;
  std::span<double> x_;
  int n_;
  double regularisation_;
  std::vector<double> d_;
  std::vector<int> free_, position_, side_;  // side -1, 0, 1: lower limit, free, upper limit
};

/// max(d_i |x_i|, |b_i|).
double size_of(const LcpProblem& problem, std::span<const double> x) {
  std::vector<double> d;
  row_scales(DenseOperator(problem, x), d);
  double size = 0;
  for (int i = 0; i < problem.size(); ++i) size = std::max({size, d[i] * std::abs(x[i]), std::abs(problem.b[i])});
  return size;
}

}  // namespace

double newton_polish(const LcpProblem& problem, int steps, double tolerance, std::span<double> x, WorkLeft& work,
                     double regularisation) {
  double best = residual_of(problem, x);
  std::vector<double> trial(x.begin(), x.end());
  // Contradicting rows can be had at the price of multipliers that are limited by the regularisation only.
  const double largest = 1e6 * size_of(problem, x);
  for (int step = 0; step < steps && !(best <= tolerance); ++step) {
    if (!NewtonStep(problem, trial, regularisation).run(work)) break;
    const double residual = residual_of(problem, trial);
    if (!std::isfinite(residual) || !(size_of(problem, trial) <= largest)) break;
    if (!(residual < best)) continue;
    best = residual;
    std::copy(trial.begin(), trial.end(), x.begin());
  }
  return best;
}

}  // namespace rigor
