// Velocity-less Verlet steps with projection (Jakobsen 2001; Garstenauer 2006, 6.1), rigid bodies included.
//
//   x(t + h) = 2 x(t) − x(t − h) + a(t) h²          (6.1), the same for orientations
//
// then all constraints by repeated projection: correcting a position also corrects the velocity, since
// that is (x(t) − x(t − h)) / h. The state holds this quotient instead of x(t − h); there is no other velocity.
// For a bounce x(t − h) is moved, too.
//
// Jakobsen's rigid bodies are four particles or more at fixed distances. Here a body has six coordinates and a
// mass matrix, which is the limit of those particles for infinitely many sweeps.
//
// Springs and servos are forces, each taken at the end of the step by itself (implicit Euler of one row).
//
// Cost: rows × iterations. Few iterations make joints and stacks soft in proportion to h² / iterations. It dissipates like implicit
// Euler.
#include <algorithm>
#include <cmath>

#include "registry/entry.h"
#include "stepping/continuous.h"
#include "stepping/pose_projection.h"

namespace rigor {

namespace {

class JakobsenStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("iterations", iterations_, {"1", 1, 1000, "sweeps over all blocks"});
    v.number("tolerance", tolerance_, {"m", 0, 1, "stops when no block moves a body by more (angles: rad)"});
    v.number("max_push", max_push_, {"m/s", kPositive, 1e6, "largest speed at which initial errors are corrected"});
  }

  void step(StepContext& c, double h) override {
    pose_.begin_step(c, h, 1, max_push_);
    const ContinuousCollision fast_bodies(c.world);
    push_springs(c, h);
    projection_.begin(c.constraints.rows());
    pose_.move_freely(c);
    fast_bodies.stop_at_obstacles(
        c.world, h,
        c.contact_envelope);  // projection along old normals is valid for short distances only
    projection_.solve(c, pose_, iterations_, tolerance_);
    Rows& rows = c.constraints.rows();
    for (std::size_t r = 0; r < springs_.size(); ++r) rows.lambda[r] += springs_[r];
    pose_.sum_impulses(rows);
    fast_bodies.stop_at_obstacles(c.world, h, c.contact_envelope);
    pose_.end_step(c);
  }

 private:
  /// Impulses of all rows with a finite stiffness.
  void push_springs(StepContext& c, double h) {
    Rows& rows = c.constraints.rows();
    std::vector<BodyVelocity>& u = c.constraints.bodies().u;
    springs_.assign(static_cast<std::size_t>(rows.size()), 0.0);
    // They act together with the external forces, which the motion adds later.
    const std::vector<BodyVelocity> outside = velocity_changes(c, h);
    for (std::size_t i = 0; i < outside.size(); ++i) {
      u[i].v += outside[i].v;
      u[i].w += outside[i].w;
    }
    for (const RowBlock& block : rows.blocks)
      for (int i = block.begin; i < block.end; ++i) {
        const auto r = static_cast<std::size_t>(i);
        if (!std::isfinite(rows.stiffness[r]) || !(rows.diagonal[r] > 0)) continue;
        const VelocityRow row = velocity_row(rows, i, h, {});
        const ImpulseBounds bounds = impulse_bounds(rows, i, h);
        const double missing = row.wanted - row_velocity(rows, i, block, u);
        springs_[r] = std::clamp(missing / (rows.diagonal[r] + row.gamma), bounds.lo, bounds.hi);
        apply_row(rows, i, block, springs_[r], u);
      }
    for (std::size_t i = 0; i < outside.size(); ++i) {
      u[i].v -= outside[i].v;
      u[i].w -= outside[i].w;
    }
    c.constraints.apply_velocities();
  }

  /// Uses the forces in the arrays.
  static std::vector<BodyVelocity> velocity_changes(StepContext& c, double h) {
    const BodyState& s = c.world.state();
    std::vector<BodyVelocity> changes(s.awake());
    for (std::uint32_t i = 0; i < s.awake(); ++i)
      changes[i] = {(h * s.inverse_mass[i]) * s.force[i], h * (c.constraints.bodies().mass[i].angular * s.torque[i])};
    return changes;
  }

  int iterations_ = 20;
  double tolerance_ = 1e-12, max_push_ = 3;

  std::vector<double> springs_;  // N s by row
  PoseRows pose_;
  PoseProjection projection_;
};

}  // namespace

Entry register_jakobsen_step() {
  return {Kind::stepping,
          "jakobsen",
          "Verlet without velocities; constraints by projecting positions",
          "Jakobsen 2001; Garstenauer 2006, 6.1",
          {"solves-constraints", "level:position", "order-dependent", "lacks:mass-ratios", "lacks:error-reduction"},
          make_default<JakobsenStep>,
          {},
          {"springs and servos one by one, as forces: coupled stiff ones are weaker than they should be",
           "angular momentum and the order of contacts only to the accuracy of the sweeps"}};
}

}  // namespace rigor
