// Scenes as files of other programs, and back again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/file_access.h"
#include "io/mesh_file.h"
#include "models/scene_tree.h"
#include "rigor/error.h"
#include "rigor/joint_types.h"
#include "rigor/model.h"
#include "rigor/recording.h"

namespace rigor {
namespace {

/// Bodies of every shape that MJCF and URDF share, falling on the ground.
Scene loose_bodies() {
  return parse_scene(R"({"rigor":1,"name":"loose","world":{"bodies":[
    {"name":"crate","shape":{"box":[0.5,0.4,0.3]},"position":[0.1,1.25,0.3],"material":{"name":"wood #a0703c","density":700,"friction":0.6}},
    {"name":"ball","shape":{"sphere":0.2},"position":[1.5,0.9,0]},
    {"name":"pill","shape":{"capsule":{"radius":0.1,"length":0.4}},"position":[-1.5,1.1,0.7]},
    {"name":"can","shape":{"cylinder":{"radius":0.15,"height":0.3}},"position":[-3,0.7,0.2],"mass":2.5,"inertia":[0.03,0.02,0.04]},
    {"name":"post","shape":{"box":[0.2,1,0.2]},"position":[5,0.5,0],"fixed":true}]},
    "run":{"dt":0.01,"duration":2}})");
}

/// On a floor that is not turned, as the ground of a scene with z up is: angles read back to rounding only.
Scene loose_bodies_with_z_up() {
  return parse_scene(R"({"rigor":1,"name":"loose","world":{"up":"z","ground":false,"bodies":[
    {"name":"floor","shape":{"box":[20,20,1]},"position":[0,0,-0.5],"fixed":true},
    {"name":"crate","shape":{"box":[0.5,0.4,0.3]},"position":[0.1,0.3,1.25],"material":{"name":"wood #a0703c","density":700,"friction":0.6}},
    {"name":"ball","shape":{"sphere":0.2},"position":[1.5,0,0.9]},
    {"name":"pill","shape":{"capsule":{"radius":0.1,"length":0.4}},"position":[-1.5,0.7,1.1]},
    {"name":"can","shape":{"cylinder":{"radius":0.15,"height":0.3}},"position":[-3,0.2,0.7],"mass":2.5,"inertia":[0.03,0.02,0.04]},
    {"name":"post","shape":{"box":[0.2,0.2,1]},"position":[5,0,0.5],"fixed":true}]},
    "run":{"dt":0.01,"duration":2}})");
}

/// A double pendulum with limits, springs, friction, damping and a servo, and a slider.
Scene machine() {
  return parse_scene(R"({"rigor":1,"name":"machine","world":{"ground":false,"bodies":[
    {"name":"base","shape":{"box":[0.4,0.4,0.4]},"position":[0,3,0],"fixed":true},
    {"name":"arm","shape":{"box":[0.8,0.1,0.1]},"position":[0.4,3,0]},
    {"name":"hand","shape":{"box":[0.6,0.08,0.08]},"position":[1.1,3,0]},
    {"name":"cart","shape":{"box":[0.3,0.2,0.2]},"position":[-5,2,0]},
    {"name":"ball","shape":{"sphere":0.1},"position":[-5,1.5,0]}],
   "joints":[
    {"type":"hinge","name":"shoulder","a":"base","b":"arm","anchor":[0,3,0],"axis":[0,0,1],"lower":-1.2,"upper":0.7,"spring_damping":0.3,"friction":0.05},
    {"type":"hinge","name":"elbow","a":"arm","b":"hand","anchor":[0.8,3,0],"axis":[0,0,1],"motor":"servo","motor_target":0.35,"motor_proportional":11.3,"motor_derivative":1.7,"motor_force":20},
    {"type":"slider","name":"rail","a":"world","b":"cart","anchor":[-5,2,0],"axis":[1,0,0],"spring_stiffness":35,"spring_rest":0.1,"spring_damping":0.4},
    {"type":"ball","name":"hook","a":"cart","b":"ball","anchor":[-5,1.9,0]}]},
    "run":{"dt":0.005,"duration":2}})");
}

Scene through(const Scene& scene, const char* ending, ModelReport* report = nullptr) {
  return parse_model(export_scene(scene, std::string("out") + ending).bytes, {}, report);
}

void run(Scene& scene, int steps) {
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < steps; ++i) simulation.step(scene.time.step);
  scene.world = simulation.world();
}

TEST(Export, LooseBodiesMoveBitForBitThroughMjcf) {
  Scene scene = loose_bodies(), again = through(scene, ".xml");
  EXPECT_EQ(again.time.step, scene.time.step);
  for (const char* name : {"crate", "ball", "pill", "can"}) {
    const BodyId a = scene.world.find_body(name), b = again.world.find_body(name);
    ASSERT_TRUE(b) << name;
    EXPECT_EQ(scene.world.position(a), again.world.position(b)) << name;
    EXPECT_EQ(scene.world.orientation(a), again.world.orientation(b)) << name;
    EXPECT_EQ(scene.world.mass_properties(a), again.world.mass_properties(b)) << name;
  }
  run(scene, 150), run(again, 150);
  for (const char* name : {"crate", "ball", "pill", "can"}) {
    const BodyId a = scene.world.find_body(name), b = again.world.find_body(name);
    EXPECT_EQ(scene.world.position(a), again.world.position(b)) << name;
    EXPECT_EQ(scene.world.orientation(a), again.world.orientation(b)) << name;
    EXPECT_LT(scene.world.position(a).y, 0.6) << name;  // it lies on the ground
  }
}

TEST(Export, LooseBodiesMoveBitForBitThroughUrdf) {
  Scene scene = loose_bodies_with_z_up(), again = through(scene, ".urdf");
  again.time = scene.time;  // URDF has no steps
  run(scene, 150), run(again, 150);
  for (const char* name : {"crate", "ball", "pill", "can"}) {
    const BodyId a = scene.world.find_body(name), b = again.world.find_body(name);
    ASSERT_TRUE(b) << name;
    EXPECT_EQ(scene.world.mass_properties(a), again.world.mass_properties(b)) << name;
    EXPECT_EQ(scene.world.position(a), again.world.position(b)) << name;
    EXPECT_EQ(scene.world.orientation(a), again.world.orientation(b)) << name;
  }
}

TEST(Export, UrdfHasNoShapesThatReadersRefuse) {
  const Scene scene = parse_scene(R"({"rigor":1,"name":"shapes","world":{"up":"z","bodies":[
    {"name":"pill","shape":{"capsule":{"radius":0.1,"length":0.4}},"position":[0,0,2],"material":{"name":"red #ff0000"}},
    {"name":"bone","shape":{"transformed":{"shape":{"capsule":{"radius":0.1,"length":0.4}},"position":[0.1,0.2,0.3],
      "orientation":[0.8,0.6,0,0]}},"position":[1,0,2]}]}})");
  const ExportedScene exported = export_scene(scene, "shapes.urdf");
  EXPECT_EQ(exported.bytes.find("<capsule"), std::string::npos);
  EXPECT_EQ(exported.bytes.find("<plane"), std::string::npos);
  std::string left_out;
  for (const std::string& sentence : exported.left_out) left_out += sentence + "\n";
  EXPECT_NE(left_out.find("body 'pill', 'bone': URDF has no capsules"), std::string::npos) << left_out;
  EXPECT_NE(left_out.find("body 'ground': URDF has no planes"), std::string::npos) << left_out;
  const Scene again = parse_model(exported.bytes);
  const auto parts_of = [](const Scene& s, const char* name) {
    const BodyDef& def = s.world.body_def(s.world.find_body(name));
    return models::simple_parts(def.collision_shape ? *def.collision_shape : *def.shape, def.material);
  };
  for (const char* name : {"pill", "bone", "ground"}) {
    const auto before = parts_of(scene, name), after = parts_of(again, name);
    ASSERT_EQ(after.size(), 1u) << name;
    EXPECT_EQ(after[0].shape->type(), before[0].shape->type()) << name;
    EXPECT_LT(length(after[0].pose.translation - before[0].pose.translation), 1e-12) << name;
    const Vec3 y{0, 1, 0};  // the axis of both
    EXPECT_LT(length(rotate(after[0].pose.rotation, y) - rotate(before[0].pose.rotation, y)), 1e-12) << name;
  }
  EXPECT_EQ(parts_of(again, "bone")[0].shape->as<Capsule>()->half_length, 0.2);
  EXPECT_EQ(again.world.body_def(again.world.find_body("pill")).material.name, "red #ff0000");
}

/// urdfdom refuses a <limit> without effort and velocity, and <dynamics> with a spring only.
TEST(Export, UrdfHasTheAttributesThatReadersRequire) {
  const std::string text = export_scene(machine(), "machine.urdf").bytes;
  std::size_t limits = 0;
  for (std::size_t at = 0; (at = text.find("<limit", at)) != std::string::npos; ++at, ++limits) {
    const std::string limit = text.substr(at, text.find("/>", at) - at);
    EXPECT_NE(limit.find("effort="), std::string::npos) << limit;
    EXPECT_NE(limit.find("velocity="), std::string::npos) << limit;
  }
  EXPECT_EQ(limits, 3u);  // shoulder, elbow, rail
  for (std::size_t at = 0; (at = text.find("<dynamics", at)) != std::string::npos; ++at)
    EXPECT_NE(text.substr(at, text.find("/>", at) - at).find("damping="), std::string::npos);
  ModelReport report;
  const Scene again = parse_model(text, {}, &report);
  const auto& rail = std::get<AxesJoint>(again.world.joint(again.world.find_joint("rail")).kind).axes[0];
  EXPECT_EQ(rail.motion, AxisMotion::free);  // bounds of 1e10 are none
  EXPECT_TRUE(std::isinf(rail.motor.max_force));
  for (const ModelNote& note : report.notes) EXPECT_EQ(note.element.find("@velocity"), std::string::npos);
}

TEST(Export, MachinesKeepTheirJointsThroughMjcf) {
  Scene scene = machine();
  ModelReport report;
  Scene again = through(scene, ".xml", &report);
  for (const ModelNote& note : report.notes) EXPECT_EQ(note.kind, ModelNote::Kind::appearance) << to_text(note);
  const auto axis = [](const Scene& s, const char* name, std::size_t k) {
    return std::get<AxesJoint>(s.world.joint(s.world.find_joint(name)).kind).axes[k];
  };
  for (const auto& [name, k] : {std::pair{"shoulder", 3}, {"elbow", 3}, {"rail", 0}}) {
    ASSERT_TRUE(again.world.find_joint(name)) << name;
    EXPECT_EQ(axis(scene, name, static_cast<std::size_t>(k)), axis(again, name, static_cast<std::size_t>(k))) << name;
  }
  ASSERT_TRUE(again.world.find_joint("hook"));
  for (const char* name : {"arm", "hand", "cart", "ball"})
    EXPECT_EQ(scene.world.mass_properties(scene.world.find_body(name)),
              again.world.mass_properties(again.world.find_body(name)));
  run(scene, 200), run(again, 200);
  for (const char* name : {"arm", "hand", "cart", "ball"}) {
    const Vec3 p = scene.world.position(scene.world.find_body(name)),
               q = again.world.position(again.world.find_body(name));
    EXPECT_LT(length(p - q), 1e-9) << name;
  }
}

TEST(Export, MachinesKeepTheirTreeThroughUrdf) {
  Scene scene = machine();
  const ExportedScene exported = export_scene(scene, "machine.urdf");
  Scene again = parse_model(exported.bytes);
  again.time = scene.time;
  // URDF has no servo and no ball joint.
  std::string left_out;
  for (const std::string& sentence : exported.left_out) left_out += sentence + "\n";
  EXPECT_NE(left_out.find("joint 'elbow': its motor"), std::string::npos) << left_out;
  EXPECT_NE(left_out.find("joint 'hook'"), std::string::npos) << left_out;
  const auto& shoulder = std::get<AxesJoint>(again.world.joint(again.world.find_joint("shoulder")).kind).axes[3];
  EXPECT_EQ(shoulder.lower, -1.2);
  EXPECT_EQ(shoulder.upper, 0.7);
  EXPECT_EQ(shoulder.spring.damping, 0.3);
  EXPECT_EQ(shoulder.friction, 0.05);
  set_joint_parameters(scene.world, scene.world.find_joint("elbow"), {{"motor", std::string("none")}});
  run(scene, 200), run(again, 200);
  const auto center = [](const Scene& s, const char* name) { return s.world.center_of_mass(s.world.find_body(name)); };
  const auto turned = [](const Vec3& v) { return Vec3{v.x, -v.z, v.y}; };  // z is up in URDF
  for (const char* name : {"arm", "hand"})
    EXPECT_LT(length(turned(center(scene, name)) - center(again, name)), 1e-9) << name;
}

TEST(Export, RopesWeldsAndGearsGoThroughMjcf) {
  const Scene scene = parse_scene(R"({"rigor":1,"world":{"ground":false,"bodies":[
    {"name":"a","shape":{"sphere":0.1},"position":[0,2,0]},{"name":"b","shape":{"sphere":0.1},"position":[1,2,0]},
    {"name":"w1","shape":{"cylinder":{"radius":0.3,"height":0.1}},"position":[3,2,0]},
    {"name":"w2","shape":{"cylinder":{"radius":0.2,"height":0.1}},"position":[4,2,0]}],
   "joints":[{"type":"rope","name":"rope","a":"a","b":"b","anchor_a":[0,2,0],"anchor_b":[1,2,0],"upper":1.25},
    {"type":"hinge","name":"h1","a":"world","b":"w1","anchor":[3,2,0],"axis":[0,1,0]},
    {"type":"hinge","name":"h2","a":"world","b":"w2","anchor":[4,2,0],"axis":[0,1,0]},
    {"type":"gear","name":"g","first":"h1","second":"h2","ratio":1.5}]}})");
  ModelReport report;
  const Scene again = through(scene, ".xml", &report);
  EXPECT_EQ(std::get<DistanceJoint>(again.world.joint(again.world.find_joint("rope")).kind).upper, 1.25);
  ASSERT_TRUE(again.world.find_joint("h1_follows"));
  EXPECT_EQ(std::get<GearJoint>(again.world.joint(again.world.find_joint("h1_follows")).kind).ratio, 1.5);
}

TEST(Export, SensorsGoThroughMjcf) {
  const Scene scene = parse_scene(R"({"rigor":1,"world":{"ground":false,"bodies":[
    {"name":"arm","shape":{"box":[0.8,0.1,0.1]},"position":[0.4,3,0]}],
   "joints":[{"type":"hinge","name":"j","a":"world","b":"arm","anchor":[0,3,0],"axis":[0,0,1]}]},
   "sensors":[{"name":"spin","type":"gyro","body":"arm","position":[0.1,0,0],"orientation":[0.6,0.8,0,0]},
    {"name":"place","type":"position","body":"arm"},{"name":"fixed","type":"velocity"},
    {"name":"angle","type":"joint_position","joint":"j","axis":3},{"name":"time","type":"clock"},
    {"name":"skin","type":"touch","body":"arm","zone":{"cylinder":{"radius":0.2,"height":0.3}}},
    {"name":"double","type":"joint_velocity","joint":"j","axis":3,"factor":2}]})");
  const ExportedScene exported = export_scene(scene, "sensors.xml");
  ASSERT_EQ(std::count_if(exported.left_out.begin(), exported.left_out.end(),
                          [](const std::string& s) { return s.starts_with("sensor 'double'"); }),
            1);
  ModelReport report;
  const Scene again = parse_model(exported.bytes, {}, &report);
  ASSERT_EQ(again.sensors.size(), scene.sensors.size() - 1);
  for (std::size_t i = 0; i < again.sensors.size(); ++i) {
    const SceneSensor &a = scene.sensors[i], &b = again.sensors[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.type, b.type) << a.name;
    EXPECT_EQ(a.body, b.body) << a.name;
    EXPECT_EQ(a.position, b.position) << a.name;
    if (a.type != SceneSensor::Type::touch) {
      EXPECT_EQ(a.orientation, b.orientation) << a.name;
    }
    EXPECT_EQ(a.zone != nullptr, b.zone != nullptr) << a.name;
    EXPECT_EQ(a.joint, b.joint) << a.name;
  }
  for (const ModelNote& note : report.notes) EXPECT_EQ(note.kind, ModelNote::Kind::appearance) << to_text(note);
}

/// Twelve kinds of groups and masks, of which some do not even collide with themselves.
TEST(Export, WhatCollidesGoesThroughMjcf) {
  Scene scene;
  std::uint32_t random = 12345;
  const auto next = [&] { return random = random * 1664525u + 1013904223u; };
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) {
    BodyDef def;
    def.name = "body" + std::to_string(i);
    def.shape = sphere(0.1);
    def.position = {static_cast<double>(i), 1, 0};
    def.group = 1u << (next() >> 29);
    def.mask = (next() >> 24) | (i == 0 ? 0xffffffffu : 0u);
    scene.world.add_body(def);
    names.push_back(def.name);
  }
  const Scene again = through(scene, ".xml");
  for (const std::string& line : export_scene(scene, "out.xml").left_out)
    EXPECT_EQ(line.find("mask"), std::string::npos) << line;
  int pairs = 0;
  const auto collide = [](const World& world, const std::string& a, const std::string& b) {
    return world.may_collide(world.find_body(a), world.find_body(b));
  };
  for (const std::string& a : names)
    for (const std::string& b : names) {
      if (a == b) continue;
      pairs += collide(scene.world, a, b);
      EXPECT_EQ(collide(scene.world, a, b), collide(again.world, a, b)) << a << " and " << b;
    }
  EXPECT_GT(pairs, 10);
  EXPECT_LT(pairs, 110);
}

TEST(Export, ListsWhatAFormatCannotExpress) {
  Scene scene = machine();
  scene.drives.push_back({.joint = "elbow", .keys = {{0, 0}, {1, 1}}});
  const std::vector<std::string> left_out = export_scene(scene, "machine.xml").left_out;
  EXPECT_TRUE(
      std::any_of(left_out.begin(), left_out.end(), [](const std::string& s) { return s.starts_with("drives"); }));
  EXPECT_THROW(export_scene(scene, "machine.blend"), Error);
}

nlohmann::json json_of_glb(const std::string& bytes) {
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + 12, 4);
  return nlohmann::json::parse(bytes.substr(20, size));
}

TEST(Export, ASceneWithYUpStandsUprightInUrdf) {
  Scene scene = loose_bodies();
  const ExportedScene exported = export_scene(scene, "upright.urdf");
  EXPECT_TRUE(std::any_of(exported.left_out.begin(), exported.left_out.end(),
                          [](const std::string& s) { return s.starts_with("gravity: z points up"); }));
  Scene again = parse_model(exported.bytes);
  again.time = scene.time;
  run(scene, 150), run(again, 150);
  for (const char* name : {"crate", "ball", "pill", "can"}) {
    const Vec3 p = scene.world.position(scene.world.find_body(name)),
               q = again.world.position(again.world.find_body(name));
    EXPECT_LT(length(Vec3{p.x, -p.z, p.y} - q), 1e-6) << name;  // they lie where they fell, but for rounding
  }
}

/// Through a file, since glTF is read by its ending.
Scene through_file(const Scene& scene, const char* name, ModelReport* report) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << export_scene(scene, name).bytes;
  Scene again = load_model(path.string(), {}, report);
  std::filesystem::remove(path);
  return again;
}

TEST(Export, LooseBodiesMoveAlikeThroughGltf) {
  for (const char* file : {"rigor_loose.glb", "rigor_loose.gltf"}) {
    ModelReport report;
    Scene scene = loose_bodies(), again = through_file(scene, file, &report);
    EXPECT_TRUE(report.notes.empty());
    again.time = scene.time;
    for (const char* name : {"crate", "ball", "pill", "can", "post"}) {
      const BodyId a = scene.world.find_body(name), b = again.world.find_body(name);
      ASSERT_TRUE(b) << name;
      EXPECT_EQ(scene.world.body_def(a).shape->type(), again.world.body_def(b).shape->type()) << name;
      EXPECT_EQ(scene.world.position(a), again.world.position(b)) << name;
      EXPECT_EQ(scene.world.is_fixed(a), again.world.is_fixed(b)) << name;
      EXPECT_EQ(scene.world.body_def(a).material.friction, again.world.body_def(b).material.friction) << name;
      EXPECT_EQ(scene.world.body_def(a).material.name, again.world.body_def(b).material.name) << name;
      EXPECT_NEAR(scene.world.mass_properties(a).mass, again.world.mass_properties(b).mass, 1e-12) << name;
    }
    run(scene, 150), run(again, 150);
    for (const char* name : {"crate", "ball", "pill", "can"}) {
      const Vec3 p = scene.world.position(scene.world.find_body(name)),
                 q = again.world.position(again.world.find_body(name));
      EXPECT_LT(length(p - q), 1e-6) << name;
    }
  }
}

/// Colours of glTF are linear, those of scenes are sRGB. What is drawn keeps its colours if something else collides.
TEST(Export, ColoursGoThroughGltf) {
  const Scene scene = parse_scene(R"({"rigor":1,"name":"paint","world":{"bodies":[
    {"name":"link","position":[0,2,0],"material":{"name":"steel #808080","friction":0.3},"collision_shape":{"sphere":0.4},
     "shape":{"composite":[{"shape":{"box":[0.4,0.4,0.4]},"material":{"name":"red #cc2211"}},
                           {"shape":{"sphere":0.3},"position":[0.5,0,0],"material":{"name":"blue #1122cc"}}]}},
    {"name":"plain","shape":{"sphere":0.2},"position":[3,2,0],"material":{"name":"green #22cc11"}}]}})");
  const nlohmann::json json = nlohmann::json::parse(export_scene(scene, "paint.gltf").bytes);
  bool found = false;
  for (const auto& material : json["materials"]) {
    if (material["name"] != "steel #808080" && material["name"] != "red #cc2211") continue;
    found = true;
    const double sent = material["name"] == "red #cc2211" ? 0xcc / 255.0 : 0x80 / 255.0;
    const double expected = std::pow((sent + 0.055) / 1.055, 2.4);
    EXPECT_NEAR(material["pbrMetallicRoughness"]["baseColorFactor"][0].get<double>(), expected, 1e-12);
  }
  EXPECT_TRUE(found);
  ModelReport report;
  const Scene again = through_file(scene, "rigor_paint.glb", &report);
  const BodyDef& link = again.world.body_def(again.world.find_body("link"));
  std::vector<std::string> names;
  for (const models::PlacedShape& part : models::simple_parts(*link.shape, link.material))
    names.push_back(part.material->name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"blue #1122cc", "red #cc2211"}));
  EXPECT_EQ(link.material.name, "steel #808080");
  EXPECT_EQ(link.material.friction, 0.3);
  ASSERT_TRUE(link.collision_shape);
  EXPECT_TRUE(link.collision_shape->as<Sphere>());
  EXPECT_EQ(again.world.body_def(again.world.find_body("plain")).material.name, "green #22cc11");
}

TEST(Export, MachinesKeepTheirJointsThroughGltf) {
  ModelReport report;
  Scene scene = machine(), again = through_file(scene, "rigor_machine.glb", &report);
  again.time = scene.time;
  std::string notes;
  for (const ModelNote& note : report.notes) notes += to_text(note) + "\n";
  EXPECT_EQ(notes, "");
  for (const char* name : {"shoulder", "elbow", "rail", "hook"}) {
    const JointId a = scene.world.find_joint(name), b = again.world.find_joint(name);
    ASSERT_TRUE(b) << name;
    const auto &x = std::get<AxesJoint>(scene.world.joint(a).kind), &y = std::get<AxesJoint>(again.world.joint(b).kind);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_EQ(x.axes[k].motion, y.axes[k].motion) << name << " " << k;
      EXPECT_EQ(x.axes[k].motor, y.axes[k].motor) << name << " " << k;
      EXPECT_EQ(x.axes[k].spring, y.axes[k].spring) << name << " " << k;
    }
  }
  AxesJoint shoulder = std::get<AxesJoint>(scene.world.joint(scene.world.find_joint("shoulder")).kind);
  shoulder.axes[3].friction = 0;  // which glTF lacks
  scene.world.set_joint(scene.world.find_joint("shoulder"), shoulder);
  run(scene, 200), run(again, 200);
  for (const char* name : {"arm", "hand", "cart", "ball"}) {
    const Vec3 p = scene.world.position(scene.world.find_body(name)),
               q = again.world.position(again.world.find_body(name));
    EXPECT_LT(length(p - q), 1e-9) << name;
  }
}

TEST(Export, GlbHoldsShapesMotionAndPhysics) {
  const Scene scene = machine();
  const std::string text = write_scene(scene);
  std::string recorded;
  const std::unique_ptr<Recorder> recorder = record_into(recorded, text);
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "export_test.glb";
  const std::unique_ptr<Recorder> animation = open_recorder(file.string(), text);
  Simulation simulation = make_simulation(parse_scene(text));
  for (int i = 0; i < 20; ++i) simulation.step(0.01), animation->record(simulation);
  animation->finish();
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::filesystem::remove(file);
  const nlohmann::json json = json_of_glb(bytes);
  EXPECT_EQ(json["asset"]["version"], "2.0");
  EXPECT_EQ(json["animations"][0]["channels"].size(), 10u);  // five bodies, translation and rotation
  EXPECT_EQ(json["extensions"]["KHR_physics_rigid_bodies"]["physicsJoints"].size(), 4u);
  std::size_t moving = 0;
  for (const auto& node : json["nodes"])
    moving += node.contains("extensions") && node["extensions"]["KHR_physics_rigid_bodies"].contains("motion");
  EXPECT_EQ(moving, 4u);
  // Our own reader finds the surfaces again.
  const models::FileAccess none{.forbidden = true};
  const models::MeshData mesh = models::parse_gltf(bytes, none);
  EXPECT_GT(mesh.triangles.size(), 4u * 12u);
}

TEST(Export, UsdaIsBalancedAndHasEveryBodyAndJoint) {
  const std::string text = export_scene(machine(), "machine.usda").bytes;
  EXPECT_TRUE(text.starts_with("#usda 1.0\n"));
  int depth = 0, quotes = 0;
  for (const char c : text) {
    if (c == '"') ++quotes;
    if (quotes % 2 == 0) depth += c == '{' || c == '(' || c == '[' ? 1 : c == '}' || c == ')' || c == ']' ? -1 : 0;
    ASSERT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
  EXPECT_EQ(quotes % 2, 0);
  for (const char* part :
       {"def PhysicsScene", "def Xform \"hand\"", "def PhysicsRevoluteJoint \"shoulder\"", "PhysicsDriveAPI:angular",
        "def PhysicsPrismaticJoint \"rail\"", "def PhysicsSphericalJoint \"hook\"", "rel physics:body0 = </World/arm>"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Export, ObjHasTheSurfacesWhereTheyAre) {
  const Scene scene = loose_bodies();
  const ExportedScene exported = export_scene(scene, "moment.obj");
  models::MeshData mesh = models::parse_obj(exported.bytes);
  Aabb box;
  for (const Vec3& v : mesh.vertices) box.include(v);
  EXPECT_NEAR(box.lower.x, -3.15, 1e-12);
  EXPECT_NEAR(box.upper.x, 5.1, 1e-12);
  EXPECT_NEAR(box.upper.y, 1.45, 1e-12);
  models::tidy(mesh);
  EXPECT_TRUE(models::surface_state(mesh).is_closed()) << models::surface_state(mesh).sentence();
}

}  // namespace
}  // namespace rigor
