#include "lcp/block_pivoting.h"

#include <limits>

#include "lcp/gauss_seidel.h"
#include "lcp/sparse_direct.h"

namespace rigor {

namespace {

constexpr int kPatience = 5;         // chosen; Júdice and Pires take up to 10
constexpr double kProximal = 1e-10;  // of A_ii: rows without γ may depend on others, see sparse_ldlt.cpp

}  // namespace

struct BlockPivoting::Factors {
  SparseDirect<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>> system;
};

BlockPivoting::BlockPivoting() : factors_(std::make_unique<Factors>()) {}
BlockPivoting::~BlockPivoting() = default;
BlockPivoting::BlockPivoting(BlockPivoting&&) noexcept = default;
BlockPivoting& BlockPivoting::operator=(BlockPivoting&&) noexcept = default;

int BlockPivoting::analyses() const { return factors_->system.analyses(); }

LcpResult BlockPivoting::solve(const LcpRows& rows, std::span<double> x, const Settings& settings) {
  LcpResult result;
  if (x.empty()) return result;
  project(rows.limits, x);
  RowsOperator op(rows, x, v_);
  row_scales(op, d_);
  lower_ = sparse_lower(rows);
  guess_places(rows.limits, op, x);
  make_passes(rows.limits, op, x, settings, result);
  op.restart();
  judge_iterate(op, rows.limits, d_, x, settings.tolerance, result);
  if (result.converged) return result;
  const LcpResult swept = gauss_seidel(op, rows.limits, x, 1, {settings.sweeps, settings.tolerance}, d_);
  const int iterations = result.iterations + swept.iterations;
  if (swept.residual < result.residual)
    result = swept;
  else
    std::copy(best_.begin(), best_.end(), x.begin());
  result.iterations = iterations;
  return result;
}

void BlockPivoting::guess_places(const LcpLimits& limits, const RowsOperator& op, std::span<const double> x) {
  place_.assign(x.size(), Place::free);
  for (int i = 0; i < limits.size(); ++i) {
    const auto [lo, hi] = limits.at(i, x);
    // Friction of a contact that carries nothing yet: taken to stick where the contact is taken to carry.
    if (limits.depends(i) && lo == hi && limits.factor[i] > 0) {
      place_[i] = place_[limits.dependency[i]] == Place::free ? Place::free : Place::lower;
      continue;
    }
    const double target = x[i] - op.row(i) / d_[i];
    place_[i] = target <= lo ? Place::lower : target >= hi ? Place::upper : Place::free;
  }
}

/// x becomes the best one met.
void BlockPivoting::make_passes(const LcpLimits& limits, RowsOperator& op, std::span<double> x,
                                const Settings& settings, LcpResult& result) {
  best_.assign(x.begin(), x.end());
  double best_residual = natural_residual(op, limits, d_, x);
  fewest_ = std::numeric_limits<std::size_t>::max(), patience_ = kPatience;
  bool moved = true, was_solved = false;
  while (result.iterations < settings.passes) {
    throw_if_interrupted();
    if (moved && !factorise()) break;
    ++result.iterations;
    solve_free_rows(limits, op, x);
    moved = move_rows(limits, op, x);
    project(limits, x);
    op.restart();
    const double residual = natural_residual(op, limits, d_, x);
    if (!std::isfinite(residual)) break;
    if (residual < best_residual || result.iterations == 1) {
      best_residual = residual;
      best_.assign(x.begin(), x.end());
    }
    // One more with the same rows takes away what the proximal term has left.
    const bool solved = residual <= settings.tolerance;
    if (solved && (was_solved || moved)) break;
    was_solved = solved;
  }
  std::copy(best_.begin(), best_.end(), x.begin());
}

/// A_FF in the pattern of A.
bool BlockPivoting::factorise() {
  SparseLower free = lower_;
  for (int j = 0; j < free.n; ++j)
    for (int at = free.column_begin[j]; at < free.column_begin[j + 1]; ++at)
      if (place_[j] != Place::free || place_[free.row[at]] != Place::free) free.value[at] = free.row[at] == j ? 1 : 0;
  ++factorisations_;
  return factors_->system.factorise(std::move(free), kProximal);
}

void BlockPivoting::solve_free_rows(const LcpLimits& limits, RowsOperator& op, std::span<double> x) {
  for (const bool dependent : {false, true})
    for (int i = 0; i < limits.size(); ++i) {
      if (place_[i] == Place::free || limits.depends(i) != dependent) continue;
      const auto [lo, hi] = limits.at(i, x);
      x[i] = place_[i] == Place::lower ? lo : hi;
    }
  op.restart();
  y_.resize(x.size());
  for (int i = 0; i < limits.size(); ++i) y_[i] = place_[i] == Place::free ? op.row(i) : 0;
  factors_->system.solve(y_);
  for (int i = 0; i < limits.size(); ++i)
    if (place_[i] == Place::free) x[i] -= y_[i];
  op.restart();
}

/// True when a row has changed its set.
bool BlockPivoting::move_rows(const LcpLimits& limits, const RowsOperator& op, std::span<const double> x) {
  moving_.clear();
  const auto wanted = [&](int i) {
    const auto [lo, hi] = limits.at(i, x);
    switch (place_[i]) {
      case Place::lower: return lo < hi && op.row(i) < 0 ? Place::free : Place::lower;
      case Place::upper: return lo < hi && op.row(i) > 0 ? Place::free : Place::upper;
      case Place::free: break;
    }
    return x[i] < lo ? Place::lower : x[i] > hi ? Place::upper : Place::free;
  };
  for (int i = 0; i < limits.size(); ++i)
    if (wanted(i) != place_[i]) moving_.push_back(i);
  if (moving_.empty()) return false;
  if (moving_.size() < fewest_)
    fewest_ = moving_.size(), patience_ = kPatience;
  else if (--patience_ < 0)
    moving_.erase(moving_.begin(), moving_.end() - 1);
  for (const int i : moving_) place_[i] = wanted(i);
  return true;
}

}  // namespace rigor
