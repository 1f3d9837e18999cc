#include "viewer/edit_commands.h"

#include <nlohmann/json.hpp>

#include "rigor/error.h"
#include "support.h"
#include "viewer/commands.h"
#include "world/joint_gap.h"

namespace rigor::viewer {
namespace {

constexpr const char* kMachine = R"({"rigor": 1, "name": "machine", "world": {"bodies": [
  {"name": "one", "shape": {"cylinder": {"radius": 0.4, "height": 0.1}}, "position": [0, 2, 0], "orientation": {"axis": [1, 0, 0], "angle_deg": 90}},
  {"name": "two", "shape": {"cylinder": {"radius": 0.4, "height": 0.1}}, "position": [1, 2, 0], "orientation": {"axis": [1, 0, 0], "angle_deg": 90}},
  {"name": "box", "shape": {"box": [1, 1, 1]}, "position": [4, 2, 0]}],
 "joints": [
  {"type": "hinge", "name": "axle 1", "a": "world", "b": "one", "anchor": [0, 2, 0], "axis": [0, 0, 1]},
  {"type": "hinge", "name": "axle 2", "a": "world", "b": "two", "anchor": [1, 2, 0], "axis": [0, 0, 1]},
  {"type": "gear", "name": "teeth", "first": "axle 1", "second": "axle 2", "ratio": 1},
  {"type": "distance", "name": "rod", "a": "world", "b": "box", "anchor_a": [4, 4, 0]},
  {"type": "rope", "name": "rope", "a": "world", "b": "box", "anchor_a": [5, 3, 0], "upper": 2},
  {"type": "path", "name": "wire", "a": "one", "b": "box", "points": [[4, 0, 0], [5, 0, 0]], "active": false}]},
 "appearance": {"lights": [{"body": "one"}, {"body": "box"}], "cameras": [{"name": "eye", "body": "box"}, {"name": "other", "mode": "target", "target": "one"}]},
 "sensors": [{"name": "a", "type": "gyro", "body": "one"}, {"name": "b", "type": "gyro", "body": "box"}],
 "camera": {"follow": "box", "trails": ["one", "box"]}})";

class EditCommands : public ::testing::Test {
 protected:
  Json run(const std::string& text) {
    const Json json = parse_json(text);
    CommandContext context{session, pace, frame, 1};
    return run_command(JsonReader(json), context);
  }
  void expect_refused(const std::string& text, const std::string& words) {
    const std::uint64_t hash = session.run(0).hash();
    try {
      run(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << text << ": " << error.what();
    }
    EXPECT_EQ(session.run(0).hash(), hash) << text;
  }
  const World& world() { return session.run(0).world(); }
  std::string body(const char* name) { return std::to_string(world().find_body(name).index); }
  std::string joint(const char* name) { return std::to_string(world().find_joint(name).index); }
  std::string anchor(const char* name, const char* end, const char* point) {
    return R"({"do": "anchor", "joint": )" + joint(name) + R"(, "end": ")" + end + R"(", "point": )" + point + "}";
  }

  Session session{parse_scene(kMachine)};
  Pace pace;
  FrameOptions frame;
};

TEST_F(EditCommands, ABodyGetsAnotherNameAndItsOldOneBack) {
  run(R"({"do": "edit", "body": )" + body("box") + R"(, "name": "crate"})");
  EXPECT_TRUE(world().find_body("crate"));
  EXPECT_FALSE(world().find_body("box"));
  expect_refused(R"({"do": "edit", "body": )" + body("crate") + R"(, "name": "one"})", "'one' already");
  expect_refused(R"({"do": "edit", "body": )" + body("crate") + R"(, "name": ""})", "name");
  run(R"({"do": "undo"})");
  EXPECT_TRUE(world().find_body("box"));
}

/// A saved scene uses the present names of bodies and contains no removed ones.
TEST_F(EditCommands, ASavedSceneFollowsNames) {
  run(R"({"do": "edit", "body": )" + body("box") + R"(, "name": "crate"})");
  run(R"({"do": "remove", "body": )" + body("one") + "}");
  const Scene saved = parse_scene(run(R"({"do": "save"})")["text"].get<std::string>());
  EXPECT_EQ(saved.camera.follow, "crate");
  EXPECT_EQ(saved.camera.trails, std::vector<std::string>{"crate"});
  ASSERT_EQ(saved.appearance.lights.size(), 1u);
  EXPECT_EQ(saved.appearance.lights[0].body, "crate");
  ASSERT_EQ(saved.appearance.cameras.size(), 1u);
  EXPECT_EQ(saved.appearance.cameras[0].body, "crate");
  ASSERT_EQ(saved.sensors.size(), 1u);
  EXPECT_EQ(saved.sensors[0].body, "crate");
}

TEST_F(EditCommands, ABodyGetsAnotherShapeAndItsMassFollows) {
  const BodyId box = world().find_body("box");
  const double before = world().mass_properties(box).mass;
  run(R"({"do": "edit", "body": )" + body("box") + R"(, "shape": {"box": [1, 2, 1]}})");
  EXPECT_NEAR(world().mass_properties(box).mass, 2 * before, 1e-9 * before);
  expect_refused(R"({"do": "edit", "body": )" + body("box") + R"(, "shape": {"box": [1, -2, 1]}})", "box");
  expect_refused(R"({"do": "edit", "body": )" + body("box") + R"(, "shape": {"bax": 1}})", "box");
  expect_refused(R"({"do": "edit", "body": 0, "shape": {"box": [1, 1, 1]}})", "world");
  run(R"({"do": "undo"})");
  EXPECT_EQ(world().mass_properties(box).mass, before);
}

/// The frames of both bodies move alike, so that nothing jumps; the index and the gear stay.
TEST_F(EditCommands, TheAnchorOfAHingeMovesAndItsGearStays) {
  const std::string index = joint("axle 1"), gear = joint("teeth");
  const Json answer = run(anchor("axle 1", "b", "[0.1, 2.3, 0]"));
  EXPECT_EQ(std::to_string(answer["index"].get<int>()), index);
  EXPECT_EQ(joint("axle 1"), index);
  EXPECT_EQ(joint("teeth"), gear);
  const JointDef& def = world().joint(world().find_joint("axle 1"));
  EXPECT_NEAR(length(joint_frame(world(), def.b, def.frame_b).translation - Vec3{0.1, 2.3, 0}), 0, 1e-12);
  EXPECT_NEAR(length(joint_gap(world(), def)), 0, 1e-12);
  const auto& kind = std::get<GearJoint>(world().joint(world().find_joint("teeth")).kind);
  EXPECT_EQ(kind.first, world().find_joint("axle 1"));
  EXPECT_EQ(kind.second, world().find_joint("axle 2"));
  for (int i = 0; i < 10; ++i) session.step();
  run(R"({"do": "undo"})");
  EXPECT_EQ(world().joint(world().find_joint("axle 1")).frame_a.translation, (Vec3{0, 2, 0}));
}

/// The direction is one of the world; anchor and coordinates stay, and gears keep turning with the joint.
TEST_F(EditCommands, TheAxisOfAHingeTurns) {
  for (int i = 0; i < 10; ++i) session.step();
  const std::string index = joint("axle 1");
  const double angle = world().joint_position(world().find_joint("axle 1"), 3);
  const Json answer = run(R"({"do": "axis", "joint": )" + index + R"(, "axis": [0, 3, 4]})");
  EXPECT_EQ(joint("axle 1"), index);
  EXPECT_NEAR(answer["axis"][1].get<double>(), 0.6, 1e-12);
  EXPECT_NEAR(answer["axis"][2].get<double>(), 0.8, 1e-12);
  const JointDef& def = world().joint(world().find_joint("axle 1"));
  for (const auto& [body, frame] : {std::pair(def.a, def.frame_a), std::pair(def.b, def.frame_b)})
    EXPECT_NEAR(length(rotate(joint_frame(world(), body, frame).rotation, {1, 0, 0}) - Vec3{0, 0.6, 0.8}), 0, 1e-9);
  EXPECT_NEAR(world().joint_position(world().find_joint("axle 1"), 3), angle, 1e-9);
  EXPECT_NEAR(length(joint_gap(world(), def)), 0, 1e-6);
  run(R"({"do": "undo"})");
  EXPECT_NEAR(run(R"({"do": "joint", "joint": )" + index + "}")["axis"][2].get<double>(), 1, 1e-12);
  expect_refused(R"({"do": "axis", "joint": )" + index + R"(, "axis": [0, 0, 0]})", "a direction");
  expect_refused(R"({"do": "axis", "joint": )" + joint("rod") + R"(, "axis": [0, 1, 0]})", "no single axis");
}

/// A rod has the length that its ends need, and a rope is never too short; the other end stays where it is.
TEST_F(EditCommands, AnEndOfARodOrRopeMovesAlone) {
  run(anchor("rod", "a", "[4, 5, 0]"));
  const JointDef rod = world().joint(world().find_joint("rod"));
  EXPECT_EQ(rod.frame_a.translation, (Vec3{4, 5, 0}));
  EXPECT_EQ(rod.frame_b.translation, Vec3{});
  EXPECT_DOUBLE_EQ(std::get<DistanceJoint>(rod.kind).upper, 3);
  EXPECT_DOUBLE_EQ(std::get<DistanceJoint>(rod.kind).lower, 3);
  run(anchor("rope", "b", "[4, 2.5, 0]"));
  EXPECT_DOUBLE_EQ(std::get<DistanceJoint>(world().joint(world().find_joint("rope")).kind).upper, 2);
  run(anchor("rope", "a", "[4, 7.5, 0]"));
  EXPECT_DOUBLE_EQ(std::get<DistanceJoint>(world().joint(world().find_joint("rope")).kind).upper, 5);
}

TEST_F(EditCommands, WhatHasNoAnchorSaysSo) {
  expect_refused(anchor("teeth", "b", "[0, 0, 0]"), "no anchor");
  expect_refused(anchor("wire", "b", "[0, 0, 0]"), "no anchor");
  expect_refused(anchor("rod", "c", "[0, 0, 0]"), "'a' or 'b'");
  expect_refused(anchor("rod", "a", "[0, 0]"), "point");
  expect_refused(R"({"do": "anchor", "joint": 77, "end": "a", "point": [0, 0, 0]})", "no such joint");
}

/// In every simulation of a comparison the anchor is the same point of the bodies.
TEST_F(EditCommands, AnAnchorMovesInEverySimulation) {
  run(R"({"do": "compare", "methods": [0, "garstenauer"]})");
  for (int i = 0; i < 20; ++i) session.step();
  run(anchor("axle 2", "b", "[1, 2.2, 0]"));
  const auto frame_of = [&](std::size_t k) {
    const World& w = session.run(k).world();
    return w.joint(w.find_joint("axle 2")).frame_b.translation;
  };
  EXPECT_EQ(frame_of(0), frame_of(1));
  EXPECT_TRUE(session.step());
}

TEST_F(EditCommands, AMaterialIsAddedGivenToABodyChangedAndTakenBack) {
  run(R"({"do": "material", "name": "ice", "numbers": {"density": 900, "friction": 0.02}})");
  run(R"({"do": "edit", "body": )" + body("box") + R"(, "material": "ice"})");
  const auto box = [&] { return world().body_def(world().find_body("box")); };
  EXPECT_EQ(box().material.friction, 0.02);
  EXPECT_NEAR(world().mass_properties(world().find_body("box")).mass, 900, 1e-9);
  run(R"({"do": "material", "name": "ice", "numbers": {"friction": 0.05}})");
  EXPECT_EQ(box().material.friction, 0.05);
  EXPECT_EQ(box().material.density, 900);
  EXPECT_EQ(session.scene().materials.at("ice").friction, 0.05);
  expect_refused(R"({"do": "remove-material", "name": "ice"})", "'box' is made of it");
  const Scene saved = parse_scene(write_scene(session.edited_scene()));
  EXPECT_EQ(saved.world.body_def(saved.world.find_body("box")).material, box().material);
  session.undo(), session.undo(), session.undo();
  EXPECT_TRUE(session.scene().materials.empty());
  EXPECT_EQ(box().material, Material{});
  session.redo();
  EXPECT_EQ(session.scene().materials.at("ice").friction, 0.02);
  run(R"({"do": "remove-material", "name": "ice"})");
  EXPECT_TRUE(session.scene().materials.empty());
}

TEST_F(EditCommands, ABodyWithNumbersOfItsOwnKeepsThemWhenItsMaterialChanges) {
  run(R"({"do": "material", "name": "ice", "numbers": {"friction": 0.02}})");
  run(R"({"do": "edit", "body": )" + body("box") + R"(, "material": "ice"})");
  run(R"({"do": "edit", "body": )" + body("box") + R"(, "material": {"restitution": 0.5}})");
  run(R"({"do": "material", "name": "ice", "numbers": {"friction": 0.1}})");
  EXPECT_EQ(world().body_def(world().find_body("box")).material.friction, 0.02);
}

TEST_F(EditCommands, AWrongMaterialIsRefusedInASentence) {
  expect_refused(R"({"do": "material", "name": "ice", "numbers": {"friction": -1}})", "friction");
  expect_refused(R"({"do": "material", "name": "ice", "numbers": {"slippery": true}})", "slippery");
  expect_refused(R"({"do": "remove-material", "name": "snow"})", "no such material");
}

}  // namespace
}  // namespace rigor::viewer
