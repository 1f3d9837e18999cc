// No format drops anything without a report: every key of the schema of scenes changes the exported file or the list of unwritten features.
//
// The test walks through the schema, so that a key that scenes get later is tried without a change here, or fails until it is given a value.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "models/scene_features.h"
#include "rigor/error.h"
#include "rigor/forces.h"
#include "rigor/model.h"

namespace rigor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEndings[] = {".xml", ".urdf", ".gltf", ".usda", ".obj"};

const Json& schema() {
  static const Json all = Json::parse(scene_schema());
  return all;
}

Json base() {
  return Json::parse(R"({"rigor":1,"world":{"bodies":[
    {"name":"post","shape":{"box":[0.2,1,0.2]},"position":[0,0.5,0],"fixed":true},
    {"name":"arm","shape":{"box":[0.8,0.1,0.1]},"position":[0.4,1,0]},
    {"name":"hand","shape":{"sphere":0.1},"position":[0.9,1,0]}],
    "joints":[]}})");
}

/// Everything that a user gets from a conversion.
std::string exported(const Json& scene, const std::string& ending) {
  const ExportedScene out = export_scene(parse_scene(scene.dump()), "out" + ending);
  std::string all = out.bytes;
  for (const std::string& sentence : out.left_out) all += "\nleft out: " + sentence;
  return all;
}

/// The key without the names of its object and axis: "motor_target" of "six-dof.rx_motor_target = 0.25".
std::string word_of(const std::string& what) {
  std::string key = what.substr(0, what.find(' '));
  if (key.find('.') == std::string::npos) return "(no key)";
  key = key.substr(key.rfind('.') + 1);
  for (const char* part : {"motor", "spring", "lower", "upper", "friction"})
    if (const std::size_t at = key.find(part); at != std::string::npos) return key.substr(at);
  return key;
}

/// True if a joint is left out as a whole: then its parameters are, too.
bool is_left_out(const Json& scene, const std::string& ending, const std::string& joint) {
  if (ending == ".obj") return true;
  for (const std::string& sentence : export_scene(parse_scene(scene.dump()), "out" + ending).left_out)
    for (const char* whole : {"joints of the type", "it closes a loop and", "it closes a loop, gives",
                              "it is switched off", "URDF has no joint of these axes"})
      if (sentence.starts_with("joint '" + joint + "'") && sentence.find(whole) != std::string::npos) return true;
  return false;
}

void expect_noticed(const Json& before, const Json& after, const std::string& what, const std::string& joint = "") {
  for (const char* ending : kEndings) {
    try {
      if (!joint.empty() && is_left_out(after, ending, joint)) continue;
      const std::string old = exported(before, ending), now = exported(after, ending);
      const bool is_listed = now.find("\nleft out: ") != std::string::npos &&
                             now.find(word_of(what), now.find("\nleft out: ")) != std::string::npos;
      EXPECT_TRUE(old != now || is_listed) << what << " is lost in silence as " << ending;
    } catch (const Error& error) {
      ADD_FAILURE() << what << ": " << error.what() << "\n" << after.dump();
    }
  }
}

Json body_value(const std::string& key) {
  static const Json values = Json::parse(R"({"name":"other","shape":{"capsule":{"radius":0.1,"length":0.5}},
    "collision_shape":{"sphere":0.2},"position":[0.4,1.5,0],"orientation":[0.8,0.6,0,0],"velocity":[1,2,3],"angular_velocity":[0,1,0],
    "mass":3,"density":2000,"inertia":[1,1.5,2],"center_of_mass":[0.1,0,0],"fixed":true,"can_collide":false,"continuous":true,"active":false,
    "sensor":true,"linear_damping":0.1,"angular_damping":0.2,"gravity_factor":0.5,"groups":[1],"mask":[0],"force":[1,0,0],"torque":[0,1,0]})");
  return values.value(key, Json());
}

Json material_value(const std::string& key) {
  static const Json values =
      Json::parse(R"({"friction":0.7,"static_friction":0.9,"restitution":0.3,"rolling_friction":0.01,
    "spinning_friction":0.02,"grain":[1,0,0],"friction_across":0.5,"surface_velocity":[1,0,0],"name":"red #ff0000","density":500})");
  return values.value(key, Json());
}

TEST(UnwrittenFeatures, OfBodies) {
  for (const auto& [key, description] : schema()["definitions"]["body"]["properties"].items()) {
    if (key == "material") continue;
    ASSERT_FALSE(body_value(key).is_null()) << "give the new key '" << key << "' a value";
    Json before = base(), after = before;
    if (key == "inertia") before["world"]["bodies"][1]["mass"] = 3, after = before;
    after["world"]["bodies"][1][key] = body_value(key);
    expect_noticed(before, after, "body." + key);
  }
}

TEST(UnwrittenFeatures, OfMaterials) {
  for (const auto& [key, description] : schema()["definitions"]["material"]["properties"].items()) {
    ASSERT_FALSE(material_value(key).is_null()) << "give the new key '" << key << "' a value";
    Json before = base();
    if (key == "friction_across") before["world"]["bodies"][1]["material"]["grain"] = Json::array({1, 0, 0});
    Json after = before;
    after["world"]["bodies"][1]["material"][key] = material_value(key);
    expect_noticed(before, after, "material." + key);
    // The same key of one part of a composite.
    Json part = base();
    part["world"]["bodies"][1]["shape"] =
        Json::parse(R"({"composite":[{"shape":{"box":[0.8,0.1,0.1]}},{"shape":{"sphere":0.2},"position":[0.3,0,0]}]})");
    if (key == "friction_across")
      part["world"]["bodies"][1]["shape"]["composite"][1]["material"]["grain"] = Json::array({1, 0, 0});
    after = part;
    after["world"]["bodies"][1]["shape"]["composite"][1]["material"][key] = material_value(key);
    expect_noticed(part, after, "material." + key + " of a part");
  }
}

/// The position and the bodies of a joint.
bool is_placement(const std::string& key) {
  static const std::set<std::string> kKeys = {"type",     "name",     "a",       "b",          "anchor",
                                              "anchor_a", "anchor_b", "axis",    "axis_a",     "axis_b",
                                              "axis2",    "axis2_a",  "axis2_b", "frame_a",    "frame_b",
                                              "first",    "second",   "points",  "first_axis", "second_axis"};
  return kKeys.contains(key);
}

Json joint_value(const std::string& type, const std::string& key, const Json& description) {
  if (type == "rope" && key == "lower") return 0.1;
  if (key == "active") return false;
  if (description.contains("type") && description["type"] == "boolean") return true;
  if (key.ends_with("lower") || key == "min_twist") return -0.25;
  if (key == "length") return 0.9;
  if (key == "radius") return 0.05;
  return 0.25;
}

/// A joint of a type between the post and the arm; of a gear, with the two hinges that it couples.
Json with_joint(const std::string& type) {
  Json scene = base();
  Json& joints = scene["world"]["joints"];
  Json joint = {{"type", type}, {"name", "j"}};
  if (type == "gear") {
    joints.push_back(
        {{"type", "hinge"}, {"name", "one"}, {"a", "post"}, {"b", "arm"}, {"anchor", {0, 1, 0}}, {"axis", {0, 0, 1}}});
    joints.push_back(
        {{"type", "hinge"}, {"name", "two"}, {"a", "post"}, {"b", "hand"}, {"anchor", {0, 1, 0}}, {"axis", {0, 0, 1}}});
    joint["first"] = "one", joint["second"] = "two";
  } else {
    joint["a"] = "post", joint["b"] = "arm";
    if (type == "rope" || type == "distance")
      joint["anchor_a"] = {0, 1, 0}, joint["anchor_b"] = {0.4, 1, 0};
    else
      joint["anchor"] = {0.4, 1, 0};
    if (type == "path") joint["points"] = {{0, 1, 0}, {0.4, 1, 0}, {0.8, 1.2, 0}};
    if (type != "rope" && type != "distance" && type != "path" && type != "fixed" && type != "fixed-rotation")
      joint["axis"] = {0, 0, 1};
    if (type == "universal" || type == "two-axis-rotation" || type == "car-wheel" || type == "knife-edge")
      joint["axis2"] = {1, 0, 0};
  }
  joints.push_back(joint);
  return scene;
}

/// The other parameters that a key needs to have an effect: a servo for gains, a spring for a rest position.
void add_prerequisites(const std::string& key, const Json& properties, Json& joint) {
  const auto prefix_of = [&](const std::string& end) { return key.substr(0, key.size() - end.size()); };
  for (const char* axis : {"x", "y", "z", "rx", "ry", "rz"})
    if (joint["type"] == "six-dof" && key.starts_with(std::string(axis) + "_")) joint[axis] = "free";
  for (const char* end : {"motor_target", "motor_force", "motor_proportional", "motor_integral", "motor_derivative"})
    if (key.ends_with(end)) {
      joint[prefix_of(end) + "motor"] = "servo";
      joint[prefix_of(end) + "motor_proportional"] = 2;
    }
  if (key.starts_with("steering_motor")) joint["steering_lower"] = -1, joint["steering_upper"] = 1;
  if (key.ends_with("spring_rest")) joint[prefix_of("rest") + "stiffness"] = 2;
  if (key == "damping" && properties.contains("stiffness")) joint["stiffness"] = 1000;
}

TEST(UnwrittenFeatures, OfJoints) {
  for (const Json& type : schema()["definitions"]["joint"]["oneOf"]) {
    const std::string name = type["properties"]["type"]["const"];
    const Json plain = with_joint(name);
    Json without = plain;
    without["world"]["joints"].erase(without["world"]["joints"].size() - 1);
    expect_noticed(without, plain, "a joint of the type " + name);
    for (const auto& [key, description] : type["properties"].items()) {
      if (is_placement(key)) continue;
      if (name == "gear" && key == "collide") continue;  // a gear does not keep bodies apart
      Json before = plain;
      Json& joint = before["world"]["joints"].back();
      add_prerequisites(key, type["properties"], joint);
      std::vector<Json> values = {joint_value(name, key, description)};
      if (description.contains("enum")) {
        values.clear();
        for (const Json& value : description["enum"])
          if (value != description.value("default", Json())) values.push_back(value);
      }
      for (const Json& value : values) {
        Json after = before;
        Json& changed = after["world"]["joints"].back();
        changed[key] = value;
        if (value == "servo") {
          changed[key + "_proportional"] = 2;
          before["world"]["joints"].back()[key + "_proportional"] = 2;
        }
        if (name == "six-dof" && value == "limited") changed[key + "_lower"] = -1;
        if (name == "six-dof" && (key.ends_with("_lower") || key.ends_with("_upper")))
          changed[key.substr(0, key.find('_'))] = "limited";
        if (key == "motor" || key.ends_with("_motor")) {
          const std::string target = key + "_target";
          before["world"]["joints"].back()[target] = 0.5, after["world"]["joints"].back()[target] = 0.5;
        }
        expect_noticed(before, after, name + "." + key + " = " + value.dump(), "j");
      }
    }
  }
}

TEST(UnwrittenFeatures, OfJointsThatCloseLoops) {
  // The arm hangs on the post by a ball joint already.
  for (const char* feature : {R"("friction":0.5)", R"("spring_damping":0.5)", R"("max_swing":0.5)",
                              R"("stiffness":100)", R"("collide":true)", R"("break_force":5)"}) {
    Json before = with_joint("ball");
    before["world"]["joints"].push_back(
        Json::parse(R"({"type":"ball","name":"loop","a":"post","b":"arm","anchor":[0.2,1,0]})"));
    Json after = before;
    after["world"]["joints"].back().update(Json::parse("{" + std::string(feature) + "}"));
    expect_noticed(before, after, "a loop with " + std::string(feature), "loop");
  }
}

TEST(UnwrittenFeatures, OfForces) {
  for (const Json& type : schema()["definitions"]["force"]["oneOf"]) {
    const std::string name = type["properties"]["type"]["const"];
    Json after = base();
    Json force = {{"type", name}, {"name", "extra"}};
    if (type["properties"].contains("a")) force["a"] = "arm", force["b"] = "hand";
    after["world"]["forces"] = Json::array({force});
    expect_noticed(base(), after, "a force of the type " + name);
  }
}

TEST(UnwrittenFeatures, OfTheWorldAndTheScene) {
  for (const char* change :
       {R"({"world":{"gravity":[0,-3,0]}})", R"({"world":{"ground":{"material":{"friction":0.9}}}})",
        R"({"world":{"ignore_collisions":[["arm","hand"]]}})", R"({"world":{"material_rules":{"friction":"minimum"}}})",
        R"({"world":{"material_rules":{"restitution":"mean"}}})", R"({"method":"garstenauer"})",
        R"({"run":{"duration":3}})", R"({"description":"a text"})", R"({"camera":{"position":[1,2,3]}})",
        R"({"appearance":{"sky":{"top":"#ff0000"}}})", R"({"sensors":[{"name":"s","type":"clock"}]})"}) {
    Json after = base();
    after.merge_patch(Json::parse(change));
    expect_noticed(base(), after, change);
  }
  Json servo = with_joint("hinge");
  servo["world"]["joints"].back()["motor"] = "servo";
  servo["world"]["joints"].back()["motor_proportional"] = 2;
  Json driven = servo;
  driven["world"]["drives"] = Json::parse(R"([{"joint":"j","sine":{"amplitude":1,"frequency":1}}])");
  expect_noticed(servo, driven, "drives");
}

TEST(UnwrittenFeatures, ForcesOfAProgramAreListed) {
  struct Wind final : ForceEffect {
    std::string_view type() const override { return "wind of a program"; }
    void fields(FieldVisitor&) override {}
    void apply(const ForceContext&) const override {}
  };
  Scene scene = parse_scene(base().dump());
  scene.world.add_force(Wind{}, {}, "breeze");
  for (const char* ending : kEndings) {
    std::string all;
    for (const std::string& sentence : export_scene(scene, std::string("out") + ending).left_out) all += sentence;
    EXPECT_NE(all.find("wind of a program"), std::string::npos) << ending << ": " << all;
  }
}

TEST(UnwrittenFeatures, ManyBodiesShareASentence) {
  Scene scene = parse_scene(R"({"rigor":1,"world":{"bodies":[
    {"name":"a","shape":{"sphere":1},"linear_damping":1},{"name":"b","shape":{"sphere":1},"linear_damping":1},
    {"name":"c","shape":{"sphere":1},"linear_damping":1},{"name":"d","shape":{"sphere":1},"linear_damping":1}]}})");
  const std::vector<std::string> left_out = export_scene(scene, "out.xml").left_out;
  ASSERT_EQ(left_out.size(), 1u);
  EXPECT_EQ(left_out[0], "body 'a', 'b', 'c' and 1 more: linear_damping is not written as MJCF");
}

}  // namespace
}  // namespace rigor
