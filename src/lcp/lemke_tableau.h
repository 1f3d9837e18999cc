// Lemke's algorithm for the standard problem w = M z + q, w >= 0, z >= 0, wᵀz = 0 (Cottle, Pang, Stone 1992, 4.4).
//
// An artificial variable z0 with a positive covering vector d makes z = 0 feasible: w = q + M z + d z0. z0 enters for the most
// negative row; from then on the complement of whatever has left the basis enters, until z0 leaves (solved) or nothing
// blocks (a ray: no solution was found, and there is none if M is copositive-plus, as it is for contact with friction).
//
// Degenerate ties are broken lexicographically, as if q_k were increased by ε^k: no basis comes twice, so it ends. The
// dictionary holds the basic variables as functions of the m + 1 others; the column of ε^k is the negated column of w_k where
// w_k is not basic and a unit vector where it is. Cost per pivot m², about m to 2 m pivots.
#pragma once

#include <span>
#include <vector>

#include "lcp/lcp.h"
#include "lcp/work.h"

namespace rigor {

class LemkeTableau {
 public:
  /// `cover` is d > 0. `z` receives the solution; `pivots` is counted up to `limit`, each of them is paid for by `work`.
  LcpStatus solve(std::span<const double> M, std::span<const double> q, std::span<const double> cover, int limit,
                  int& pivots, WorkLeft& work, std::span<double> z);

 private:
  double& at(int r, int c) { return t_[static_cast<std::size_t>(r) * (m_ + 2) + c]; }
  double at(int r, int c) const { return t_[static_cast<std::size_t>(r) * (m_ + 2) + c]; }
  double constant(int r) const { return at(r, m_ + 1); }
  int complement(int variable) const { return variable < m_ ? variable + m_ : variable - m_; }
  void fill(std::span<const double> M, std::span<const double> q, std::span<const double> cover);
  bool lexicographically_less(int r, double scale_r, int s, double scale_s) const;
  double perturbation(int r, int k) const;
  int first_row() const;
  int blocking_row(int column) const;
  void pivot(int row, int column);

  // Variables: w_k is k, z_k is m + k, z0 is 2 m.
  int m_ = 0;
  std::vector<double> t_;      // m × (m + 2): coefficients of the nonbasic variables, last the constant
  std::vector<int> basic_;     // by row
  std::vector<int> nonbasic_;  // by column
  std::vector<int> place_;     // of a variable: its column if nonbasic, -1 - row if basic
};

}  // namespace rigor
