// Extended position-based dynamics of rigid bodies (Müller, Macklin, Chentanez, Jeschke, Kim 2020).
//
// Contacts are found once; then `count` times with the small step η = h / count:
//
//   x̃, ũ                free motion under the external forces
//   Δλ = −(C + α̃ λ) / (J M⁻¹ Jᵀ + α̃),  Δx = M⁻¹ Jᵀ Δλ     block after block, in two sweeps by default   (2)–(9)
//   u = ũ + (x − x̃) / η
//   contacts that push separate at e · (speed of approach), or not at all                                  (34)
//
// A spring of stiffness k (N/m) and damping d (N s/m) has, with implicit Euler, −λ = η² k C + η d (C − C₀), so that
//
//   α̃ = 1 / (η² k + η d),    the residual: −((1 − s) C + s (C − C₀) + α̃ λ)  with s = α̃ η d
//
// where C − C₀ = J D. The stiffness does not depend on step or iterations. Friction, static and kinetic, is a position
// constraint within Coulomb's disk here; the paper has kinetic friction as a change of velocity.
//
// Cost: rows × count × iterations. It dissipates like implicit Euler with step η. Momentum is conserved, angular momentum to first order in η.
#include <cmath>

#include "registry/entry.h"
#include "stepping/continuous.h"
#include "stepping/max_step.h"
#include "stepping/pose_projection.h"

namespace rigor {

namespace {

class XpbdStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("count", count_, {"1", 1, 1000, "sub-steps"});
    v.integer("iterations", iterations_, {"1", 1, 1000, "sweeps over all blocks in each sub-step"});
    v.number("tolerance", tolerance_, {"m", 0, 1, "stops when no block moves a body by more (angles: rad)"});
    v.number("max_push", max_push_, {"m/s", kPositive, 1e6, "largest speed at which initial errors are corrected"});
    max_step_.fields(v);
  }

  void step(StepContext& c, double h) override {
    const int parts = max_step_.parts(h);
    for (int i = 0; i < parts; ++i) take_part(c, h, parts);
  }

 private:
  /// Contact points are found once for `count` sub-steps.
  void take_part(StepContext& c, double h, int parts) {
    const double start = c.time;
    pose_.begin_step(c, h, count_, max_push_, 1, parts);
    const ContinuousCollision fast_bodies(c.world);
    soften(c.constraints.rows());
    for (int k = 0; k < count_; ++k) {
      c.time = start + pose_.eta() * k;
      pose_.move_freely(c);
      projection_.solve(c, pose_, iterations_, tolerance_);
      pose_.sum_impulses(c.constraints.rows());
    }
    c.time = start + h / parts;
    fast_bodies.stop_at_obstacles(c.world, h / parts, c.contact_envelope, c.time);
    pose_.end_step(c);
  }

  void soften(const Rows& rows) {
    const double eta = pose_.eta();
    projection_.begin(rows);
    for (std::size_t r = 0; r < projection_.softness().size(); ++r) {
      const double k = rows.stiffness[r], d = rows.damping[r];
      if (!std::isfinite(k)) continue;
      const double compliance = 1 / (eta * eta * k + eta * d);
      projection_.softness()[r] = {compliance, compliance * eta * d, true};
    }
  }

  int count_ = 20, iterations_ = 2;  // with one sweep, stacks creep by a centimetre per second and more
  double tolerance_ = 1e-12, max_push_ = 3;

  MaxStepField max_step_;
  PoseRows pose_;
  PoseProjection projection_;
};

}  // namespace

Entry register_xpbd_step() {
  return {Kind::stepping,
          "xpbd",
          "sub-steps that move bodies until constraints hold, springs as compliance",
          "Müller, Macklin, Chentanez, Jeschke, Kim 2020",
          {"solves-constraints", "level:position", "order-dependent", "lacks:mass-ratios", "lacks:error-reduction"},
          make_default<XpbdStep>,
          {},
          {"angular momentum and the order of contacts only to the accuracy of the sweeps"}};
}

}  // namespace rigor
