#include "constraints/constraint_list.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>

#include "constraints/joint_rows.h"
#include "math/prefetch.h"
#include "rigor/world.h"

namespace rigor {

namespace {

constexpr std::size_t kContactsPerTask = 256, kFewContacts = 2048;  // below it one thread does all
constexpr std::size_t kAhead = 16;                                  // contacts that are prefetched; chosen

void fetch(const Contact& c) { prefetch(&c), prefetch(&c.count); }

bool touches_awake(const BodyState& s, std::uint32_t a, std::uint32_t b) { return a < s.awake() || b < s.awake(); }
bool is_present(const BodyState& s, std::uint32_t slot) { return slot < s.end(BodySet::still); }

/// Most shape frames are principal frames.
Transform in_frame(const Transform& shape, const Transform& joint) {
  return shape == Transform{} ? joint : shape * joint;
}

bool has_integral(const AxesJoint& kind) {
  return std::any_of(kind.axes.begin(), kind.axes.end(), [](const JointAxis& a) {
    return a.motor.kind == AxisMotor::Kind::servo && a.motor.integral != 0;
  });
}

/// True if update_joint_memories() has something to do.
bool remembers(const JointDef& def) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  return axes ? has_integral(*axes) : std::holds_alternative<GearJoint>(def.kind);
}

int index_of(const std::vector<StepJoint>& joints, JointId id) {
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (joints[i].id == id) return static_cast<int>(i);
  return -1;
}

}  // namespace

StepJoint step_joint(const World& world, JointId id, const JointDef& def, JointState* memory) {
  const std::uint32_t a = world.slot(def.a), b = world.slot(def.b);
  return {
      id, &def, memory, a, b, in_frame(world.shape_frame(a), def.frame_a), in_frame(world.shape_frame(b), def.frame_b)};
}

void ConstraintList::collect(World& world, ContactList& found, const ThreadPool* threads) {
  const BodyState& s = world.state();
  if (!holds(world)) collect_active(world);
  geometry.clear();
  thread_local std::vector<std::uint32_t> slot_of;  // by id index; dense, unlike the bodies themselves
  slot_of.resize(world.id_capacity());
  for (std::uint32_t i = 0; i < s.size(); ++i) slot_of[s.id_index[i]] = i;
  contacts.resize(found.size());
  std::atomic<bool> all_count = true;
  const auto fill = [&, slots = std::span<const std::uint32_t>(slot_of)](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      if (k + kAhead < end) fetch(found[k + kAhead]);
      Contact& c = found[k];
      const std::uint64_t pair = std::uint64_t{c.a.index} << 32 | c.b.index;
      contacts[k] = {&c, slots[c.a.index], slots[c.b.index], -1, c.count, pair};
      if (c.disabled || !touches_awake(s, contacts[k].slot_a, contacts[k].slot_b))
        all_count.store(false, std::memory_order_relaxed);
    }
  };
  threads ? threads->for_range(found.size(), kContactsPerTask, fill, kFewContacts) : fill(0, found.size());
  has_all_contacts = all_count;
  if (!has_all_contacts)
    std::erase_if(contacts,
                  [&](const StepContact& c) { return c.contact->disabled || !touches_awake(s, c.slot_a, c.slot_b); });
}

/// True if the joints of the last call are still those of the world.
bool ConstraintList::holds(const World& world) const {
  const BodyState& s = world.state();
  if (version_ == 0 || source_.definitions != world.definitions_version()) return false;
  if (source_.set_end != s.set_end || source_.id_index != s.id_index) return false;
  if (source_.def && (!world.contains(source_.id) || &world.joint(source_.id) != source_.def)) return false;
  return std::none_of(joints.begin(), joints.end(), [](const StepJoint& j) { return j.memory->broken; }) &&
         std::all_of(source_.broken.begin(), source_.broken.end(), [](const JointState* j) { return j->broken; });
}

void ConstraintList::collect_active(World& world) {
  static std::atomic<std::uint64_t> versions{0};
  const BodyState& s = world.state();
  version_ = ++versions;
  source_.definitions = world.definitions_version();
  source_.id_index = s.id_index, source_.set_end = s.set_end;
  source_.def = nullptr, source_.broken.clear();
  joints.clear(), remembering.clear(), breakable.clear();
  world.for_each_joint([&](JointId id, const JointDef& def, JointState& memory) {
    if (!source_.def) source_.id = id, source_.def = &def;
    if (memory.broken) source_.broken.push_back(&memory);
    if (!def.active || memory.broken) return;
    const StepJoint joint = step_joint(world, id, def, &memory);
    const std::uint32_t a = joint.slot_a, b = joint.slot_b;
    if (touches_awake(s, a, b) && is_present(s, a) && is_present(s, b)) add_joint(joint);
  });
  link_gears();
}

void ConstraintList::add_joint(const StepJoint& joint) {
  const auto index = static_cast<std::uint32_t>(joints.size());
  if (remembers(*joint.def)) remembering.push_back(index);
  if (std::isfinite(joint.def->break_force) || std::isfinite(joint.def->break_torque)) breakable.push_back(index);
  joints.push_back(joint);
}

void ConstraintList::describe_surfaces(const World& world) {
  const BodyState& s = world.state();
  for (StepContact& sc : contacts) {
    const Contact& c = *sc.contact;
    sc.geometry = static_cast<int>(geometry.size());
    const auto feature = [&](std::uint32_t slot, std::uint32_t part, const Vec3& p, const Vec3& outward) {
      return surface_feature(*world.collision_shape(slot), world.shape_frame(slot), part, p,
                             rotate_inverse(s.orientation[slot], outward));
    };
    for (int i = 0; i < c.count; ++i) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      geometry.push_back(
          {feature(sc.slot_a, c.part_a, p.local_a, c.normal), feature(sc.slot_b, c.part_b, p.local_b, -c.normal)});
    }
  }
}

void ConstraintList::collect_joints(const World& world, std::vector<JointState>& memories) {
  clear(), memories.clear();
  memories.reserve(world.joint_count());
  for (const JointId id : world.joints()) {
    const JointDef& def = world.joint(id);
    if (!def.active || world.joint_state(id).broken) continue;
    memories.push_back(world.joint_state(id));
    const StepJoint joint = step_joint(world, id, def, &memories.back());
    if (is_present(world.state(), joint.slot_a) && is_present(world.state(), joint.slot_b)) joints.push_back(joint);
  }
  link_gears();
}

void ConstraintList::link_gears() {
  for (StepJoint& j : joints)
    if (const GearJoint* gear = std::get_if<GearJoint>(&j.def->kind))
      j.first = index_of(joints, gear->first), j.second = index_of(joints, gear->second);
}

namespace {

void integrate_servo(const AxesJoint& kind, const StepJoint& joint, const JointPose& pose, int axis, double h) {
  const AxisMotor& motor = kind.axes[static_cast<std::size_t>(axis)].motor;
  if (motor.kind != AxisMotor::Kind::servo || motor.integral == 0) return;
  double error = joint_coordinate(kind, pose, axis).value - motor.target;
  if (axis >= 3) error = std::remainder(error, 2 * kPi);
  double& integral = joint.memory->servo_integral[static_cast<std::size_t>(axis)];
  integral += h * error;
  // Bounded by the motor's largest force: no wind-up while it is overloaded.
  const double most = motor.max_force / motor.integral;
  integral = std::clamp(integral, -most, most);
}

void follow(const ConstraintList& list, const BodyState& s, int joint, int axis, double& last) {
  if (joint < 0) return;
  const StepJoint& j = list.joints[static_cast<std::size_t>(joint)];
  last = continued(joint_coordinate(std::get<AxesJoint>(j.def->kind), joint_pose(j, s), axis), axis, last);
}

}  // namespace

void update_joint_memories(const ConstraintList& list, const BodyState& state, double h) {
  for (const std::uint32_t index : list.remembering) {
    const StepJoint& joint = list.joints[index];
    if (const AxesJoint* kind = std::get_if<AxesJoint>(&joint.def->kind); kind) {
      const JointPose pose = joint_pose(joint, state);
      for (int axis = 0; axis < 6; ++axis) integrate_servo(*kind, joint, pose, axis, h);
    }
    if (const GearJoint* gear = std::get_if<GearJoint>(&joint.def->kind)) {
      follow(list, state, joint.first, gear->first_axis, joint.memory->gear_angle[0]);
      follow(list, state, joint.second, gear->second_axis, joint.memory->gear_angle[1]);
    }
  }
}

bool is_overloaded(const JointDef& def, const JointState& memory) {
  return length(memory.force) > def.break_force || length(memory.torque) > def.break_torque;
}

}  // namespace rigor
