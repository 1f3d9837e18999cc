#include "viewer/joint_panel.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "constraints/joints/joint_type.h"
#include "rigor/error.h"
#include "rigor/joint_types.h"
#include "viewer/joint_anchor.h"
#include "viewer/method_panel.h"
#include "world/joint_gap.h"

namespace rigor::viewer {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

Json strength(double value) { return std::isfinite(value) ? Json(value) : Json(); }

double read_strength(const JsonReader& message, const char* key, double present) {
  const auto value = message.find(key);
  if (!value) return present;
  return value->is_null() ? kNever : value->number(kStrengthRange);
}

/// Resets numbers to the type's defaults, which may be infinite and then cannot be configured by name.
class BackToUsual final : public FieldVisitor {
 public:
  BackToUsual(Settings usual, std::set<std::string> names) : usual_(std::move(usual)), names_(std::move(names)) {}
  void number(const std::string& name, double& value, const Field&) override {
    if (names_.contains(name)) value = std::get<double>(usual_.at(name));
  }
  void integer(const std::string&, int&, const Field&) override {}
  void flag(const std::string&, bool&, const std::string&) override {}
  void choice(const std::string&, std::string&, const std::vector<std::string>&, const std::string&) override {}
  void vector(const std::string&, Vec3&, const Field&) override {}

 private:
  Settings usual_;
  std::set<std::string> names_;
};

void edit_parameters(const JsonReader& list, World& world, JointId id) {
  if (!list.is_object()) list.fail_expected("an object of parameters by name");
  const auto object = make_joint_type(describe_joint(world.joint(id)).type, "joint");
  const Settings usual = settings_of(*object);
  Settings changed;
  std::set<std::string> left_out;
  for (const JsonReader& member : list.members()) {
    const std::string name(member.key());
    const auto known = usual.find(name);
    const bool is_number = known != usual.end() && std::holds_alternative<double>(known->second);
    if (member.is_null() && is_number)
      left_out.insert(name);
    else
      changed[name] = member.parameter();
  }
  if (!left_out.empty()) {
    BackToUsual visitor(usual, left_out);
    object->kind = world.joint(id).kind;
    object->fields(visitor);
    world.set_joint(id, object->kind);
  }
  if (!changed.empty()) set_joint_parameters(world, id, changed);
}

/// World coordinates of the points that the user can move: one for joints with six axes, two for rods and ropes, none for others.
Json anchors(const World& world, const JointDef& def) {
  Json list = Json::array();
  const auto add = [&](const char* end, BodyId body, const Transform& frame) {
    const Vec3 p = world.to_world(body, frame.translation);
    list.push_back({{"end", end}, {"point", {p.x, p.y, p.z}}});
  };
  if (has_two_anchors(def)) add("a", def.a, def.frame_a);
  if (has_anchor(def)) add("b", def.b, def.frame_b);
  return list;
}

/// The positions and velocities of movable axes.
Json coordinates(const World& world, JointId id, const JointDef& def) {
  Json list = Json::array();
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  for (int k = 0; axes && k < 6; ++k)
    if (axes->axes[static_cast<std::size_t>(k)].motion != AxisMotion::locked)
      list.push_back(
          {{"axis", k}, {"position", world.joint_position(id, k)}, {"velocity", world.joint_velocity(id, k)}});
  return list;
}

Json axis(const World& world, const JointDef& def) {
  if (!has_axis(def)) return nullptr;
  const Vec3 n = axis_of(world, def);
  return Json::array({n.x, n.y, n.z});
}

}  // namespace

Json joint_figures(const World& world, JointId id) {
  const JointDef& def = world.joint(id);
  const JointState& state = world.joint_state(id);
  return {{"coordinates", coordinates(world, id, def)},
          {"force", length(state.force)},
          {"torque", length(state.torque)},
          {"error", length(joint_gap(world, def))}};
}

Json describe_joint_panel(const World& world, JointId id) {
  const JointDef& def = world.joint(id);
  const std::string type = describe_joint(def).type;
  const auto now = make_joint_type(type, "joint"), usual = make_joint_type(type, "joint");
  now->kind = def.kind;
  Json panel = joint_figures(world, id);
  panel.update({{"index", id.index},
                {"name", def.name},
                {"type", type},
                {"description", entry(Kind::joint, type, "joint").description},
                {"a", world.name(def.a)},
                {"b", world.name(def.b)},
                {"active", def.active},
                {"broken", world.joint_state(id).broken},
                {"break_force", strength(def.break_force)},
                {"break_torque", strength(def.break_torque)},
                {"anchors", anchors(world, def)},
                {"axis", axis(world, def)},
                {"parameters", describe_parameters(*now, *usual)}});
  return panel;
}

void edit_joint(const JsonReader& message, World& world, JointId id) {
  const JointDef& def = world.joint(id);
  const double force = read_strength(message, "break_force", def.break_force);
  const double torque = read_strength(message, "break_torque", def.break_torque);
  if (const auto list = message.find("parameters")) edit_parameters(*list, world, id);
  if (force != def.break_force || torque != def.break_torque) world.set_joint_strength(id, force, torque);
  if (const auto active = message.find("active")) world.set_joint_active(id, active->flag());
  if (const auto broken = message.find("broken")) world.set_joint_broken(id, broken->flag());
}

}  // namespace rigor::viewer
