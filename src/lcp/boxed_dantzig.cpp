#include "lcp/boxed_dantzig.h"

#include <algorithm>
#include <cmath>

namespace rigor {

LcpStatus BoxedDantzig::solve(const Problem& problem, std::span<double> x, int limit, int& pivots, WorkLeft& work) {
  p_ = problem;
  x_ = x;
  n_ = static_cast<int>(x.size());
  limit_ = limit;
  work_ = &work;
  pivots_ = pivots;
  factor_.reset(n_);
  free_.clear();
  place_.assign(n_, Place::waiting);
  w_.assign(n_, 0.0);
  dw_.assign(n_, 0.0);
  dx_.resize(n_);
  l_.resize(n_);
  for (int i = 0; i < n_; ++i) x_[i] = std::clamp(x_[i], p_.lo[i], p_.hi[i]);
  LcpStatus status = LcpStatus::solved;
  for (const int i : p_.order) {
    const LcpStatus s = drive(i);
    if (s != LcpStatus::solved) status = s;
    const bool ends =
        s == LcpStatus::not_positive_definite || s == LcpStatus::iteration_limit || s == LcpStatus::work_limit;
    if (ends) break;
  }
  refine();
  pivots = pivots_;
  return status;
}

/// What rounding in w is relative to.
double BoxedDantzig::size_of_terms() const {
  double size = 0;
  for (int i = 0; i < n_; ++i) size = std::max({size, std::abs(p_.b[i]), std::abs(x_[i])});
  return size;
}

LcpStatus BoxedDantzig::drive(int i) {
  w_[i] = p_.b[i] + dot_product(row_of(i), x_.data(), n_);
  const double size = size_of_terms();
  if (needs_no_drive(i, 1e-13 * size)) return LcpStatus::solved;
  const double sign = w_[i] < 0 ? 1 : -1;
  ignored_.assign(n_, 0);
  while (pivots_ < limit_) {
    if (!work_->spend(cost_of_pivot())) return LcpStatus::work_limit;
    ++pivots_;
    find_direction(i, sign);
    if (schur_ < kIndefinite) return LcpStatus::not_positive_definite;
    const Block block = first_block(i, sign);
    if (block.row < 0) {
      place_[i] = Place::resting;
      return std::abs(w_[i]) > 1e-10 * size ? LcpStatus::inconsistent : LcpStatus::solved;
    }
    move(i, sign, block.step);
    if (block.row == i) return settle(i, block);
    if (exchange(block) != LcpStatus::solved) return LcpStatus::not_positive_definite;
  }
  return LcpStatus::iteration_limit;
}

/// Three triangular solves at most, and Δw.
double BoxedDantzig::cost_of_pivot() const {
  const double k = factor_.size();
  return 1.5 * k * k + k * n_;
}

/// The row fulfils its condition where it is.
bool BoxedDantzig::needs_no_drive(int i, double noise) {
  const bool zero = std::abs(w_[i]) <= noise;
  if (p_.lo[i] == p_.hi[i])
    place_[i] = Place::fixed;
  else if (x_[i] == p_.lo[i] && (zero || w_[i] > 0))
    place_[i] = Place::lower;
  else if (x_[i] == p_.hi[i] && (zero || w_[i] < 0))
    place_[i] = Place::upper;
  else if (zero)
    place_[i] = Place::resting;
  return place_[i] != Place::waiting;
}

/// l_ ← L⁻¹ A_free,j; returns the Schur complement of row j.
double BoxedDantzig::project_row(int j) {
  const double* a = row_of(j);
  const int k = factor_.size();
  for (int q = 0; q < k; ++q) l_[q] = a[free_[q]];
  factor_.forward(l_);
  return a[j] - dot_product(l_.data(), l_.data(), k);
}

/// dx_, dw_ for a unit step of x_i in the direction `sign`.
void BoxedDantzig::find_direction(int i, double sign) {
  schur_ = project_row(i);
  const int k = factor_.size();
  for (int q = 0; q < k; ++q) dx_[q] = -sign * l_[q];
  factor_.backward(dx_);
  largest_dx_ = 1;
  for (int q = 0; q < k; ++q) largest_dx_ = std::max(largest_dx_, std::abs(dx_[q]));
  const bool dependent = schur_ <= kRank;
  for (int j = 0; j < n_; ++j) {
    dw_[j] = 0;
    if (dependent || place_[j] == Place::free || place_[j] == Place::fixed) continue;
    if (place_[j] == Place::waiting && j != i) continue;
    const double* a = row_of(j);
    double sum = sign * a[i];
    for (int q = 0; q < k; ++q) sum += a[free_[q]] * dx_[q];
    dw_[j] = sum;
  }
  dw_[i] = dependent ? 0 : sign * schur_;
}

BoxedDantzig::Block BoxedDantzig::first_block(int i, double sign) const {
  Block block;
  if (dw_[i] != 0) block = {i, std::abs(w_[i] / dw_[i]), false};
  block_at_limits(i, sign, block);
  for (int q = 0; q < factor_.size(); ++q) block_at_limits(free_[q], dx_[q], block);
  // Below this a change of w is rounding in the products above.
  const double noise = 1e-13 * largest_dx_;
  for (int j = 0; j < n_; ++j)
    if (j != i && ignored_[j] == 0) block_at_zero(j, noise, block);
  return block;
}

void BoxedDantzig::block_at_limits(int j, double dx, Block& block) const {
  if (std::abs(dx) <= 1e-14 * largest_dx_) return;
  const double room = dx > 0 ? p_.hi[j] - x_[j] : x_[j] - p_.lo[j];
  const double step = std::max(0.0, room / std::abs(dx));
  if (step < block.step) block = {j, step, true};
}

void BoxedDantzig::block_at_zero(int j, double noise, Block& block) const {
  const double dw = dw_[j];
  if (std::abs(dw) <= noise) return;
  double step = kUnbounded;
  if (place_[j] == Place::resting) step = 0;
  if (place_[j] == Place::lower && dw < 0) step = std::max(0.0, w_[j] / -dw);
  if (place_[j] == Place::upper && dw > 0) step = std::max(0.0, -w_[j] / dw);
  if (step < block.step) block = {j, step, false};
}

void BoxedDantzig::move(int i, double sign, double step) {
  if (step == 0) return;
  x_[i] += sign * step;
  for (int q = 0; q < factor_.size(); ++q) x_[free_[q]] += step * dx_[q];
  for (int j = 0; j < n_; ++j) w_[j] += step * dw_[j];
}

/// Row i, just driven, comes to its place.
LcpStatus BoxedDantzig::settle(int i, const Block& block) {
  if (!block.by_limit) {
    w_[i] = 0;
    factor_.append(l_, schur_);
    free_.push_back(i);
    place_[i] = Place::free;
    return LcpStatus::solved;
  }
  const bool upper = w_[i] < 0;
  x_[i] = upper ? p_.hi[i] : p_.lo[i];
  place_[i] = upper ? Place::upper : Place::lower;
  return LcpStatus::solved;
}

/// The blocking row j ≠ i changes its set.
LcpStatus BoxedDantzig::exchange(const Block& block) {
  const int j = block.row;
  if (block.by_limit) {
    leave_free(j);
    return LcpStatus::solved;
  }
  const double s = project_row(j);
  if (s < kIndefinite) return LcpStatus::not_positive_definite;
  w_[j] = 0;
  if (s <= kRank) {
    // It depends on the free rows, whose w does not change: neither does its own, beyond rounding.
    ignored_[j] = 1;
    return LcpStatus::solved;
  }
  factor_.append(l_, s);
  free_.push_back(j);
  place_[j] = Place::free;
  return LcpStatus::solved;
}

void BoxedDantzig::leave_free(int j) {
  const int q = static_cast<int>(std::find(free_.begin(), free_.end(), j) - free_.begin());
  const bool upper = dx_[q] > 0;
  factor_.remove(q);
  free_.erase(free_.begin() + q);
  x_[j] = upper ? p_.hi[j] : p_.lo[j];
  place_[j] = upper ? Place::upper : Place::lower;
  w_[j] = 0;
}

/// Removes from the free rows the rounding of many small moves: x_free ← x_free - A_free⁻¹ w_free, within the limits.
void BoxedDantzig::refine() {
  const int k = factor_.size();
  for (int q = 0; q < k; ++q) l_[q] = p_.b[free_[q]] + dot_product(row_of(free_[q]), x_.data(), n_);
  factor_.forward(l_);
  factor_.backward(l_);
  for (int q = 0; q < k; ++q) {
    const int j = free_[q];
    x_[j] = std::clamp(x_[j] - l_[q], p_.lo[j], p_.hi[j]);
  }
}

}  // namespace rigor
