// Lagrange multipliers in linear time (Baraff 1996): the same equations as `lagrange`, factorised along the joint graph.
//
//   [ M  −Jᵀ ] [ u̇ ]   [ 0 ]
//   [ J   0  ] [ λ ] = [ r ]        tree_system.h; joints that close loops are auxiliary constraints, joint_system.h
//
// Cost: proportional to the number of joints without loops, for any tree; m rows in loops take m solves
// more. Agrees with `lagrange` to rounding where the forces are unique; redundant loops share their force in another way.
#include <algorithm>
#include <cmath>

#include "constraints/row_math.h"
#include "multibody/joint_system.h"
#include "registry/entry.h"
#include "solvers/lagrange_equations.h"

namespace rigor {

namespace {

class LinearLagrange final : public Solver {
 public:
  void fields(FieldVisitor& v) override { stabilisation_.fields(v); }

  SolverLevel level() const override { return SolverLevel::force; }
  bool stops_impacts() const override { return false; }

  SolverReport solve(SolverContext& c) override {
    SolverReport report;
    if (!equations_.collect(c, stabilisation_, report)) return report;
    assemble(c);
    body_masses(c.state, masses_);
    // Near a singular position, rows that hardly move anything get no force, unless their equation then fails: see lagrange.cpp.
    if (!solve_with(c, kRank)) solve_with(c, JointSystem::kDependent);
    equations_.store(c, lambda_);
    report.iterations = 1;
    return report;
  }

 private:
  static constexpr double kRank = 1e-7, kSingular = 0.01;

  /// True if the accelerations satisfy the rows.
  bool solve_with(const SolverContext& c, double dependent) {
    system_.factorise(c.bodies.awake, edges_, masses_, J_, gamma_, LoopMethod::together, dependent);
    system_.solve(equations_.r, {}, lambda_, x_);
    double wanted = 0, missing = 0;
    for (const TreeEdge& edge : edges_)
      for (int k = edge.begin; k < edge.end; ++k) {
        const auto i = static_cast<std::size_t>(k);
        const auto along = [&](int body, int at) {
          if (body < 0) return 0.0;
          const BodyVelocity& x = x_[static_cast<std::size_t>(body)];
          return dot(part(J_[i], at), x.v) + dot(part(J_[i], at + 3), x.w);
        };
        wanted = std::max(wanted, std::abs(equations_.r[i]));
        missing = std::max(missing, std::abs(equations_.r[i] - along(edge.a, 0) - along(edge.b, 6)));
      }
    return missing <= kSingular * wanted;
  }

  void assemble(const SolverContext& c) {
    const std::size_t n = equations_.list.size();
    J_.resize(n);
    gamma_.assign(n, 0);
    lambda_.resize(n);
    x_.resize(static_cast<std::size_t>(c.bodies.awake));
    edges_.clear();
    const auto moving = [&](int place) { return place < c.bodies.awake ? place : -1; };
    for (std::size_t k = 0; k < n; ++k) {
      const LagrangeEquations::Equation& e = equations_.list[k];
      J_[k] = c.rows.J[static_cast<std::size_t>(e.row)];
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(e.block)];
      const int at = static_cast<int>(k);
      if (k == 0 || equations_.list[k - 1].block != e.block)
        edges_.push_back({moving(block.a), moving(block.b), at, at});
      edges_.back().end = at + 1;
    }
  }

  Stabilisation stabilisation_;
  LagrangeEquations equations_;
  JointSystem system_;
  std::vector<TreeEdge> edges_;
  std::vector<BodyMass> masses_;
  std::vector<Jacobian> J_;
  std::vector<double> gamma_, lambda_;
  std::vector<BodyVelocity> x_;
};

}  // namespace

Entry register_linear_lagrange() {
  return {
      Kind::solver,
      "linear-lagrange",
      "as lagrange, in linear time along the joint graph; loops by auxiliary constraints",
      "Baraff 1996",
      {"level:force", "joint", "soft", "lacks:limits", "lacks:motors", "lacks:joint-friction", "lacks:error-reduction"},
      make_default<LinearLagrange>,
      {},
      lagrange_limitations()};
}

}  // namespace rigor
