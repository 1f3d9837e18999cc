// Rotors of motors, whose inertia about the axis of a joint is given as seen behind its gear.
#include "models/robot.h"

namespace rigor::models {

namespace {

bool is_fixed_in_world(const Robot& robot, int i) {
  for (; i != kWorld; i = robot.links[static_cast<std::size_t>(i)].parent)
    if (!robot.links[static_cast<std::size_t>(i)].joints.empty()) return false;
  return true;
}

const char* what_becomes_of(const JointSpec& joint, const Link& link) {
  if (link.mass.mass <= 0) return "the inertia of the rotor is left out: the link has no mass";
  if (joint.type == JointSpec::Type::slide) return "the inertia of the rotor is left out: a mass has no direction here";
  if (joint.type == JointSpec::Type::free)
    return "the inertia of the rotor is left out: a free joint has no rotor here";
  return "the rotor is a disc that turns with the link, not one that turns against its parent";
}

}  // namespace

/// That is exact if the only joint of a link is a hinge on a parent that does not move, because the link then turns about that axis alone.
void add_armature(const Robot& robot, Link& link, Ledger& ledger) {
  const bool is_exact = link.mass.mass > 0 && link.joints.size() == 1 &&
                        link.joints[0].type == JointSpec::Type::hinge && is_fixed_in_world(robot, link.parent);
  for (const JointSpec& j : link.joints) {
    if (j.armature <= 0) continue;
    const char* attribute = j.armature_source.has("armature") ? "armature" : "value";
    if (!is_exact) ledger.note(j.armature_source, attribute, ModelNote::Kind::replaced, what_becomes_of(j, link));
    if (link.mass.mass <= 0 || j.type == JointSpec::Type::free || j.type == JointSpec::Type::slide) continue;
    // A rotor is a disc: half the inertia about its diameters. Without it no body would have such an inertia.
    const double a = j.armature;
    link.mass.inertia = link.mass.inertia + (j.type == JointSpec::Type::ball ? Mat3::diagonal({a, a, a})
                                                                             : Mat3::diagonal({a / 2, a / 2, a / 2}) +
                                                                                   (a / 2) * outer(j.axis, j.axis));
  }
}

}  // namespace rigor::models
