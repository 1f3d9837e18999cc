#include "lab/torture/motion_watch.h"

#include <algorithm>
#include <cmath>

#include "lab/torture/rest_time.h"

namespace rigor {

namespace {

constexpr double kDrift = 1e-6;

/// True if momentum cannot change because there are no external forces.
bool is_closed(const World& world) {
  for (const ForceId id : world.forces()) {
    const ForceEffect* effect = world.force(id).effect.get();
    const auto* gravity = dynamic_cast<const Gravity*>(effect);
    const auto* drag = dynamic_cast<const Drag*>(effect);
    const bool is_idle = (gravity && gravity->acceleration == Vec3{}) || (drag && !drag->depends_on_velocity());
    if (!is_idle && !dynamic_cast<const Spring*>(effect)) return false;
  }
  for (const BodyId id : world.bodies())
    if (id != world.world_body() && world.is_fixed(id) && world.body_def(id).can_collide) return false;
  for (const JointId id : world.joints()) {
    const JointDef& def = world.joint(id);
    if (world.is_fixed(def.a) || world.is_fixed(def.b) || std::holds_alternative<GearJoint>(def.kind)) return false;
  }
  return true;
}

}  // namespace

MomentumWatch::MomentumWatch(const World& world, bool may_sleep)
    : acts_(is_closed(world)), may_sleep_(may_sleep), linear_(world.momentum()), angular_(world.angular_momentum()) {}

/// A body that was put to sleep, and that moved before.
bool MomentumWatch::has_fallen_asleep(const World& world) {
  const std::vector<BodyId> bodies = world.bodies();
  moved_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const bool moves = world.velocity(bodies[i]) != Vec3{} || world.angular_velocity(bodies[i]) != Vec3{};
    if (moved_[i] && !moves) return true;
    moved_[i] = moves;
  }
  return false;
}

void MomentumWatch::step_done(const World& world, double time, Judgement& judgement) {
  acts_ = acts_ && !(may_sleep_ && has_fallen_asleep(world));
  if (!acts_) return;
  double linear = 0, angular = 0;
  for (const BodyId id : world.bodies()) {
    if (world.is_fixed(id)) continue;
    linear += length(world.momentum(id));
    angular += length(cross(world.center_of_mass(id), world.momentum(id))) + length(world.angular_momentum(id));
  }
  linear_scale_ = std::max(linear_scale_, linear);
  angular_scale_ = std::max(angular_scale_, angular);
  const double off = length(world.momentum() - linear_), turned = length(world.angular_momentum() - angular_);
  const double p = off > 0 ? off / linear_scale_ : 0, l = turned > 0 ? turned / angular_scale_ : 0;
  judgement.momentum_drift = std::max({judgement.momentum_drift, p, l});
  if (p > kDrift) judgement.add({Verdict::momentum, "momentum", time, p, kDrift});
  if (l > kDrift) judgement.add({Verdict::momentum, "angular momentum", time, l, kDrift});
}

RestWatch::RestWatch(const Scene& scene, const std::vector<BodyId>& bodies, double g)
    : bodies_(bodies), squares_(bodies.size()), allowed_(0.1 + 0.25 * g * scene.time.step) {
  from_ = rest_time(scene) <= scene.duration ? scene.duration - 1 : kUnbounded;
}

void RestWatch::step_done(const World& world, double time) {
  if (time < from_) return;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const double r = world.body_def(bodies_[i]).shape->bounding_radius();
    const double v = length(world.velocity(bodies_[i])) + r * length(world.angular_velocity(bodies_[i]));
    squares_[i] += v * v;
  }
  ++looks_;
}

void RestWatch::finish(const World& world, double time, Judgement& judgement) const {
  if (looks_ == 0) return;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (const double v = std::sqrt(squares_[i] / looks_); v > allowed_)
      judgement.add({Verdict::restless, world.name(bodies_[i]), time, v, allowed_});
}

}  // namespace rigor
