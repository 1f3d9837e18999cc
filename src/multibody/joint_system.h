// The linear system of all joints, loops included: a forest in linear time, and the joints that close loops on top of it.
//
//   together   λ_l of the loops' rows from their Schur complement, (J_l A⁻¹ J_lᵀ + Γ_l) λ_l = r_l − J_l x_t with A the forest's
//              system: the auxiliary constraints of Baraff 1996. Exact; one solve of the forest per row of a loop. Rows that
//              depend on others (a redundant loop) are found by pivoting and get λ = 0.
//   apart      the forest alone, then the loops' joints alone, (J_l M⁻¹ J_lᵀ + Γ_l) λ_l = r_l − J_l x_t: one iteration of Bender and
//              Schmitt's common iteration (2006, 4.6), which the caller repeats.
#pragma once

#include "lcp/pivoted_ldlt.h"
#include "multibody/tree_system.h"

namespace rigor {

enum class LoopMethod : std::uint8_t { together, apart };

class JointSystem {
 public:
  /// Smallest pivot of loops relative to that of the row without the forest: smaller ones are rounding.
  static constexpr double kDependent = 1e-10;

  /// Rows of loops with a relative pivot below `dependent` count as dependent on others.
  void factorise(int bodies, std::span<const TreeEdge> edges, std::span<const BodyMass> masses,
                 std::span<const Jacobian> J, std::span<const double> gamma, LoopMethod loops,
                 double dependent = kDependent);
  /// See TreeSystem; writes every λ, and x of every body (f = 0 and no joint: zero).
  void solve(std::span<const double> r, std::span<const BodyVelocity> f, std::span<double> lambda,
             std::span<BodyVelocity> x);
  /// Calls f(row) for the rows of loops that depend on other rows: their λ is zero, and their r may remain.
  template <class F> void for_each_dependent(F f) const {
    if (loop_rows_.empty()) return;
    for (const int k : ldlt_.dependent()) f(loop_rows_[static_cast<std::size_t>(k)].row);
  }

 private:
  struct LoopRow {
    int row, a, b;
  };
  void collect_loops();
  void factorise_loops(double dependent);
  void fill_column(std::size_t column);
  double own_diagonal(const LoopRow& row) const;
  double velocity(const LoopRow& row, std::span<const BodyVelocity> x) const;
  void push(const LoopRow& row, double lambda, std::span<BodyVelocity> f) const;

  TreeSystem tree_;
  LoopMethod method_ = LoopMethod::together;
  std::vector<BodyMass> masses_;
  std::vector<Jacobian> J_;
  std::vector<double> gamma_;
  // Loops only.
  std::vector<LoopRow> loop_rows_;
  PivotedLdlt ldlt_;
  std::vector<double> S_, scale_, loop_lambda_;
  std::vector<double> no_r_, lambda_;
  std::vector<BodyVelocity> f_, x_;
};

}  // namespace rigor
