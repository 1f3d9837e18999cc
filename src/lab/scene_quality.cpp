#include "lab/scene_quality.h"

#include <algorithm>
#include <cmath>

#include "lab/metrics.h"
#include "world/joint_gap.h"

namespace rigor {

namespace {

/// Springs are soft by design.
bool holds_points_together(const JointDef& def) {
  if (!def.active) return false;
  if (const auto* axes = std::get_if<AxesJoint>(&def.kind)) return std::isinf(axes->stiffness);
  const auto* rod = std::get_if<DistanceJoint>(&def.kind);
  return rod && std::isinf(rod->stiffness);
}

Vec3 gravity_of(const World& world) {
  if (!world.contains(world.gravity())) return {};
  const auto* gravity = dynamic_cast<const Gravity*>(world.force(world.gravity()).effect.get());
  return gravity ? gravity->acceleration : Vec3{};
}

bool has_more_than_gravity_and_drag(const World& world) {
  for (const ForceId id : world.forces()) {
    const ForceDef& force = world.force(id);
    if (force.active && id != world.gravity() && !dynamic_cast<const Drag*>(force.effect.get())) return true;
  }
  return false;
}

}  // namespace

std::vector<BodyId> moving_bodies(const World& world) {
  std::vector<BodyId> ids = world.bodies();
  std::erase_if(ids, [&](BodyId id) { return world.is_fixed(id) || !world.is_active(id); });
  return ids;
}

SceneQuality::SceneQuality(const Scene& scene)
    : world_(scene.world),
      bodies_(moving_bodies(world_)),
      gravity_(gravity_of(world_)),
      has_more_forces_(has_more_than_gravity_and_drag(world_)),
      step_(scene.time.step) {
  if (length(gravity_) > 0) up_ = -normalized(gravity_);
  for (const BodyId id : bodies_) start_.push_back(world_.center_of_mass(id));
  for (const BodyId id : world_.bodies()) fastest_ = std::max(fastest_, length(world_.velocity(id)));
  for (const JointId id : world_.joints())
    if (holds_points_together(world_.joint(id))) joints_.push_back(id);
}

bool SceneQuality::is_sane(std::span<const BodyPose> poses) const {
  const double thrown = fastest_ * time_ + 0.5 * length(gravity_) * time_ * time_;
  const double farthest = 1000 + 100 * thrown;  // m; chosen: light bodies thrown by heavy ones stay far below
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!is_finite(poses[i].position) || !is_finite(poses[i].orientation)) return false;
    if (!has_more_forces_ && length(poses[i].position - start_[i]) > farthest) return false;
  }
  return true;
}

bool SceneQuality::step_done(std::span<const BodyPose> poses) {
  time_ += step_;
  sane_ = sane_ && is_sane(poses);
  if (!sane_) return false;
  for (std::size_t i = 0; i < bodies_.size(); ++i) world_.set_pose(bodies_[i], poses[i].position, poses[i].orientation);
  for (const JointId id : joints_) joint_error_ = std::max(joint_error_, length(joint_gap(world_, world_.joint(id))));
  return true;
}

void SceneQuality::write(SceneBenchRow& row) const {
  row.bodies = bodies_.size();
  row.joint_error = joint_error_;
  if (!sane_) return;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Vec3 moved = world_.center_of_mass(bodies_[i]) - start_[i];
    row.drift = std::max(row.drift, length(moved - dot(moved, up_) * up_));
  }
  Simulation measure(world_, Method{});
  measure.find_contacts();
  const ContactSummary summary = summarize(measure.contacts());
  row.penetration = summary.max_depth, row.mean_penetration = summary.mean_depth;
}

}  // namespace rigor
