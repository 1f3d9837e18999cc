#include "viewer/joint_anchor.h"

#include <algorithm>

#include "rigor/error.h"

namespace rigor::viewer {

namespace {

/// Moves the origin of a joint's frame by a vector of the world.
void shift(const World& world, BodyId body, Transform& frame, const Vec3& by) {
  frame.translation += rotate_inverse(world.orientation(body), by);
}

/// The gears that couple this joint with another one, in the order of creation.
std::vector<JointId> gears_of(const World& world, JointId id) {
  std::vector<JointId> list;
  for (const JointId other : world.joints()) {
    const auto* gear = std::get_if<GearJoint>(&world.joint(other).kind);
    if (gear && (gear->first == id || gear->second == id)) list.push_back(other);
  }
  return list;
}

/// Adds a joint in the slot that was freed last.
JointId put_back(World& world, const JointDef& def, bool broken) {
  const JointId id = world.add_joint(def);
  if (broken) world.set_joint_broken(id, true);
  return id;
}

}  // namespace

bool has_anchor(const JointDef& joint) {
  return std::holds_alternative<AxesJoint>(joint.kind) || std::holds_alternative<DistanceJoint>(joint.kind);
}

bool has_two_anchors(const JointDef& joint) { return std::holds_alternative<DistanceJoint>(joint.kind); }

JointDef with_anchor(const World& world, JointId id, JointEnd end, const Vec3& point) {
  JointDef def = world.joint(id);
  if (!has_anchor(def)) throw Error("joint '" + def.name + "'", "it has no anchor that could be moved");
  const Vec3 at_a = world.to_world(def.a, def.frame_a.translation);
  const Vec3 at_b = world.to_world(def.b, def.frame_b.translation);
  auto* rod = std::get_if<DistanceJoint>(&def.kind);
  if (!rod) {
    const Vec3 by = point - (end == JointEnd::a ? at_a : at_b);
    shift(world, def.a, def.frame_a, by);
    shift(world, def.b, def.frame_b, by);
    return def;
  }
  if (end == JointEnd::a)
    shift(world, def.a, def.frame_a, point - at_a);
  else
    shift(world, def.b, def.frame_b, point - at_b);
  if (std::isfinite(rod->stiffness)) return def;
  const double distance = length(end == JointEnd::a ? at_b - point : point - at_a);
  if (rod->lower == rod->upper)
    rod->lower = rod->upper = distance;
  else
    rod->upper = std::max(rod->upper, distance);
  rod->lower = std::min(rod->lower, distance);
  return def;
}

bool has_axis(const JointDef& joint) {
  const auto* kind = std::get_if<AxesJoint>(&joint.kind);
  if (!kind) return false;
  const auto is_locked = [&](std::size_t k) { return kind->axes[k].motion == AxisMotion::locked; };
  return is_locked(1) && is_locked(2) && is_locked(4) && is_locked(5) && !(is_locked(0) && is_locked(3));
}

Vec3 axis_of(const World& world, const JointDef& joint) {
  return rotate(world.orientation(joint.b), rotate(joint.frame_b.rotation, {1, 0, 0}));
}

JointDef with_axis(const World& world, JointId id, const Vec3& direction) {
  JointDef def = world.joint(id);
  if (!has_axis(def)) throw Error("joint '" + def.name + "'", "it has no single axis that could be turned");
  const Quat turn = quaternion_between(axis_of(world, def), normalized(direction));
  const auto turn_frame = [&](BodyId body, Transform& frame) {
    const Quat q = world.orientation(body);
    frame.rotation = normalized(conjugate(q) * (turn * (q * frame.rotation)));
  };
  turn_frame(def.a, def.frame_a);
  turn_frame(def.b, def.frame_b);
  return def;
}

namespace {

JointId replace_in(World& world, JointId id, const JointDef& def) {
  const std::vector<JointId> gears = gears_of(world, id);
  const bool broken = world.joint_state(id).broken;
  struct Gear {
    JointDef def;
    bool broken;
  };
  std::vector<Gear> coupled;
  for (const JointId gear : gears) {
    coupled.push_back({world.joint(gear), world.joint_state(gear).broken});
    world.remove_joint(gear);
  }
  world.remove_joint(id);
  // The slot that was freed last is used first, so each joint gets its own slot again.
  const JointId moved = put_back(world, def, broken);
  for (auto gear = coupled.rbegin(); gear != coupled.rend(); ++gear) {
    GearJoint& kind = std::get<GearJoint>(gear->def.kind);
    if (kind.first == id) kind.first = moved;
    if (kind.second == id) kind.second = moved;
    put_back(world, gear->def, gear->broken);
  }
  return moved;
}

}  // namespace

JointId replace_joint(World& world, JointId id, const JointDef& def) {
  check(def, "joint '" + def.name + "'");
  World trial = world;  // throws before anything is changed
  replace_in(trial, id, def);
  return replace_in(world, id, def);
}

}  // namespace rigor::viewer
