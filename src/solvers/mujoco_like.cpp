// The convex problem of lcp/convex_problem.h with MuJoCo's soft parameters (Todorov, Erez, Tassa 2012; Todorov 2014; MuJoCo's documentation, "Computation"): a constraint with position r and velocity v
// shall accelerate as a damped spring,
//
//   a_ref = −b v − k r,    b = 2 / (d_max T),   k = d(r) / (d_max² T² ζ²)        solref: T time constant, ζ damping ratio
//   R = (1 − d)/d · w,     w = diag(J M⁻¹ Jᵀ),   d = impedance(|r|)              solimp: d_min, d_max, width, midpoint, power
//
// The force minimises ½ ‖a − a_0‖²_M + s(J a − a_ref). With v⁺ = v + h a and γ = h f this is the problem of sap.cpp, with the same R and
//
//   v̂ = v + h a_ref = (1 − h b) v − h k r
//
// v being the velocity at the start of the step. Physical parameters map to these: a load f moves a constraint by f / K with K = k d / ((1 − d) w), so a stiffness K in N/m is the impedance
//
//   d = 1 − 1 / (T² ζ² K w)        within [0.1, 0.9999]
//
// T is at least 2 h (`refsafe`). Friction has R_t = R_n / impratio and no position. What is apart may close its gap in the step. There is no restitution, and with ζ < 1 contacts ring.
// Friction that sticks creeps with R_t f / b: a hundredth of MuJoCo's default slip with the impratio here, 100 instead of 1.
#include <algorithm>
#include <cmath>

#include "constraints/row_math.h"
#include "registry/entry.h"
#include "solvers/convex_rows.h"

namespace rigor {

namespace {

using Index = std::size_t;

class MujocoLike final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("timeconst", time_constant_, {"s", kPositive, 100, "T of solref; at least two steps are used"});
    v.number("dampratio", damping_ratio_, {"1", kPositive, 100, "ζ of solref"});
    v.number("dmin", d_min_, {"1", 1e-4, 0.9999, "impedance of solimp where nothing is violated"});
    v.number("dmax", d_max_, {"1", 1e-4, 0.9999, "impedance beyond the width"});
    v.number("width", width_, {"m", kPositive, 10, "depth from which on the impedance is dmax"});
    v.number("midpoint", midpoint_, {"1", 0.01, 0.99, "of the sigmoid between them"});
    v.number("power", power_, {"1", 1, 100, "of the sigmoid"});
    v.number("impratio", friction_ratio_, {"1", 1e-3, 1e6, "R of normals over R of friction"});
    v.number("stiffness", stiffness_, {"N/m", 0, 1e15, "of contact points, mapped to the impedance; 0: by solimp"});
    v.integer("iterations", settings_.iterations, {"1", 1, 10000, "most iterations of an island"});
    v.number("tolerance", settings_.tolerance, {"1", 0, 1, "relative size of the gradient that counts as solved"});
    v.integer("rounds", settings_.rounds,
              {"1", 0, 1000, "most corrections by de Saxcé's term; MuJoCo has none, and what slides lifts off"});
  }

  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    start_ = c.bodies.u;  // bodies of infinite mass have their velocity in both
    for (int i = 0; i < c.bodies.awake; ++i)
      start_[Index(i)] = {c.state.velocity[Index(i)], c.state.angular_velocity[Index(i)]};
    const auto law = [&](const RowBlock& block, int row) { return target(c.rows, block, row, c.h()); };
    return rows_.solve(c, law, settings_);
  }

 private:
  double impedance(double r) const {
    const double x = std::min(std::abs(r) / width_, 1.0);
    const double y = x <= midpoint_ ? std::pow(x, power_) / std::pow(midpoint_, power_ - 1)
                                    : 1 - std::pow(1 - x, power_) / std::pow(1 - midpoint_, power_ - 1);
    return d_min_ + y * (d_max_ - d_min_);
  }

  /// T² ζ² with T as it is used.
  double squared_time(double h) const {
    const double T = std::max(time_constant_, 2 * h);
    return T * T * damping_ratio_ * damping_ratio_;
  }

  ConvexTarget target(const Rows& rows, const RowBlock& block, int row, double h) const {
    const Index i = Index(row);
    const double w = std::max(inverse_mass_of(rows, block, row), 1e-300);
    if (std::isfinite(rows.stiffness[i])) {
      const VelocityRow spring = velocity_row(rows, row, h, {});
      return {spring.wanted, std::max(spring.gamma, kLeast * w)};
    }
    const bool contact = block.source == RowBlock::Source::contact;
    const bool is_velocity =
        rows.kind[i] != RowKind::normal && rows.kind[i] != RowKind::limit && rows.kind[i] != RowKind::locked;
    const double r = is_velocity ? 0 : rows.C[i], bias = rows.bias[i];
    const double normal = contact ? rows.C[Index(block.begin)] : r;
    const double d = contact && stiffness_ > 0 ? std::clamp(1 - 1 / (squared_time(h) * stiffness_ * w), 0.1, 0.9999)
                                               : impedance(std::min(normal, 0.0));
    double R = (1 - d) / d * w;
    if (is_velocity) R = contact ? R / friction_ratio_ : kLeast * w;
    if (!contact && !is_velocity) R = std::max(kJoint * w, kLeast * w);
    if (rows.kind[i] == RowKind::motor) return {bias, R};
    if (is_inequality(rows.kind[i]) && r > 0) return {bias > 0 ? bias : -r / h, R};
    const double b = 2 / (d_max_ * std::max(time_constant_, 2 * h)), k = d / (d_max_ * d_max_ * squared_time(h));
    const double v = row_velocity(rows, row, block, start_) - bias;
    return {bias + (1 - h * b) * v - h * k * r, R};
  }

  /// Joints keep the spring of solref and have an impedance near one, or light links would come apart: R in parts of w.
  static constexpr double kJoint = 1e-6, kLeast = 1e-7;

  double time_constant_ = 0.02, damping_ratio_ = 1, d_min_ = 0.9, d_max_ = 0.95, width_ = 0.001, midpoint_ = 0.5,
         power_ = 2, friction_ratio_ = 100, stiffness_ = 0;
  ConvexSettings settings_{.is_continued = true};
  ConvexRows rows_;
  std::vector<BodyVelocity> start_;
};

}  // namespace

Entry register_mujoco_like() {
  return {Kind::solver,
          "mujoco-like",
          "the convex problem of sap with MuJoCo's soft parameters",
          "Todorov, Erez, Tassa 2012; Todorov 2014",
          {"level:velocity", "contact", "joint", "soft", "corrects-errors", "lacks:restitution", "lacks:mass-ratios",
           "lacks:error-reduction"},
          make_default<MujocoLike>,
          {}};
}

}  // namespace rigor
