// Cottle–Dantzig principal pivoting for fixed limits, after Baraff 1994, section 4; the core of `dantzig`.
//
// Rows are taken in one after the other, and the conditions hold for all rows taken in so far at any time. A row is
//
//   lower, upper   x at a limit, w of the right sign
//   free           w = 0, x between the limits; L Lᵀ = A of the free rows
//   resting        w = 0, x between the limits, but not in L: it depends linearly on the free rows, or need not move yet
//
// To take in row i, x_i is driven towards w_i = 0 along the direction that keeps w of the free rows at zero,
// Δx_free = -A_free⁻¹ A_free,i Δx_i, up to the first row that blocks: x of a free row meets its limit, w of a row at its limit
// (or of a resting row) leaves zero, x_i meets its limit, or w_i = 0. The blocking row changes its set, and so on.
//
// Singular A: if row i depends on the free rows, its Schur complement s = A_ii - |L⁻¹ A_free,i|² vanishes and, A being positive
// semi-definite, the direction changes no w at all. It is followed until a limit stops it; if none does, w_i cannot be
// brought to zero and the rows contradict each other. A clearly negative s means that A is indefinite. Ties go to the lowest
// index, and the number of pivots is bounded, so it always ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lcp/lcp.h"
#include "lcp/updated_cholesky.h"
#include "lcp/work.h"

namespace rigor {

class BoxedDantzig {
 public:
  struct Problem {
    std::span<const double> A;  // scaled to a diagonal of ones and zeros
    std::span<const double> b, lo, hi;
    std::span<const int> order;  // in which rows are taken in
  };

  /// `x` is the first guess and the result. `pivots` is counted up to `limit`; each of them is paid for by `work`.
  LcpStatus solve(const Problem& problem, std::span<double> x, int limit, int& pivots, WorkLeft& work);

 private:
  enum class Place : std::uint8_t { waiting, lower, upper, free, resting, fixed };
  struct Block {
    int row = -1;
    double step = kUnbounded;
    bool by_limit = false;  // x of the row meets a limit; otherwise its w becomes zero
  };

  const double* row_of(int i) const { return p_.A.data() + static_cast<std::size_t>(i) * n_; }
  double size_of_terms() const;
  double cost_of_pivot() const;
  LcpStatus drive(int i);
  bool needs_no_drive(int i, double noise);
  void find_direction(int i, double sign);
  Block first_block(int i, double sign) const;
  void block_at_limits(int j, double dx, Block& block) const;
  void block_at_zero(int j, double noise, Block& block) const;
  void move(int i, double sign, double step);
  LcpStatus settle(int i, const Block& block);
  LcpStatus exchange(const Block& block);
  void leave_free(int j);
  double project_row(int j);
  void refine();

  static constexpr double kRank = 1e-11;  // Schur complement, of 1, below which a row counts as dependent
  // Below this A is indefinite. A pivot just above kRank may leave an error of 1e-16 / kRank, times n, in the next one.
  static constexpr double kIndefinite = -1e-3;

  Problem p_;
  std::span<double> x_;
  int n_ = 0, limit_ = 0, pivots_ = 0;
  WorkLeft* work_ = nullptr;
  UpdatedCholesky factor_;
  std::vector<int> free_;              // the rows of L in their order
  std::vector<Place> place_;           // n
  std::vector<std::uint8_t> ignored_;  // n: dependent rows found while driving one row
  std::vector<double> w_;              // n: valid for rows taken in and for the one being driven
  std::vector<double> dw_;             // n: change of w per unit of the step
  std::vector<double> dx_, l_;         // by position in `free_`: change of x, and L⁻¹ a of the row looked at last
  double schur_ = 0, largest_dx_ = 0;
};

}  // namespace rigor
