#include "lcp/lemke_tableau.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {
// Chosen for data scaled to the order of 1: below this an entry is what rounding has left of a zero.
constexpr double kZero = 1e-10;
}  // namespace

LcpStatus LemkeTableau::solve(std::span<const double> M, std::span<const double> q, std::span<const double> cover,
                              int limit, int& pivots, WorkLeft& work, std::span<double> z) {
  std::fill(z.begin(), z.end(), 0.0);
  m_ = static_cast<int>(q.size());
  if (std::all_of(q.begin(), q.end(), [](double v) { return v >= 0; })) return LcpStatus::solved;
  fill(M, q, cover);
  int row = first_row(), column = m_;
  LcpStatus status = LcpStatus::iteration_limit;
  while (pivots < limit) {
    if (!work.spend(static_cast<double>(m_) * m_)) {
      status = LcpStatus::work_limit;
      break;
    }
    const int leaving = basic_[row];
    pivot(row, column);
    ++pivots;
    if (leaving == 2 * m_) {
      status = LcpStatus::solved;
      break;
    }
    column = place_[complement(leaving)];
    row = blocking_row(column);
    if (row < 0) {
      status = LcpStatus::no_path;
      break;
    }
  }
  for (int r = 0; r < m_; ++r)
    if (basic_[r] >= m_ && basic_[r] < 2 * m_) z[basic_[r] - m_] = std::max(0.0, constant(r));
  return status;
}

void LemkeTableau::fill(std::span<const double> M, std::span<const double> q, std::span<const double> cover) {
  t_.resize(static_cast<std::size_t>(m_) * (m_ + 2));
  basic_.resize(m_);
  nonbasic_.resize(m_ + 1);
  place_.resize(2 * m_ + 1);
  for (int r = 0; r < m_; ++r) {
    std::copy_n(M.begin() + static_cast<std::ptrdiff_t>(r) * m_, m_, &at(r, 0));
    at(r, m_) = cover[r];
    at(r, m_ + 1) = q[r];
    basic_[r] = r;
    nonbasic_[r] = m_ + r;
    place_[r] = -1 - r;
    place_[m_ + r] = r;
  }
  nonbasic_[m_] = 2 * m_;
  place_[2 * m_] = m_;
}

/// The coefficient of ε^k in the basic variable of row r.
double LemkeTableau::perturbation(int r, int k) const {
  const int place = place_[k];
  if (place >= 0) return -at(r, place);
  return -1 - place == r ? 1 : 0;
}

/// Compares (constant, perturbations) of two rows, each times its scale.
bool LemkeTableau::lexicographically_less(int r, double scale_r, int s, double scale_s) const {
  const auto compare = [](double a, double b) {
    const double size = std::max({1.0, std::abs(a), std::abs(b)});
    return a < b - 1e-12 * size ? -1 : a > b + 1e-12 * size ? 1 : 0;
  };
  if (const int c = compare(constant(r) * scale_r, constant(s) * scale_s); c != 0) return c < 0;
  for (int k = 0; k < m_; ++k)
    if (const int c = compare(perturbation(r, k) * scale_r, perturbation(s, k) * scale_s); c != 0) return c < 0;
  return false;
}

int LemkeTableau::first_row() const {
  int best = 0;
  for (int r = 1; r < m_; ++r)
    if (lexicographically_less(r, 1 / at(r, m_), best, 1 / at(best, m_))) best = r;
  return best;
}

/// The row whose basic variable becomes zero first as that of `column` grows; z0 where it is among the first.
int LemkeTableau::blocking_row(int column) const {
  int best = -1;
  for (int r = 0; r < m_; ++r) {
    if (at(r, column) >= -kZero) continue;
    if (best < 0 || lexicographically_less(r, -1 / at(r, column), best, -1 / at(best, column))) best = r;
  }
  if (best < 0 || place_[2 * m_] >= 0) return best;
  const int r0 = -1 - place_[2 * m_];
  if (at(r0, column) >= -kZero) return best;
  const double theta = constant(best) / -at(best, column), theta0 = constant(r0) / -at(r0, column);
  return theta0 <= theta + 1e-12 * std::max(1.0, std::abs(theta)) ? r0 : best;
}

void LemkeTableau::pivot(int row, int column) {
  const int width = m_ + 2;
  double* pivot_row = &at(row, 0);
  const double inverse = 1 / pivot_row[column];
  for (int c = 0; c < width; ++c) pivot_row[c] *= -inverse;
  pivot_row[column] = inverse;
  for (int r = 0; r < m_; ++r) {
    double* other = &at(r, 0);
    const double factor = other[column];
    if (r == row || factor == 0) continue;
    for (int c = 0; c < width; ++c) other[c] += factor * pivot_row[c];
    other[column] = factor * inverse;
  }
  std::swap(basic_[row], nonbasic_[column]);
  place_[basic_[row]] = -1 - row;
  place_[nonbasic_[column]] = column;
}

}  // namespace rigor
