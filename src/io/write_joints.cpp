// Joints as JSON: their frames in body coordinates, to the last bit, and the parameters that differ from their type's.
#include "io/write_parts.h"
#include "rigor/joint_types.h"

namespace rigor {

namespace {

Json write_frame(const Transform& frame) {
  Json object = Json::object();
  if (frame.translation != Vec3{}) object["position"] = to_json(frame.translation);
  if (frame.rotation != Quat{}) object["orientation"] = to_json(frame.rotation);
  return object;
}

}  // namespace

Json write_joint(const World& world, JointId id) {
  const JointDef& def = world.joint(id);
  const JointDef plain;
  const JointDescription description = describe_joint(def);
  Json joint = {{"type", description.type}, {"name", def.name}};
  if (const GearJoint* gear = std::get_if<GearJoint>(&def.kind)) {
    joint["first"] = world.joint(gear->first).name;
    joint["second"] = world.joint(gear->second).name;
  } else {
    joint["a"] = world.name(def.a);
    joint["b"] = world.name(def.b);
    joint["frame_a"] = write_frame(def.frame_a);
    joint["frame_b"] = write_frame(def.frame_b);
  }
  if (const PathJoint* path = std::get_if<PathJoint>(&def.kind)) {
    joint["points"] = Json::array();
    for (const Vec3& p : path->points) joint["points"].push_back(to_json(p));
  }
  for (const auto& [key, value] : description.parameters) joint[key] = to_json(value);
  if (def.collide) joint["collide"] = true;
  if (!def.active) joint["active"] = false;
  if (def.break_force != plain.break_force) joint["break_force"] = to_json(def.break_force);
  if (def.break_torque != plain.break_torque) joint["break_torque"] = to_json(def.break_torque);
  if (def.erp) joint["erp"] = to_json(*def.erp);
  if (world.joint_state(id).broken) joint["broken"] = true;
  return joint;
}

Json write_material_rules(const MaterialRules& rules) {
  static constexpr const char* kNames[] = {"minimum", "maximum", "mean", "product"};
  Json object = {{"friction", kNames[static_cast<int>(rules.friction)]},
                 {"restitution", kNames[static_cast<int>(rules.restitution)]}};
  if (!rules.pairs.empty()) object["pairs"] = Json::array();
  for (const auto& [names, pair] : rules.pairs) {
    Json item = {{"a", names.first}, {"b", names.second}};
    if (pair.friction >= 0) item["friction"] = to_json(pair.friction);
    if (pair.static_friction >= 0) item["static_friction"] = to_json(pair.static_friction);
    if (pair.restitution >= 0) item["restitution"] = to_json(pair.restitution);
    object["pairs"].push_back(std::move(item));
  }
  return object;
}

}  // namespace rigor
