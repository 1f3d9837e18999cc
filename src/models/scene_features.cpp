#include "models/scene_features.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "io/json_text.h"
#include "registry/entry.h"
#include "rigor/joint_types.h"

namespace rigor::models {

namespace {

constexpr std::size_t kShownNames = 3;

class FeatureCollector {
 public:
  explicit FeatureCollector(const Scene& scene) : scene_(scene) {}

  std::vector<SceneFeature> run() {
    Scene plain = scene_;
    plain.materials.clear();  // bodies then hold their materials themselves
    set_unregistered_forces_aside(plain.world);
    const Json json = Json::parse(write_scene(plain)), usual = Json::parse(write_scene(Scene{}));
    add_own(json, usual);
    const Json& world = json["world"];
    if (world["ground"].is_object()) add_material(world["ground"]["material"], "body 'ground'");
    for (const Json& body : world["bodies"]) add_body(body);
    for (const JointId id : scene_.world.joints()) add_joint(id);
    return std::move(features_);
  }

 private:
  void add(const std::string& key, const std::string& owner = "") { features_.push_back({key, owner}); }

  /// Scene files cannot hold forces that are defined by a program.
  void set_unregistered_forces_aside(World& world) {
    for (const ForceId id : world.forces()) {
      const std::string type(world.force(id).effect->type());
      if (find_method(Kind::force, type)) continue;
      add("force." + type, "force '" + world.force(id).name + "'");
      world.remove_force(id);
    }
  }

  /// Adds the keys of the scene and of the world, but not those of bodies and joints.
  void add_own(const Json& json, const Json& usual) {
    for (const auto& [key, value] : json.items()) {
      if (key == "world" || key == "rigor" || key == "name") continue;
      if (key == "run") {
        for (const auto& [name, number] : value.items())
          if (number != usual["run"][name]) add("run." + name);
      } else if (!usual.contains(key) || usual[key] != value) {
        add(key);
      }
    }
    for (const auto& [key, value] : json["world"].items()) {
      if (key == "bodies" || key == "joints") continue;
      if (key == "forces") {
        for (const Json& force : value)
          add("force." + force["type"].get<std::string>(), "force '" + force["name"].get<std::string>() + "'");
      } else if (key == "drives") {
        const auto follows = [](const Json& drive) { return drive.contains("follow"); };
        if (std::any_of(value.begin(), value.end(), follows)) add("drive.follow");
        if (!std::all_of(value.begin(), value.end(), follows)) add("world.drives");
      } else if (key == "material_rules") {
        for (const auto& [rule, number] : value.items())
          if (number != Json("maximum") || rule != "friction")
            if (number != Json("minimum") || rule != "restitution") add("material_rules." + rule);
      } else if (!usual["world"].contains(key) || usual["world"][key] != value) {
        add("world." + key);
      }
    }
  }

  void add_body(const Json& body) {
    const std::string owner = "body '" + body["name"].get<std::string>() + "'";
    for (const auto& [key, value] : body.items()) {
      if (key == "material")
        add_material(value, owner);
      else if (body.contains("fixed") && (key == "velocity" || key == "angular_velocity"))
        add("body.motion_of_fixed", owner);
      else
        add("body." + key, owner);
      if (key == "shape" || key == "collision_shape") add_materials_within(value, owner);
    }
  }

  void add_material(const Json& material, const std::string& owner) {
    const Material usual;
    for (const auto& [key, value] : material.items())
      if ((key != "density" || value != usual.density) && (key != "friction" || value != usual.friction) &&
          (key != "restitution" || value != usual.restitution))
        add("material." + key, owner);
  }

  /// Parts of composites may have materials of their own.
  void add_materials_within(const Json& shape, const std::string& owner) {
    if (shape.is_object() && shape.contains("material")) add_material(shape["material"], owner);
    if (shape.is_object() || (shape.is_array() && !shape.empty() && shape[0].is_object()))
      for (const Json& inner : shape) add_materials_within(inner, owner);
  }

  /// Adds the keys of a joint. Joints of six axes are described as the general one; keys leave out the name of the axis.
  void add_joint(JointId id) {
    JointDef def = scene_.world.joint(id);
    const std::string owner = "joint '" + def.name + "'";
    const bool has_axes = std::holds_alternative<AxesJoint>(def.kind);
    if (has_axes) def.type = "six-dof";
    const JointDescription description = describe_joint(def);
    add("joint." + (has_axes ? "axes" : description.type), owner);
    std::set<std::string> keys;  // once for all axes
    for (const auto& [name, value] : description.parameters) {
      const std::size_t end = has_axes ? name.find('_') : std::string::npos;
      const std::string axis = name.substr(0, std::min(end, name.size()));
      const bool of_axis =
          has_axes && (axis == "x" || axis == "y" || axis == "z" || axis == "rx" || axis == "ry" || axis == "rz");
      if (of_axis && end == std::string::npos) continue;  // whether the axis is free belongs to the kind of the joint
      std::string key =
          of_axis ? "axis." + name.substr(end + 1) : (has_axes ? "joint." : description.type + ".") + name;
      if (key == "axis.motor") key += "=" + std::get<std::string>(value);
      if (keys.insert(key).second) add(key, owner);
    }
    if (def.collide) add("joint.collide", owner);
    if (!def.active) add("joint.active", owner);
    if (scene_.world.joint_state(id).broken) add("joint.broken", owner);
    if (std::isfinite(def.break_force)) add("joint.break_force", owner);
    if (std::isfinite(def.break_torque)) add("joint.break_torque", owner);
    if (def.erp) add("joint.erp", owner);
  }

  const Scene& scene_;
  std::vector<SceneFeature> features_;
};

/// The clause `instead` by key. A key without an entry cannot be expressed by the format.
std::map<std::string, std::string> table_of(std::span<const WrittenFeatures> written) {
  std::map<std::string, std::string> table;
  for (const WrittenFeatures& line : written) {
    std::istringstream words(line.keys);
    for (std::string key; words >> key;) table[key] = line.instead;
  }
  return table;
}

std::string last_part(const std::string& key) {
  const std::size_t point = key.find('.');
  return point == std::string::npos ? key : key.substr(point + 1);
}

struct UnwrittenFeature {
  std::string key, instead;
  std::vector<std::string> owners;  // empty: the scene itself
};

std::vector<UnwrittenFeature> unwritten(const Scene& scene, std::span<const WrittenFeatures> written) {
  const std::map<std::string, std::string> table = table_of(written);
  std::vector<UnwrittenFeature> list;
  std::map<std::string, std::size_t> place;
  for (const SceneFeature& feature : features_of(scene)) {
    const auto found = table.find(feature.key);
    if (found != table.end() && found->second.empty()) continue;
    const auto [at, is_new] = place.emplace(feature.key, list.size());
    if (is_new) list.push_back({feature.key, found == table.end() ? "" : found->second, {}});
    std::vector<std::string>& owners = list[at->second].owners;
    if (!feature.owner.empty() && (owners.empty() || owners.back() != feature.owner)) owners.push_back(feature.owner);
  }
  return list;
}

}  // namespace

std::string owners_text(const std::vector<std::string>& owners) {
  if (owners.size() == 1) return owners[0];
  std::string text = owners[0];
  for (std::size_t i = 1; i < std::min(owners.size(), kShownNames); ++i)
    text += ", " + owners[i].substr(owners[i].find('\''));
  if (owners.size() > kShownNames) text += " and " + std::to_string(owners.size() - kShownNames) + " more";
  return text;
}

std::vector<SceneFeature> features_of(const Scene& scene) { return FeatureCollector(scene).run(); }

void list_unwritten(const Scene& scene, const std::string& format, std::span<const WrittenFeatures> written,
                    LeftOut& left_out) {
  std::string own;  // keys of the scene itself
  for (const UnwrittenFeature& feature : unwritten(scene, written)) {
    if (feature.owners.empty() && feature.instead.empty()) {
      own += (own.empty() ? "" : ", ") + feature.key;
      continue;
    }
    const std::string what =
        feature.instead.empty() ? last_part(feature.key) + " is not written as " + format : feature.instead;
    left_out.push_back(feature.owners.empty() ? what : owners_text(feature.owners) + ": " + what);
  }
  if (!own.empty()) left_out.push_back("scene: not written as " + format + ": " + own);
}

void list_unwritten_together(const Scene& scene, const std::string& format, std::span<const WrittenFeatures> written,
                             LeftOut& left_out) {
  std::string keys;
  for (const UnwrittenFeature& feature : unwritten(scene, written)) keys += (keys.empty() ? "" : ", ") + feature.key;
  if (!keys.empty()) left_out.push_back("not written as " + format + ", which has surfaces only: " + keys);
}

}  // namespace rigor::models
