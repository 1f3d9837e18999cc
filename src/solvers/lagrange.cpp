// Lagrange multipliers: the forces that keep all equations of all joints, found at once (4.61–4.72; Witkin 1997, Baraff 1996).
//
//   J M⁻¹ Jᵀ λ = −(J u̇_free + c − w),   c = J̇ u,   w = −2α Ċ − β² C
//
// by any linear or LCP solver of lcp/; sparse ones make use of chains and trees. The forces are found anew at every
// evaluation of the integrator, so the method has the integrator's order: with rk4 it is of order four. Redundant equations
// share their force in any way that the linear solver finds. Cost: one factorisation per evaluation.
//
// Joints are kept from where they are at accelerations only: an error of velocity decays with 2α, an impact is none of its
// business. Limits, motors with a bound and dry friction are inequalities: `force-lcp` has them.
#include "registry/entry.h"
#include "solvers/acceleration_rows.h"
#include "solvers/bias_acceleration.h"
#include "solvers/lcp_field.h"

namespace rigor {

namespace {

class Lagrange final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    stabilisation_.fields(v);
    lcp_.fields(v, LcpNeeds::equations);
  }

  SolverLevel level() const override { return SolverLevel::force; }
  bool stops_impacts() const override { return false; }

  SolverReport solve(SolverContext& c) override {
    free_accelerations(c, acceleration_);
    apply_springs(c, acceleration_);
    const bool complete = collect_equations(c);
    if (equations_.empty()) return {0, 0, true, complete ? "" : kIgnored, false};
    assemble(c);
    const LcpRows problem{J_, JW_, first_, second_, {}, b_, {lo_, hi_, {}, {}}, c.bodies.awake};
    const LcpResult result = lcp_.solver().solve_rows(problem, x_);
    converged_ = result.converged;
    for (std::size_t k = 0; k < equations_.size(); ++k)
      c.rows.lambda[static_cast<std::size_t>(equations_[k].row)] = c.h() * x_[k];
    return {result.iterations, result.residual, result.converged,
            complete ? result.converged ? "" : to_string(result.status).data() : kIgnored, false};
  }

 private:
  static constexpr const char* kIgnored =
      "'lagrange' keeps equations only: limits, bounded motors and friction of joints have no effect; 'force-lcp' has "
      "them";

  struct Equation {
    int row, block;
  };

  /// False when there are rows that this method leaves alone.
  bool collect_equations(SolverContext& c) {
    equations_.clear();
    bool complete = true;
    for (const int b : c.blocks) {
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      for (int i = block.begin; i < block.end; ++i) {
        if (is_soft(c.rows, i)) continue;
        if (is_unbounded(c.rows, i))
          equations_.push_back({i, b});
        else
          c.rows.lambda[static_cast<std::size_t>(i)] = 0, complete = false;
      }
    }
    return complete;
  }

  void assemble(SolverContext& c) {
    const std::size_t n = equations_.size();
    J_.resize(n), JW_.resize(n), first_.resize(n), second_.resize(n), b_.resize(n), x_.resize(n);
    lo_.assign(n, -kUnbounded), hi_.assign(n, kUnbounded);
    c_.resize(static_cast<std::size_t>(c.rows.size()));
    for (const int b : c.blocks) bias_acceleration(c, b, c_);
    for (std::size_t k = 0; k < n; ++k) {
      const int i = equations_[k].row;
      const auto r = static_cast<std::size_t>(i);
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(equations_[k].block)];
      J_[k] = c.rows.J[r], JW_[k] = c.rows.JW[r];
      first_[k] = block.a < c.bodies.awake ? block.a : -1, second_[k] = block.b < c.bodies.awake ? block.b : -1;
      const double wanted =
          wanted_acceleration(c.rows, i, row_velocity(c.rows, i, block, c.bodies.u), c.h(), stabilisation_);
      b_[k] = row_velocity(c.rows, i, block, acceleration_) + c_[r] - wanted;
      x_[k] = converged_ ? c.rows.lambda[r] / c.h() : 0;  // contradicting rows: no guess that grows from step to step
    }
  }

  Stabilisation stabilisation_;
  LcpField lcp_{"ldlt"};

  bool converged_ = true;  // the last one
  std::vector<BodyVelocity> acceleration_;
  std::vector<Equation> equations_;
  std::vector<double> c_;  // by row
  std::vector<Jacobian> J_, JW_;
  std::vector<int> first_, second_;
  std::vector<double> b_, x_, lo_, hi_;
};

}  // namespace

Entry register_lagrange() {
  return {Kind::solver,
          "lagrange",
          "joint forces by Lagrange multipliers, at the order of the integrator",
          "Witkin 1997; Baraff 1996; Garstenauer 2006, 4.6.2",
          {"level:force", "joint", "soft"},
          make_default<Lagrange>,
          {},
          {"limits of joints have no effect", "motors with a bound on their force have no effect",
           "dry friction of joints has no effect"}};
}

}  // namespace rigor
