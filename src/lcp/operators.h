// How iterative solvers see A: row by row, at a current x, without a matrix. Solvers are templates over this, so that a sweep
// contains no virtual call.
//
// An operator is bound to a vector x that the solver owns and changes. It may keep a state derived from x, such as the
// velocities J and W make of it; `change` keeps that state up to date, `restart` makes it anew.
#pragma once

#include <algorithm>
#include <concepts>

#include "lcp/lcp.h"

namespace rigor {

template <class Op>
concept LcpOperator = requires(Op& op, const Op& view, int i, double delta) {
  { view.size() } -> std::convertible_to<int>;
  { view.diagonal(i) } -> std::convertible_to<double>;  // A_ii
  { view.constant(i) } -> std::convertible_to<double>;  // b_i
  { view.row(i) } -> std::convertible_to<double>;       // w_i = (A x + b)_i at the present x
  op.change(i, delta);                                  // the solver has just added delta to x_i
  op.restart();                                         // the solver has changed x as a whole
};

/// For Krylov methods: out = A p. Loses the state: restart() before the next row().
template <class Op>
concept LcpProduct = LcpOperator<Op> && requires(Op& op, std::span<const double> p, std::span<double> out) {
  op.multiply(p, out);
};

/// Four partial sums in a fixed order: the same result on every machine, and no chain of dependent additions.
inline double dot_product(const double* a, const double* b, int n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

class DenseOperator {
 public:
  DenseOperator(const LcpProblem& problem, std::span<const double> x) : problem_(problem), x_(x) {}

  int size() const { return problem_.size(); }
  double diagonal(int i) const { return row_of(i)[i]; }
  double constant(int i) const { return problem_.b[i]; }
  double row(int i) const { return problem_.b[i] + dot_product(row_of(i), x_.data(), size()); }
  void change(int, double) {}
  void restart() {}
  void multiply(std::span<const double> p, std::span<double> out) const {
    for (int i = 0; i < size(); ++i) out[i] = dot_product(row_of(i), p.data(), size());
  }

 private:
  const double* row_of(int i) const {
    return problem_.A.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(size());
  }

  const LcpProblem& problem_;
  std::span<const double> x_;
};

/// Keeps the change of velocity v = W Jᵀ x. A row costs 12 multiplications to read and 12 to change.
class RowsOperator {
 public:
  /// `v` is scratch memory.
  RowsOperator(const LcpRows& rows, std::span<const double> x, std::vector<double>& v) : rows_(rows), x_(x), v_(v) {
    restart();
  }

  int size() const { return rows_.size(); }
  double diagonal(int i) const { return dot_product(rows_.J[i].data(), rows_.JW[i].data(), 12) + gamma(i); }
  double constant(int i) const { return rows_.b[i]; }
  double row(int i) const { return rows_.b[i] + gamma(i) * x_[i] + along(i); }
  void change(int i, double delta) {
    const double* jw = rows_.JW[i].data();
    double* a = velocity(rows_.first[i]);
    double* b = velocity(rows_.second[i]);
    for (int k = 0; k < 6; ++k) a[k] += jw[k] * delta;
    for (int k = 0; k < 6; ++k) b[k] += jw[k + 6] * delta;
  }
  void restart() { accumulate(x_); }
  void multiply(std::span<const double> p, std::span<double> out) {
    accumulate(p);
    for (int i = 0; i < size(); ++i) out[i] = along(i) + gamma(i) * p[i];
  }

 private:
  void accumulate(std::span<const double> p) {
    v_.assign(6 * (static_cast<std::size_t>(rows_.bodies) + 1), 0.0);
    for (int i = 0; i < size(); ++i)
      if (p[i] != 0) change(i, p[i]);
  }
  double gamma(int i) const { return rows_.regularisation.empty() ? 0 : rows_.regularisation[i]; }
  // Block -1, which cannot move, is the first one of v and stays zero.
  double* velocity(int body) { return v_.data() + 6 * (body + 1); }
  double along(int i) const {
    const double* j = rows_.J[i].data();
    const double* a = v_.data() + 6 * (rows_.first[i] + 1);
    const double* b = v_.data() + 6 * (rows_.second[i] + 1);
    double s0 = 0, s1 = 0;
    for (int k = 0; k < 6; ++k) s0 += j[k] * a[k], s1 += j[k + 6] * b[k];
    return s0 + s1;
  }

  const LcpRows& rows_;
  std::span<const double> x_;
  std::vector<double>& v_;
};

/// Replaces diagonal entries of rows of zeros by the largest entry, so that solvers can divide by them. Small entries are
/// no zeros: a body of 10⁹ kg beside one of 10⁻⁶ kg has a diagonal 10¹⁵ times smaller. Where the terms of an entry cancel, only rounding is
/// left of a row of zeros; the code that computes such a matrix sets those rows to zero, as RowCoupling::matrix does.
inline void without_zeros(std::vector<double>& d) {
  double largest = 0;
  for (const double d_i : d) largest = std::max(largest, d_i);
  if (largest == 0) largest = 1;
  for (double& d_i : d)
    if (d_i == 0) d_i = largest;
}

/// d_i of the shared residual.
template <LcpOperator Op> void row_scales(const Op& op, std::vector<double>& d) {
  d.resize(op.size());
  for (int i = 0; i < op.size(); ++i) d[i] = std::abs(op.diagonal(i));
  without_zeros(d);
}

/// A maximum that a NaN cannot slip through.
inline double worse(double worst, double value) { return value > worst || value != value ? value : worst; }

inline constexpr double kRounding = 1e-6;  // of the shared residual's definition

template <LcpOperator Op> double term_of_scale(const Op& op, const LcpLimits& limits, double d_i, int i) {
  return std::max(std::abs(op.constant(i)), d_i * std::abs(limits.nearest_to_zero(i)));
}

/// The residual of one row: d_i |x_i − clamp(x_i − w_i / d_i)|.
inline double natural_error(double w, double d, double x, const Interval& allowed) {
  return d * std::abs(x - std::clamp(x - w / d, allowed.lo, allowed.hi));
}

/// The shared residual; NaN when x is not finite.
template <LcpOperator Op>
double natural_residual(const Op& op, const LcpLimits& limits, std::span<const double> d, std::span<const double> x) {
  double worst = 0, scale = 0;
  for (int i = 0; i < op.size(); ++i) {
    worst = worse(worst, natural_error(op.row(i), d[i], x[i], limits.at(i, x)));
    scale = std::max(scale, term_of_scale(op, limits, d[i], i));
    scale = std::max(scale, kRounding * d[i] * std::abs(x[i]));
  }
  return worst == 0 ? 0 : worst / scale;
}

/// The part of the residual's denominator that does not change with x.
template <LcpOperator Op> double residual_scale(const Op& op, const LcpLimits& limits, std::span<const double> d) {
  double scale = 0;
  for (int i = 0; i < op.size(); ++i) scale = std::max(scale, term_of_scale(op, limits, d[i], i));
  return scale;
}

/// How an iterative method ends: the residual at x, or a harmless x after an overflow.
template <LcpOperator Op>
void judge_iterate(Op& op, const LcpLimits& limits, std::span<const double> d, std::span<double> x, double tolerance,
                   LcpResult& result) {
  result.residual = natural_residual(op, limits, d, x);
  result.converged = result.residual <= tolerance;
  result.status = result.converged ? LcpStatus::solved : LcpStatus::iteration_limit;
  if (std::isfinite(result.residual)) return;
  std::fill(x.begin(), x.end(), 0.0);
  project(limits, x);
  op.restart();
  result.residual = natural_residual(op, limits, d, x);
  result.status = LcpStatus::diverged;
}

}  // namespace rigor
