// Joints of a world: added, changed, removed, measured. Their ids are looked up in world.cpp.
#include <algorithm>
#include <cmath>

#include "constraints/gear_bodies.h"
#include "constraints/joint_rows.h"
#include "constraints/row_math.h"
#include "rigor/world.h"
#include "state/callback_scope.h"
#include "world/body_checks.h"

namespace rigor {

namespace {

/// Describes a joint by its name or, without one, by its bodies.
std::string place_of(const World& world, const JointDef& def) {
  if (!def.name.empty() || !world.contains(def.a) || !world.contains(def.b)) return "joint " + quoted(def.name);
  return "joint of " + quoted(world.name(def.a)) + " and " + quoted(world.name(def.b));
}

}  // namespace

JointId World::add_joint(JointDef def) {
  CallbackScope::refuse_change(*this);
  const std::string place = place_of(*this, def);
  if (!contains(def.a)) throw Error(place + ".a", "there is no body with this id");
  if (!contains(def.b)) throw Error(place + ".b", "there is no body with this id");
  if (def.a == def.b) throw Error(place, "it connects a body with itself");
  if (joint_names_.contains(def.name)) throw Error(place, "there is already a joint of that name");
  if (def.name.empty()) {
    std::uint64_t n = next_serial_;
    while (joint_names_.contains(def.name = "joint" + std::to_string(n))) ++n;
  }
  check(def, place);
  if (std::holds_alternative<GearJoint>(def.kind)) check_gear(def, place);
  def.frame_a.rotation = unit(def.frame_a.rotation, place + ".frame_a");
  def.frame_b.rotation = unit(def.frame_b.rotation, place + ".frame_b");

  std::uint32_t index = static_cast<std::uint32_t>(joints_.size());
  Joint joint;
  if (!free_joints_.empty()) {
    index = free_joints_.back();
    free_joints_.pop_back();
    joint.generation = joints_[index].generation;
  } else {
    joints_.emplace_back();
    joint.generation = first_generation_;
  }
  joint.def = std::move(def);
  joint.state = initial_joint_state(joint.def);
  joint.serial = next_serial_++;
  joint.alive = true;
  joint_names_[joint.def.name] = index;
  count_joined_pair(joint, 1);
  joints_[index] = std::move(joint);
  wake_bodies_of(joints_[index]);
  definitions_changed();
  labels_changed();
  return {index, joints_[index].generation};
}

void World::count_joined_pair(const Joint& joint, int change) {
  if (joint.def.collide || !joint.def.active || joint.state.broken) return;
  if (std::holds_alternative<GearJoint>(joint.def.kind)) return;  // meshing wheels collide as other bodies do
  const std::uint32_t a = joint.def.a.index, b = joint.def.b.index;
  if (joined_with_.size() <= std::max(a, b)) joined_with_.resize(std::max(a, b) + 1);
  std::vector<JoinedBody>&of_a = joined_with_[a], &of_b = joined_with_[b];
  const auto with = [](std::uint32_t other) { return [other](const JoinedBody& j) { return j.index == other; }; };
  const auto in_a = std::find_if(of_a.begin(), of_a.end(), with(b)),
             in_b = std::find_if(of_b.begin(), of_b.end(), with(a));
  if (in_a != of_a.end()) {
    if ((in_a->joints += change) == 0) of_a.erase(in_a);
  } else if (in_b != of_b.end()) {
    if ((in_b->joints += change) == 0) of_b.erase(in_b);
  } else if (of_a.size() <= of_b.size()) {
    of_a.push_back({b, change});
  } else {
    of_b.push_back({a, change});
  }
}

void World::wake_bodies_of(const Joint& joint) {
  wake(joint.def.a);
  wake(joint.def.b);
}

void World::remove_joint(JointId id) {
  Joint& joint = joint_entry(id);
  wake_bodies_of(joint);
  count_joined_pair(joint, -1);
  joint_names_.erase(joint.def.name);
  const std::uint32_t generation = joint.generation + 1;
  joint = Joint{};
  joint.generation = generation;
  free_joints_.push_back(id.index);
  definitions_changed();
  for (const JointId other : joints()) {
    const GearJoint* gear = std::get_if<GearJoint>(&this->joint(other).kind);
    if (gear && (gear->first == id || gear->second == id)) remove_joint(other);
  }
}

void World::remove_joints_of(BodyId id) {
  for (const JointId j : joints())
    if (contains(j) && (joint(j).a == id || joint(j).b == id)) remove_joint(j);
}

void World::set_joint(JointId id, JointKind kind) {
  JointDef changed = joint_entry(id).def;
  const std::string place = place_of(*this, changed);
  const ExtensionJoint *given = std::get_if<ExtensionJoint>(&kind), *old = std::get_if<ExtensionJoint>(&changed.kind);
  if (kind.index() != changed.kind.index() || (given && given->type != old->type))
    throw Error(place, "its kind (six axes, distance, path or gear) cannot be changed; add another joint instead");
  changed.kind = std::move(kind);
  check(changed, place);
  Joint& joint = joint_entry(id);
  if (std::holds_alternative<GearJoint>(changed.kind)) {
    check_gear(changed, place);
    joint.state.gear_angle = initial_joint_state(changed).gear_angle;
  }
  joint.def = std::move(changed);
  definitions_changed();
  wake_bodies_of(joint);
}

JointState World::initial_joint_state(const JointDef& def) const {
  JointState state;
  if (const GearJoint* gear = std::get_if<GearJoint>(&def.kind))
    state.gear_angle = {joint_position(gear->first, gear->first_axis), joint_position(gear->second, gear->second_axis)};
  return state;
}

void World::set_joint_strength(JointId id, double break_force, double break_torque) {
  JointDef changed = joint_entry(id).def;
  changed.break_force = break_force;
  changed.break_torque = break_torque;
  check(changed, "joint '" + changed.name.substr(0, 60) + "'");
  Joint& joint = joint_entry(id);
  joint.def = std::move(changed);
  definitions_changed();
  wake_bodies_of(joint);
}

void World::set_joint_active(JointId id, bool active) {
  Joint& joint = joint_entry(id);
  count_joined_pair(joint, -1);
  joint.def.active = active;
  definitions_changed();
  wake_bodies_of(joint);
  count_joined_pair(joint, 1);
}

void World::set_joint_broken(JointId id, bool broken) {
  Joint& joint = joint_entry(id);
  count_joined_pair(joint, -1);
  joint.state.broken = broken;
  wake_bodies_of(joint);
  joint.state.lambda = {};
  joint.state.force = joint.state.torque = {};
  count_joined_pair(joint, 1);
}

Transform World::frame_in_body(BodyId id, const Transform& frame) const {
  return inverse(Transform{position(id), orientation(id)}) * frame;
}

// ---- coordinates --------------------------------------------------------------------------------------------------

namespace {

JointCoordinate coordinate_of(const World& world, JointId id, int axis) {
  const AxesJoint* kind = std::get_if<AxesJoint>(&world.joint(id).kind);
  if (!kind) throw Error("joint '" + world.joint(id).name + "'", "it has no coordinates");
  if (axis < 0 || axis > 5) throw Error("axis", "expected a number from 0 to 5");
  return joint_coordinate(*kind, joint_pose(step_joint(world, id, world.joint(id), nullptr), world.state()), axis);
}

}  // namespace

double World::joint_position(JointId id, int axis) const { return coordinate_of(*this, id, axis).value; }

double World::joint_velocity(JointId id, int axis) const {
  return speed_along(coordinate_of(*this, id, axis).J, state_, slot(joint(id).a), slot(joint(id).b));
}

void World::add_joint_force(JointId id, int axis, double force) {
  if (!std::isfinite(force)) throw Error("joint '" + joint(id).name + "'.force", "expected a finite number");
  const JointCoordinate at = coordinate_of(*this, id, axis);
  const auto part = [&](std::size_t k) { return force * Vec3{at.J[k], at.J[k + 1], at.J[k + 2]}; };
  const auto add = [&](BodyId body, std::size_t k) {
    if (is_fixed(body)) return;
    const std::uint32_t i = slot(body);
    set_user_force(body, state_.user_force[i] + part(k), state_.user_torque[i] + part(k + 3));
  };
  add(joint(id).a, 0);
  add(joint(id).b, 6);
}

void World::check_gear(JointDef& def, const std::string& place) const {
  GearJoint& gear = std::get<GearJoint>(def.kind);
  const auto check_joint = [&](JointId id, int axis, const char* which) {
    if (!contains(id)) throw Error(place + "." + which, "there is no such joint");
    const AxesJoint* axes = std::get_if<AxesJoint>(&joint(id).kind);
    if (!axes) throw Error(place + "." + which, "expected a joint of six axes, such as a hinge or a slider");
    if (axes->axes[static_cast<std::size_t>(axis)].motion == AxisMotion::locked)
      throw Error(place + "." + which + "_axis", "axis " + std::to_string(axis) + " of that joint is locked");
  };
  check_joint(gear.first, gear.first_axis, "first");
  check_joint(gear.second, gear.second_axis, "second");
  if (gear.first == gear.second && gear.first_axis == gear.second_axis)
    throw Error(place, "it couples a coordinate with itself");
  const auto [a, b] = gear_bodies(*this, {gear.first, gear.first_axis}, {gear.second, gear.second_axis});
  if (!b)
    throw Error(
        place,
        "a gear acts on two bodies: at most two bodies of its joints may move, or three if both joints have one "
        "free axis, share a body and their axes are apart");
  if (def.a != a || def.b != b) throw Error(place, "its bodies have to be those that its two joints move");
  gear.offset =
      joint_position(gear.first, gear.first_axis) + gear.ratio * joint_position(gear.second, gear.second_axis);
}

}  // namespace rigor
