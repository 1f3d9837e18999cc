#include "world/missing_solvers.h"

#include <algorithm>
#include <map>

#include "registry/entry.h"
#include "rigor/queries.h"
#include "world/body_checks.h"

namespace rigor {

namespace {

bool step_has(const Method& method, std::string_view capability) {
  return has_capability(entry(Kind::stepping, method.stepping.name, "stepping"), capability);
}

bool lacks_contact_solver(const Method& m) {
  return !step_has(m, "solves-constraints") && m.collision_solver.name == "none" && m.contact_solver.name == "none";
}

bool lacks_joint_solver(const Method& m) {
  return !step_has(m, "solves-constraints") && !step_has(m, "solves-joints") && m.joint_solver.name == "none";
}

bool has_joints(const World& world) {
  const std::vector<JointId> joints = world.joints();
  return std::any_of(joints.begin(), joints.end(),
                     [&](JointId id) { return world.joint(id).active && !world.joint_state(id).broken; });
}

std::string joints_sentence(const std::string& stepping) {
  return "nothing holds the joints: the step '" + stepping +
         "' leaves them to solver.joint, which is 'none'; set it, or choose a preset that has one, such as garstenauer";
}

std::string contacts_sentence(const std::string& who, const std::string& stepping) {
  return "nothing keeps " + who + " apart: the step '" + stepping +
         "' leaves contacts to solver.collision and solver.contact, which are 'none'; set them, or choose a preset "
         "that "
         "has them, such as garstenauer";
}

/// True if any two bodies may collide. Checks two bodies of each kind only: worlds have many bodies and few kinds.
bool any_may_meet(const World& world) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::vector<BodyId>> kinds;
  for (const BodyId id : world.bodies()) {
    const BodyDef& def = world.body_def(id);
    if (!def.can_collide || !def.active) continue;
    if (std::vector<BodyId>& same = kinds[{def.group, def.mask, def.fixed}]; same.size() < 2) same.push_back(id);
    constexpr std::size_t kMostKinds = 500;
    if (kinds.size() > kMostKinds) return true;
  }
  std::vector<BodyId> examples;
  for (const auto& [kind, ids] : kinds) examples.insert(examples.end(), ids.begin(), ids.end());
  for (std::size_t i = 0; i < examples.size(); ++i)
    for (std::size_t k = i + 1; k < examples.size(); ++k)
      if (world.may_collide(examples[i], examples[k])) return true;
  return false;
}

const Contact* first_that_touches(const ContactList& contacts) {
  for (const Contact& contact : contacts)
    for (int i = 0; i < contact.count; ++i)
      if (contact.points[static_cast<std::size_t>(i)].separation < 0) return &contact;
  return nullptr;
}

}  // namespace

MissingSolvers::MissingSolvers(const Method& method)
    : stepping_(method.stepping.name), contacts_(lacks_contact_solver(method)), joints_(lacks_joint_solver(method)) {}

void MissingSolvers::report_missing(const World& world, const ContactList& contacts,
                                    std::vector<std::string>& reports) {
  if (joints_ && has_joints(world)) {
    reports.push_back(joints_sentence(stepping_));
    joints_ = false;
  }
  if (!contacts_) return;
  if (const Contact* touch = first_that_touches(contacts)) {
    reports.push_back(
        contacts_sentence(quoted(world.name(touch->a)) + " and " + quoted(world.name(touch->b)), stepping_));
    contacts_ = false;
  }
}

std::vector<std::string> missing_solvers(const World& world, const Method& method) {
  std::vector<std::string> sentences;
  if (lacks_joint_solver(method) && has_joints(world)) sentences.push_back(joints_sentence(method.stepping.name));
  if (method.broadphase.name != "none" && lacks_contact_solver(method) && any_may_meet(world))
    sentences.push_back(contacts_sentence("bodies that meet", method.stepping.name));
  return sentences;
}

}  // namespace rigor
