// Block principal pivoting on a sparse factorisation, for the problem of lcp.h in factors, A = J W Jᵀ + diag(γ), γ > 0.
//
// Every row is free (w_i = 0) or at one of its limits. One pass solves the free rows at once, those at limits being known,
//
//   x_F ← x_F − A_FF⁻¹ (A x + b)_F
//
// and moves all rows whose conditions fail to the other set (Júdice, Pires 1994). When that does not lessen their number, only
// the last of them moves (Murty 1974), which ends for positive definite A. Limits of friction, ∓ factor x_j, follow x from pass
// to pass: the fixed point of Panagiotopoulos 1975. If they do not settle, projected Gauss–Seidel goes on from the best x.
//
// A_FF is A with the rows and columns of limits replaced by those of the identity, so that its pattern is that of A whatever is
// free: the symbolic factorisation is reused in all passes, and in all steps while the same rows act on the same bodies. Cost: one
// numeric factorisation per pass that moved a row, 3 to 10 from a good first guess; rows that redundancy leaves undetermined
// need their γ.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lcp/lcp.h"
#include "lcp/sparse_matrix.h"

namespace rigor {

class RowsOperator;

class BlockPivoting {
 public:
  struct Settings {
    int passes = 30;          // most of them
    int sweeps = 100;         // of Gauss–Seidel, where the passes did not do
    double tolerance = 1e-9;  // relative residual that counts as solved
  };

  BlockPivoting();
  ~BlockPivoting();
  BlockPivoting(BlockPivoting&&) noexcept;
  BlockPivoting& operator=(BlockPivoting&&) noexcept;

  /// `x` is the first guess, from which the sets are read, and the result, within its limits.
  LcpResult solve(const LcpRows& rows, std::span<double> x, const Settings& settings);
  /// Symbolic and numeric factorisations made so far.
  int analyses() const;
  int factorisations() const { return factorisations_; }

 private:
  enum class Place : std::uint8_t { free, lower, upper };
  struct Factors;

  void guess_places(const LcpLimits& limits, const RowsOperator& op, std::span<const double> x);
  void make_passes(const LcpLimits& limits, RowsOperator& op, std::span<double> x, const Settings& settings,
                   LcpResult& result);
  bool factorise();
  void solve_free_rows(const LcpLimits& limits, RowsOperator& op, std::span<double> x);
  bool move_rows(const LcpLimits& limits, const RowsOperator& op, std::span<const double> x);

  std::unique_ptr<Factors> factors_;
  int factorisations_ = 0;
  SparseLower lower_;              // of A
  std::vector<Place> place_;       // by row
  std::vector<int> moving_;        // rows whose conditions fail
  std::size_t fewest_ = 0;         // of them so far
  int patience_ = 0;               // passes that may have more
  std::vector<double> d_, v_, y_;  // scales of rows; scratch of the operator; right-hand side
  std::vector<double> best_;       // x of the least residual
};

}  // namespace rigor
