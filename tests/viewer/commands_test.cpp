#include "viewer/commands.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "rigor/error.h"
#include "support.h"
#include "viewer/method_panel.h"
#include "viewer/test_scenes.h"

namespace rigor::viewer {
namespace {

class ViewerCommands : public ::testing::Test {
 protected:
  Json run(const std::string& text) {
    const Json json = parse_json(text);
    const JsonReader reader(json);
    CommandContext context{session, pace, frame, 1};
    return run_command(reader, context);
  }
  /// Refused with a sentence that contains `words`, and nothing changed.
  void expect_refused(const std::string& text, const std::string& words) {
    const std::uint64_t hash = session.run(0).hash();
    const Method method = session.run(0).method();
    try {
      run(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << text << ": " << error.what();
    }
    EXPECT_EQ(session.run(0).hash(), hash) << text;
    EXPECT_EQ(session.run(0).method(), method) << text;
  }

  Session session{small_scene()};
  Pace pace;
  FrameOptions frame;
};

TEST_F(ViewerCommands, JointsAreAddedRemovedAndUndone) {
  const Json answer = run(
      R"({"do": "add-joint", "definition": {"type": "ball", "name": "pin", "a": "world", "b": "box_2", "anchor": [0, 3, 0]}})");
  const World& world = session.run(0).world();
  ASSERT_EQ(world.joint_count(), 1u);
  EXPECT_EQ(world.joints().front().index, answer["joint"].get<std::uint32_t>());
  run(R"({"do": "remove-joint", "joint": )" + std::to_string(answer["joint"].get<int>()) + "}");
  EXPECT_EQ(session.run(0).world().joint_count(), 0u);
  EXPECT_TRUE(run(R"({"do": "undo"})")["done"].get<bool>());
  EXPECT_EQ(session.run(0).world().joint_count(), 1u);
  EXPECT_TRUE(run(R"({"do": "redo"})")["done"].get<bool>());
  EXPECT_EQ(session.run(0).world().joint_count(), 0u);
  EXPECT_FALSE(run(R"({"do": "redo"})")["done"].get<bool>());
  expect_refused(R"({"do": "remove-joint", "joint": 7})", "joint");
  expect_refused(R"({"do": "add-joint", "definition": {"type": "bal", "a": "world", "b": "box_2"}})", "ball");
}

TEST_F(ViewerCommands, ForcesAreAddedReplacedSwitchedAndRemoved) {
  const auto count = [&] { return session.run(0).world().forces().size(); };
  const std::size_t before = count();
  run(R"({"do": "add-force", "definition": {"type": "point-force", "name": "push", "bodies": ["box_0"], "force": [5, 0, 0]}})");
  EXPECT_EQ(count(), before + 1);
  run(R"({"do": "add-force", "definition": {"type": "point-force", "name": "push", "bodies": ["box_0"], "force": [9, 0, 0]}})");
  EXPECT_EQ(count(), before + 1);
  run(R"({"do": "force", "force": "push", "active": false})");
  EXPECT_FALSE(session.run(0).world().force(session.run(0).world().find_force("push")).active);
  run(R"({"do": "force", "force": "push", "remove": true})");
  EXPECT_EQ(count(), before);
  expect_refused(R"({"do": "force", "force": "push", "active": true})", "force");
  expect_refused(R"({"do": "add-force", "definition": {"type": "point-force", "bodies": ["nobody"]}})", "nobody");
}

TEST_F(ViewerCommands, WrongMessagesAreRefusedAndChangeNothing) {
  expect_refused("{}", "do");
  expect_refused(R"({"do": 3})", "do");
  expect_refused(R"({"do": "plai"})", "play");
  expect_refused(R"({"do": "step", "count": 0})", "count");
  expect_refused(R"({"do": "step", "count": 1e9})", "count");
  expect_refused(R"({"do": "speed", "value": -1})", "value");
  expect_refused(R"({"do": "speed", "value": "fast"})", "value");
  expect_refused(R"({"do": "seek", "step": -1})", "step");
  expect_refused(R"({"do": "set", "key": "integrator", "value": "rk5"})", "rk4");
  expect_refused(R"({"do": "set", "key": "integratr", "value": "rk4"})", "integrator");
  expect_refused(R"({"do": "set", "key": "contact_envelope", "value": -1})", "contact_envelope");
  expect_refused(R"({"do": "set", "run": 1, "key": "integrator", "value": "rk4"})", "run");
  expect_refused(R"({"do": "preset", "name": "nope"})", "preset");
  expect_refused(R"({"do": "grab", "body": 99, "point": [0,0,0], "target": [0,0,0]})", "body");
  expect_refused(R"({"do": "drag", "target": [0, 0]})", "target");
  expect_refused(R"({"do": "remove", "body": 1000000000000})", "body");
  expect_refused(R"({"do": "remove", "body": 0})", "world");
  expect_refused(R"({"do": "edit", "body": 2, "mass": -4})", "mass");
  expect_refused(R"({"do": "edit", "body": 2, "colour": 1})", "colour");
  expect_refused(R"({"do": "spawn", "definition": {"shape": {"box": [1, -1, 1]}}})", "box");
  expect_refused(R"({"do": "view", "layers": ["everything"]})", "layer");
  expect_refused(R"({"do": "open", "scene": "/etc/passwd"})", "scene");
  expect_refused(R"({"do": "load", "name": "mine", "text": "{"})", "mine");
  expect_refused(R"({"do": "compare", "methods": []})", "one to");
  expect_refused(R"({"do": "dt", "value": 0})", "value");
}

TEST_F(ViewerCommands, ABadSceneFileGivesTheLoadersSentence) {
  expect_refused(
      R"({"do": "load", "name": "mine", "text": "{\"rigor\": 1, \"world\": {\"bodies\": [{\"shape\": {\"box\": [1, 1, -1]}}]}}"})",
      "mine: world.bodies[0].shape.box");
}

TEST_F(ViewerCommands, ChangesTheMethodInTheEngine) {
  run(R"({"do": "set", "key": "integrator", "value": "rk4"})");
  EXPECT_EQ(session.run(0).method().integrator.name, "rk4");
  run(R"({"do": "preset", "name": "garstenauer"})");
  EXPECT_EQ(session.run(0).method(), preset("garstenauer"));
}

TEST_F(ViewerCommands, EditsBodies) {
  const World& world = session.run(0).world();
  const BodyId box = world.find_body("box_1");
  const std::string body = std::to_string(box.index);
  run(R"({"do": "edit", "body": )" + body + R"(, "mass": 12.5, "position": [1, 2, 3], "velocity": [0, 1, 0]})");
  EXPECT_NEAR(session.run(0).world().mass_properties(box).mass, 12.5, 1e-12);
  EXPECT_EQ(session.run(0).world().position(box), (Vec3{1, 2, 3}));
  EXPECT_EQ(session.run(0).world().velocity(box), (Vec3{0, 1, 0}));
  const Json made =
      run(R"({"do": "spawn", "definition": {"name": "new", "shape": {"sphere": 0.2}, "position": [0, 9, 0]}})");
  EXPECT_EQ(made["body"], session.run(0).world().find_body("new").index);
  run(R"({"do": "remove", "body": )" + std::to_string(made["body"].get<int>()) + "}");
  EXPECT_FALSE(session.run(0).world().find_body("new"));
}

TEST_F(ViewerCommands, AMaterialChangesOnlyInWhatIsGiven) {
  const BodyId box = session.run(0).world().find_body("box_1");
  const std::string body = std::to_string(box.index);
  run(R"({"do": "edit", "body": )" + body + R"(, "material": {"rolling_friction": 0.01}})");
  run(R"({"do": "edit", "body": )" + body + R"(, "material": {"friction": 0.2}})");
  const Material& material = session.run(0).world().body_def(box).material;
  EXPECT_EQ(material.name, "wood");
  EXPECT_EQ(material.density, 700);
  EXPECT_EQ(material.friction, 0.2);
  EXPECT_EQ(material.rolling_friction, 0.01);
}

class ViewerJointCommands : public ViewerCommands {
 protected:
  ViewerJointCommands() {
    run(R"({"do": "load", "text": "{\"rigor\": 1, \"world\": {\"bodies\": [{\"name\": \"door\", \"shape\": {\"box\": [1, 2, 0.1]}, )"
        R"(\"position\": [0.5, 2, 0]}], \"joints\": [{\"type\": \"hinge\", \"name\": \"pin\", \"a\": \"world\", \"b\": \"door\", )"
        R"(\"anchor\": [0, 2, 0], \"axis\": [0, 1, 0]}]}}"})");
    pin = session.run(0).world().find_joint("pin");
  }
  const JointDef& joint() { return session.run(0).world().joint(pin); }
  const JointAxis& axis() { return std::get<AxesJoint>(joint().kind).axes[3]; }
  std::string edit(const std::string& change) {
    return R"({"do": "joint", "joint": )" + std::to_string(pin.index) + ", " + change + "}";
  }
  JointId pin;
};

TEST_F(ViewerJointCommands, LimitsMotorsSpringsAndStrengthCanBeEdited) {
  const Json answer = run(edit(
      R"("break_force": 300, "parameters": {"lower": -0.5, "upper": 1, "motor": "velocity", "motor_target": 2, "spring_stiffness": 4})"));
  EXPECT_EQ(axis().motion, AxisMotion::limited);
  EXPECT_EQ(axis().lower, -0.5);
  EXPECT_EQ(axis().upper, 1);
  EXPECT_EQ(axis().motor.kind, AxisMotor::Kind::velocity);
  EXPECT_EQ(axis().motor.target, 2);
  EXPECT_EQ(axis().spring.stiffness, 4);
  EXPECT_EQ(joint().break_force, 300);
  EXPECT_EQ(answer["type"], "hinge");
  EXPECT_EQ(answer["break_force"], 300);
  EXPECT_TRUE(answer["break_torque"].is_null());
  for (const Json& p : answer["parameters"])
    if (p["name"] == "upper") {
      EXPECT_EQ(p["value"], 1);
    }
  // null takes a bound away again
  run(edit(R"("break_force": null, "parameters": {"lower": null, "upper": null})"));
  EXPECT_EQ(axis().motion, AxisMotion::free);
  EXPECT_TRUE(std::isinf(joint().break_force));
}

TEST_F(ViewerJointCommands, CanBeSwitchedOffAndOn) {
  run(edit(R"("active": false)"));
  EXPECT_FALSE(joint().active);
  run(edit(R"("active": true, "broken": true)"));
  EXPECT_TRUE(joint().active);
  EXPECT_TRUE(session.run(0).world().joint_state(pin).broken);
}

TEST_F(ViewerJointCommands, WrongChangesAreRefusedInASentence) {
  expect_refused(edit(R"("parameters": {"lower": 2, "upper": 1})"), "joint 'pin'");
  expect_refused(edit(R"("parameters": {"motor_targt": 1})"), "did you mean motor_target");
  expect_refused(edit(R"("parameters": {"motor": "steam"})"), "motor");
  expect_refused(edit(R"("parameters": {"spring_stiffness": -1})"), "spring_stiffness");
  expect_refused(edit(R"("parameters": [1])"), "parameters");
  expect_refused(edit(R"("break_force": -1)"), "break_force");
  expect_refused(edit(R"("parameters": {"upper": 1}, "break_torque": "much")"), "break_torque");
  expect_refused(edit(R"("colour": 1)"), "colour");
  expect_refused(R"({"do": "joint", "joint": 99})", "no such joint");
  EXPECT_EQ(axis().motion, AxisMotion::free);
}

TEST_F(ViewerCommands, OtherFormatsAreNamed) {
  expect_refused(R"({"do": "load", "name": "arm.urdf", "text": "<?xml version='1.0'?>\n<robot name='arm'/>"})",
                 "arm.urdf: this is a URDF file, which a page cannot open");
  expect_refused(R"({"do": "load", "name": "ant.xml", "text": "\n<mujoco model='ant'/>"})", "an MJCF file");
  expect_refused(R"({"do": "load", "name": "a.svg", "text": "<svg/>"})", "an XML file");
}

TEST_F(ViewerCommands, ResidualsFallWithTheIterations) {
  for (int i = 0; i < 5; ++i) session.step();
  const std::uint64_t hash = session.run(0).hash();
  const Json answer = run(R"({"do": "residuals", "most": 20})");
  const std::vector<double> list = answer["runs"][0]["residuals"];
  ASSERT_EQ(list.size(), 20u);
  EXPECT_LT(list.back(), list.front());
  EXPECT_EQ(session.run(0).hash(), hash);
  run(R"({"do": "preset", "name": "free-flight"})");
  EXPECT_FALSE(run(R"({"do": "residuals"})")["runs"][0]["why"].get<std::string>().empty());
  expect_refused(R"({"do": "residuals", "most": 100000})", "most");
}

TEST_F(ViewerCommands, SaveAnswersWithTheScene) {
  const Json saved = run(R"({"do": "save"})");
  EXPECT_EQ(parse_scene(saved["text"].get<std::string>()).world.hash(), session.run(0).world().hash());
}

TEST(ViewerMethodPanel, ShowsEverySlotWithUnitsRangesAndRefusals) {
  const Json panel = describe_method(preset("garstenauer-sequential"));
  ASSERT_EQ(panel["slots"].size(), method_slots().size());
  bool refused = false;
  for (const Json& slot : panel["slots"]) {
    bool current = false;
    for (const Json& option : slot["options"]) {
      current = current || option["name"] == slot["name"];
      refused = refused || option.contains("refused");
      EXPECT_FALSE(option["description"].get<std::string>().empty());
    }
    EXPECT_TRUE(current) << slot["key"];
    for (const Json& parameter : slot["parameters"]) EXPECT_TRUE(parameter.contains("value")) << slot["key"];
  }
  EXPECT_TRUE(refused);  // a position-level method is no solver for collisions
  EXPECT_EQ(panel["preset"], "garstenauer-sequential");
}

TEST(ViewerMethodPanel, DescribesTheMethodOfEveryPresetAndScene) {
  std::vector<Method> all;
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::preset) all.push_back(preset(info.name));
  for (const std::string& name : builtin_scene_names()) all.push_back(open_scene(name).method);
  for (const Method& method : all) {
    const Json panel = describe_method(method);
    EXPECT_FALSE(panel.dump().empty());
    for (const Json& slot : panel["slots"])
      for (const Json& parameter : slot["parameters"]) EXPECT_TRUE(parameter.contains("value")) << parameter.dump();
  }
}

}  // namespace
}  // namespace rigor::viewer
