// SAP, semi-analytic primal: all constraints of an island at once as the minimum of a convex function of the velocities (Castro, Permenter, Han 2022, arXiv 2110.10107; Castro, Han,
// Masterjohn 2023, arXiv 2312.03908), with the function and Newton's method of lcp/convex_problem.h and lcp/convex_newton.h. Softness is physical:
//
//   contact      f_n = k (−gap − τ Ċ)₊            R_n = max(1 / (h (h + τ) k), β² w / 4π²),   v̂_n = −C / (h + τ)
//   friction     Coulomb's cone                    R_t = σ w,                                  v̂_t = running of the surface
//   joints       f = k_j (−C − τ_j Ċ)              R = max(1 / (h (h + τ_j) k_j), ρ w),        v̂ = bias − C / (h + τ_j)
//   springs      their own stiffness and damping   R = 1 / (h (h k + d)),                      v̂ = bias − k C / (h k + d)
//   motors, dry friction of joints                 R = ρ w,                                    v̂ = bias, |λ| ≤ h F
//
// w is the mean diagonal of J M⁻¹ Jᵀ over the contact's linear rows. β² w / 4π² is the near-rigid regime (section V.B there): a contact whose own period is below β h is as stiff as the
// step resolves. A gap may close within the step, v̂_n = −C/h. What rebounds by the law of restitution has R = ρ w and v̂_n = e s.
//
// Friction that sticks creeps with σ w λ_t; a load f on a near-rigid contact makes it as deep as (h + τ) β² w h f / 4π². Heaps fill the matrix: see block_cholesky.h.
#include "registry/entry.h"
#include "solvers/convex_rows.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

using Index = std::size_t;

class Sap final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("stiffness", stiffness_, {"N/m", kPositive, 1e15, "k of each contact point"});
    v.number("dissipation", dissipation_, {"s", 0, 10, "τ, time in which overlap that nothing loads decays to 1/e"});
    v.number("near_rigid", near_rigid_, {"1", kPositive, 10, "β, shortest period of a contact in steps"});
    v.number("creep", creep_, {"1", kPositive, 1, "σ, regularisation of friction in parts of the inverse mass"});
    v.number("joint_stiffness", joint_stiffness_, {"N/m", kPositive, 1e18, "of joints without one; also in N m/rad"});
    v.number("joint_dissipation", joint_dissipation_, {"s", 0, 10, "time in which their errors decay to 1/e"});
    v.number("max_speed", max_speed_, {"m/s", kPositive, 1e6, "largest speed at which overlap is pushed apart"});
    v.number("way_out", way_out_,
             {"s", 0, 10, "least time in which a sliding contact may leave its overlap; 0: a step"});
    v.integer("iterations", settings_.iterations, {"1", 1, 10000, "most Newton iterations of an island and round"});
    v.number("tolerance", settings_.tolerance, {"1", 0, 1, "relative size of the gradient that counts as solved"});
    v.integer(
        "rounds", settings_.rounds,
        {"1", 0, 1000,
         "maximum number of corrections by de Saxcé's term; 0: the convex law, under which sliding bodies hover"});
  }

  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    return rows_.solve(
        c, [&](const RowBlock& block, int row) { return target(c.rows, block, row, c.h()); }, settings_);
  }

 private:
  ConvexTarget target(const Rows& rows, const RowBlock& block, int row, double h) const {
    const Index i = Index(row);
    const double w = inverse_mass_of(rows, block, row), least = w > 0 ? kRigid * w : 1;
    if (std::isfinite(rows.stiffness[i])) {
      const VelocityRow spring = velocity_row(rows, row, h, {});
      return {spring.wanted, std::max(spring.gamma, least * 1e-3)};
    }
    const bool contact = block.source == RowBlock::Source::contact;
    switch (rows.kind[i]) {
      case RowKind::normal: return normal(rows, block, i, h, w, least);
      case RowKind::limit: {
        if (rows.C[i] > 0) return {rows.bias[i] > 0 ? rows.bias[i] : -rows.C[i] / h, joint_softness(h, least)};
        const double back = -rows.C[i] / (h + joint_dissipation_);
        return {std::max(rows.bias[i], back), joint_softness(h, least), std::max(back - rows.bias[i], 0.0)};
      }
      case RowKind::motor: return {rows.bias[i], least};
      case RowKind::friction:
      case RowKind::rolling:
      case RowKind::spinning: return {rows.bias[i], contact ? creep_ * w : least};
      default: {
        const double back = -rows.C[i] / (h + joint_dissipation_);
        return {rows.bias[i] + back, joint_softness(h, least), back};
      }
    }
  }

  ConvexTarget normal(const Rows& rows, const RowBlock& block, Index i, double h, double w, double least) const {
    const double near_rigid = near_rigid_ * near_rigid_ / (4 * kPi * kPi) * w;
    const double C = rows.C[i], bias = rows.bias[i];
    const double R = std::max({1 / (h * (h + dissipation_) * stiffness_), near_rigid, least});
    if (block.colliding && bias > 0) return {bias, least, bias};
    if (C > 0) return {bias > 0 ? bias : -C / h, R};
    const double back = std::max(bias, std::min(-C / (h + dissipation_), max_speed_));
    // What slides may come back to the surface within the step, and leave it no faster.
    const double to_surface = std::min(-C / std::max(h, way_out_), max_speed_);
    return {back, R, back, std::max(to_surface - back, 0.0)};
  }

  double joint_softness(double h, double least) const {
    return std::max(1 / (h * (h + joint_dissipation_) * joint_stiffness_), least);
  }

  /// ρ, in parts of the inverse mass: what is rigid. Chosen: impacts keep seven digits, and rounding of γ, |v| ε / R, stays below 1e-8 of the momentum.
  static constexpr double kRigid = 1e-7;

  double stiffness_ = 1e8, dissipation_ = 0.02, near_rigid_ = 0.02, creep_ = 1e-4;
  double joint_stiffness_ = 1e10, joint_dissipation_ = 0.02, max_speed_ = 3, way_out_ = 0;
  ConvexSettings settings_{.tolerance = 1e-6, .is_continued = true};
  ConvexRows rows_;
};

}  // namespace

Entry register_sap() {
  return {Kind::solver,
          "sap",
          "compliant contacts and joints as one convex minimisation over velocities, by Newton's method",
          "Castro, Permenter, Han 2022, arXiv 2110.10107; Castro, Han, Masterjohn 2023, arXiv 2312.03908",
          {"level:velocity", "collision", "contact", "joint", "soft", "corrects-errors", "lacks:mass-ratios",
           "lacks:extreme-bodies", "lacks:error-reduction"},
          make_default<Sap>,
          {},
          {kMeetsFirst}};
}

}  // namespace rigor
