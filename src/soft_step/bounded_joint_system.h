// The impulses of all joints of one island at once, within their bounds. Find Δλ and x with
//
//   M x − Jᵀ Δλ = 0
//   J x + Γ Δλ = r        of rows inside their bounds, lo < λ + Δλ < hi; at lo the left side may be larger, at hi smaller
//
// a mixed linear complementarity problem, solved by an active set: rows at a bound act as known impulses, the others
// are equations of one linear system (tree_system.h, with loops row_system.h). Rows that left their bounds go to them,
// and rows at a bound that pull the wrong way are freed, all of them in one pass (Júdice and Pires 1994). When that no
// longer lowers the number of failing rows, only the last of them changes (Murty 1974), which ends for positive
// definite systems. The factors of the last two sets of equations are cached, because correction and relaxation take
// turns.
//
// Cost: a factorisation for every pass that changes the set, one pass in most sub-steps. It fails, and reports it, if
// contradicting rows make the active set cycle.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "soft_step/row_system.h"

namespace rigor {

/// The state of a row's multiplier; `out`: the row takes no part, and its multiplier does not change.
enum class RowPlace : std::uint8_t { inside, lo, hi, out };

/// The rows of an island, joint by joint.
struct BoundedRows {
  std::vector<Jacobian> J;
  std::vector<double> r;               // m/s or rad/s, what the solve has to add to J u + γ λ
  std::vector<double> gamma;           // 1/kg or 1/(kg m²)
  std::vector<double> lo, hi, lambda;  // N s or N m s
  std::vector<RowPlace> place;         // the first guess, and the result

  std::size_t size() const { return r.size(); }
  void resize(std::size_t n) {
    J.resize(n), place.resize(n);
    for (std::vector<double>* x : {&r, &gamma, &lo, &hi, &lambda}) x->assign(n, 0);
  }
  bool is_bounded(std::size_t i) const { return std::isfinite(lo[i]) || std::isfinite(hi[i]); }
};

class BoundedJointSystem {
 public:
  /// Discards the cached factors; call it when J or masses have changed since the last solve.
  void forget() {
    for (Factors& factors : factors_) factors.is_valid = false;
  }
  /// Writes `delta` = Δλ by row and x by body; the caller updates λ. False if no active set was found: `culprit()` is then a row that
  /// fails, and Δλ belongs to the best set.
  bool solve(BoundedRows& rows, std::span<const TreeEdge> joints, std::span<const BodyMass> masses,
             std::span<BodyVelocity> x);
  std::span<const double> delta() const { return delta_; }
  std::size_t culprit() const { return culprit_; }

 private:
  void select(const BoundedRows& rows, std::span<const TreeEdge> joints, std::span<const BodyMass> masses);
  void solve_selected(const BoundedRows& rows, std::span<const TreeEdge> joints, std::span<const BodyMass> masses,
                      std::span<BodyVelocity> x);
  double find_failing(const BoundedRows& rows, std::span<const TreeEdge> joints, std::span<const BodyVelocity> x);
  void push_known(const BoundedRows& rows, std::span<const TreeEdge> joints);
  void take_best(BoundedRows& rows);

  struct Failing {
    std::size_t row;
    RowPlace next;
  };
  /// One set of equations and its factorisation.
  struct Factors {
    std::vector<std::size_t> row;  // by equation: its row in BoundedRows
    std::vector<TreeEdge> edges;
    std::vector<double> gamma;  // by equation
    TreeSystem tree;
    RowSystem loops;
    bool has_graph = false;  // the members above belong to the present joints
    bool has_loops = false;
    bool is_valid = false;  // J, γ and masses are those that were factorised
  };
  void find_graph(const BoundedRows& rows, std::span<const TreeEdge> joints, std::size_t bodies);

  void take_joints(std::span<const TreeEdge> joints);

  std::vector<TreeEdge> joints_;  // the joints that factors_ belong to
  std::array<Factors, 2> factors_;
  std::size_t now_ = 0;  // index in factors_ of the set in use
  std::size_t culprit_ = 0;
  std::vector<std::size_t> next_row_;
  std::vector<Jacobian> J_;         // by equation
  std::vector<double> r_, lambda_;  // by equation
  std::vector<double> delta_;       // by row
  std::vector<BodyVelocity> f_;
  std::vector<Failing> failing_, best_failing_;
  std::vector<RowPlace> best_;
};

}  // namespace rigor
