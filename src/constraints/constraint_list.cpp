#include "constraints/constraint_list.h"

namespace rigor {

namespace {

bool touches_awake(const BodyState& s, std::uint32_t a, std::uint32_t b) { return a < s.awake() || b < s.awake(); }
bool is_present(const BodyState& s, std::uint32_t slot) { return slot < s.end(BodySet::still); }

int index_of(const std::vector<StepJoint>& joints, JointId id) {
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (joints[i].id == id) return static_cast<int>(i);
  return -1;
}

}  // namespace

void ConstraintList::collect(World& world, ContactList& found) {
  const BodyState& s = world.state();
  joints.clear(), contacts.clear();
  bool has_gears = false;
  world.for_each_joint([&](JointId id, const JointDef& def, JointState& memory) {
    const std::uint32_t a = world.slot(def.a), b = world.slot(def.b);
    if (!def.active || memory.broken || !touches_awake(s, a, b) || !is_present(s, a) || !is_present(s, b)) return;
    has_gears = has_gears || std::holds_alternative<GearJoint>(def.kind);
    joints.push_back({id, &def, &memory, a, b, world.shape_frame(a) * def.frame_a, world.shape_frame(b) * def.frame_b});
  });
  if (has_gears)
    for (StepJoint& j : joints)
      if (const GearJoint* gear = std::get_if<GearJoint>(&j.def->kind))
        j.first = index_of(joints, gear->first), j.second = index_of(joints, gear->second);
  for (Contact& c : found) {
    const std::uint32_t a = world.slot(c.a), b = world.slot(c.b);
    if (touches_awake(s, a, b)) contacts.push_back({&c, a, b});
  }
}

}  // namespace rigor
