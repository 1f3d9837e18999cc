// MJCF: defaults, frames, joints, geoms, couplings, and the account of what is not honoured.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "models/model_text.h"
#include "rigor/model.h"

namespace rigor {
namespace {

std::string model(const std::string& world, const std::string& before = "", const std::string& after = "") {
  return "<mujoco>" + before + "<worldbody>" + world + "</worldbody>" + after + "</mujoco>";
}

Quat turn_of(const std::string& attributes, const std::string& compiler = "") {
  const Scene scene =
      parse_model(model("<body name=\"b\" " + attributes + "><freejoint/><geom size=\"1\"/></body>", compiler));
  return scene.world.orientation(scene.world.find_body("b"));
}

void expect_turns(const Quat& q, const Vec3& from, const Vec3& to) { EXPECT_LT(length(rotate(q, from) - to), 1e-12); }

TEST(Mjcf, ReadsAllOrientations) {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  expect_turns(turn_of("quat=\"1 0 0 1\""), x, y);
  expect_turns(turn_of("axisangle=\"0 0 2 90\""), x, y);
  expect_turns(turn_of("axisangle=\"0 0 2 1.5707963267948966\"", "<compiler angle=\"radian\"/>"), x, y);
  expect_turns(turn_of("xyaxes=\"0 1 0 -1 0 0\""), x, y);
  expect_turns(turn_of("zaxis=\"0 3 0\""), z, y);
  // Small letters: about axes that have been turned already. x by 90°, then the new y (the old z) by 90°: z goes where x was… of the moved frame.
  expect_turns(turn_of("euler=\"90 90 0\""), z, x);
  expect_turns(turn_of("euler=\"90 90 0\"", "<compiler eulerseq=\"XYZ\"/>"), y, x);
  expect_turns(turn_of("euler=\"0 0 90\"", "<compiler eulerseq=\"zyx\"/>"), y, z);
}

TEST(Mjcf, DefaultsAndClassesComeFromTheNearest) {
  const std::string defaults =
      "<default><geom density=\"500\" type=\"box\" size=\"1 1 1\"/><default class=\"heavy\"><geom density=\"2000\"/>"
      "<default class=\"small\"><geom size=\".5 .5 .5\"/></default></default></default>";
  const Scene scene = parse_model(model(
      "<body name=\"a\"><freejoint/><geom/></body><body name=\"b\" childclass=\"heavy\"><freejoint/><geom/></body>"
      "<body name=\"c\" childclass=\"heavy\"><freejoint/><geom class=\"small\"/></body>",
      defaults));
  const auto mass = [&](const char* name) { return scene.world.mass_properties(scene.world.find_body(name)).mass; };
  EXPECT_NEAR(mass("a"), 4000, 1e-9);
  EXPECT_NEAR(mass("b"), 16000, 1e-9);
  EXPECT_NEAR(mass("c"), 2000, 1e-9);
  EXPECT_NE(refusal_of(model("<body><geom class=\"nobody\" size=\"1\"/></body>")).find("no default class 'nobody'"),
            std::string::npos);
}

TEST(Mjcf, JointsOfOneBodyAreOneJoint) {
  const Scene scene =
      parse_model(model("<body name=\"hip\"><joint name=\"x\" axis=\"1 0 0\" range=\"-20 40\"/><joint name=\"z\" "
                        "axis=\"0 0 1\" range=\"-10 30\"/>"
                        "<joint name=\"y\" axis=\"0 1 0\" range=\"-50 60\" damping=\"2\"/><geom size=\"1\"/></body>"));
  const JointId id = scene.world.find_joint("x+z+y");
  ASSERT_TRUE(id);
  const auto& axes = std::get<AxesJoint>(scene.world.joint(id).kind).axes;
  EXPECT_NEAR(axes[3].lower, -20 * kPi / 180, 1e-12);
  EXPECT_NEAR(axes[4].upper, 30 * kPi / 180, 1e-12);
  EXPECT_NEAR(axes[5].lower, -60 * kPi / 180, 1e-12);  // its axis points the other way
  EXPECT_EQ(axes[5].spring.damping, 2);
  // Axes that are not perpendicular need a body between them.
  ModelReport report;
  const Scene skew = parse_model(model("<body name=\"foot\"><joint name=\"a\" axis=\"0 1 0\"/><joint name=\"b\" "
                                       "axis=\"1 0.5 0\"/><geom size=\"1\"/></body>"),
                                 {}, &report);
  EXPECT_EQ(skew.world.joint_count(), 2u);
  EXPECT_NE(notes_of(report).find("a body of a ten thousandth of its mass is put between them"), std::string::npos);
}

TEST(Mjcf, FramesAndReplicasPlaceBodies) {
  const Scene scene =
      parse_model(model("<frame pos=\"0 0 1\" euler=\"0 0 90\"><body name=\"a\" pos=\"1 0 0\"><freejoint/><geom "
                        "size=\".1\"/></body></frame>"
                        "<replicate count=\"4\" euler=\"0 0 90\"><body name=\"r\" pos=\"2 0 0\"><freejoint/><geom "
                        "size=\".1\"/></body></replicate>"));
  EXPECT_LT(length(scene.world.position(scene.world.find_body("a")) - Vec3{0, 1, 1}), 1e-12);
  EXPECT_LT(length(scene.world.position(scene.world.find_body("r1")) - Vec3{0, 2, 0}), 1e-12);
  EXPECT_LT(length(scene.world.position(scene.world.find_body("r3")) - Vec3{0, -2, 0}), 1e-12);
  EXPECT_NE(refusal_of(model("<replicate count=\"1e9\"><body/></replicate>")).find("count"), std::string::npos);
  std::string nested = "<body><geom size=\"1\"/></body>";
  for (int i = 0; i < 8; ++i) nested = "<replicate count=\"100\">" + nested + "</replicate>";
  EXPECT_NE(refusal_of(model(nested)).find("at most 200000 bodies"), std::string::npos);
}

TEST(Mjcf, ActuatorsAreMotors) {
  const Scene scene =
      parse_model(model("<body name=\"a\"><joint name=\"j\"/><geom size=\"1\"/><body name=\"b\" pos=\"2 0 0\"><joint "
                        "name=\"k\"/><geom size=\"1\"/></body></body>",
                        "",
                        "<actuator><position joint=\"j\" kp=\"30\" kv=\"2\" gear=\"2\" forcerange=\"-5 5\"/><motor "
                        "joint=\"k\" gear=\"100\" ctrlrange=\"-.4 .4\"/></actuator>"));
  const auto axis = [&](const char* name) {
    return std::get<AxesJoint>(scene.world.joint(scene.world.find_joint(name)).kind).axes[3];
  };
  EXPECT_EQ(axis("j").motor.kind, AxisMotor::Kind::servo);
  EXPECT_NEAR(axis("j").motor.proportional, 120, 1e-12);
  EXPECT_NEAR(axis("j").motor.derivative, 8, 1e-12);
  EXPECT_NEAR(axis("j").motor.max_force, 10, 1e-12);
  EXPECT_EQ(axis("k").motor.kind, AxisMotor::Kind::none);  // its control is zero
  EXPECT_NEAR(axis("k").motor.max_force, 40, 1e-12);
}

TEST(Mjcf, ContactsFollowTypesAffinitiesAndPriorities) {
  const Scene scene = parse_model(
      model("<geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>"
            "<body name=\"a\" pos=\"0 0 2\"><freejoint/><geom size=\".1\" contype=\"1\" conaffinity=\"0\"/></body>"
            "<body name=\"b\" pos=\"0 0 3\"><freejoint/><geom size=\".1\" contype=\"1\" conaffinity=\"0\"/></body>"
            "<body name=\"c\" pos=\"0 0 4\"><freejoint/><geom size=\".1\" contype=\"0\" conaffinity=\"0\"/></body>"
            "<body name=\"d\" pos=\"0 0 5\"><freejoint/><geom size=\".1\" condim=\"1\" priority=\"1\" rgba=\"1 0 0 "
            "1\"/></body>"
            "<body name=\"e\" pos=\"0 0 6\"><freejoint/><geom size=\".1\"/></body>",
            "", "<contact><exclude body1=\"d\" body2=\"e\"/></contact>"));
  const World& w = scene.world;
  const auto collide = [&](const char* a, const char* b) { return w.may_collide(w.find_body(a), w.find_body(b)); };
  EXPECT_TRUE(collide("a", "floor"));
  EXPECT_FALSE(collide("a", "b"));
  EXPECT_FALSE(collide("c", "floor"));
  EXPECT_TRUE(collide("a", "e"));
  EXPECT_FALSE(collide("d", "e"));
  const auto& rules = w.material_rules().pairs;
  const auto found = rules.find(
      std::minmax(w.body_def(w.find_body("d")).material.name, w.body_def(w.find_body("floor")).material.name));
  ASSERT_NE(found, rules.end());
  EXPECT_EQ(found->second.friction, 0);
  const Scene again = parse_scene(write_scene(scene));
  EXPECT_FALSE(again.world.may_collide(again.world.find_body("d"), again.world.find_body("e")));
}

TEST(Mjcf, EqualitiesAndTendonsAreJoints) {
  ModelReport report;
  const Scene scene = parse_model(
      model("<site name=\"s\" pos=\"0 0 3\"/><body name=\"a\" pos=\"0 0 1\"><freejoint/><geom size=\".1\"/><site "
            "name=\"t\"/></body>"
            "<body name=\"b\" pos=\"0 0 2\"><freejoint/><geom size=\".1\"/></body>"
            "<body name=\"g\"><joint name=\"g\"/><geom size=\".1\"/></body><body name=\"h\"><joint name=\"h\"/><geom "
            "size=\".1\"/></body>",
            "",
            "<equality><connect body1=\"a\" body2=\"b\" anchor=\"0 0 .5\"/><weld body1=\"b\"/><joint joint1=\"g\" "
            "joint2=\"h\" polycoef=\"0 2\"/></equality>"
            "<tendon><spatial name=\"rope\" range=\"0 2\"><site site=\"s\"/><site site=\"t\"/></spatial></tendon>"),
      {}, &report);
  const World& w = scene.world;
  ASSERT_TRUE(w.find_joint("connect"));
  EXPECT_NEAR(w.joint(w.find_joint("connect")).frame_b.translation.z, -0.5, 1e-12);
  ASSERT_TRUE(w.find_joint("weld"));
  ASSERT_TRUE(w.find_joint("rope"));
  EXPECT_EQ(std::get<DistanceJoint>(w.joint(w.find_joint("rope")).kind).upper, 2);
  ASSERT_TRUE(w.find_joint("g_follows")) << notes_of(report);
  EXPECT_EQ(std::get<GearJoint>(w.joint(w.find_joint("g_follows")).kind).ratio, -2);
}

TEST(Mjcf, KeyframesAreStarts) {
  const std::string text = model(
      "<body name=\"a\" pos=\"0 0 1\"><joint name=\"s\" type=\"slide\" ref=\"0.5\"/><geom size=\".1\"/></body><body "
      "name=\"f\"><freejoint/><geom size=\".1\"/></body>",
      "", "<keyframe><key name=\"up\" qpos=\"1.5 1 2 3 0 0 0 1\"/></keyframe>");
  const Scene rest = parse_model(text);
  EXPECT_NEAR(rest.world.position(rest.world.find_body("a")).z, 1, 1e-15);
  const Scene up = parse_model(text, {.keyframe = "up"});
  EXPECT_NEAR(up.world.position(up.world.find_body("a")).z, 2, 1e-15);
  EXPECT_NEAR(up.world.joint_position(up.world.find_joint("s"), 0), 1, 1e-12);
  EXPECT_LT(length(up.world.position(up.world.find_body("f")) - Vec3{1, 2, 3}), 1e-15);
  EXPECT_NE(refusal_of(text, {.keyframe = "down"}).find("there is no keyframe 'down'"), std::string::npos);
}

TEST(Mjcf, IncludesKeepTheirLinesAndCyclesAreRefused) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "rigor_mjcf_include";
  std::filesystem::create_directories(folder / "inner");
  std::ofstream(folder / "main.xml") << "<mujoco><include file=\"part.xml\"/><worldbody><include "
                                        "file=\"inner/body.xml\"/></worldbody></mujoco>";
  std::ofstream(folder / "part.xml") << "<mujoco>\n<option timestep=\"0.004\"/>\n<wings/></mujoco>";
  std::ofstream(folder / "inner" / "body.xml")
      << "<mujocoinclude><body name=\"b\"><freejoint/><geom size=\"1\"/></body></mujocoinclude>";
  std::ofstream(folder / "cycle.xml") << "<mujoco><include file=\"cycle2.xml\"/></mujoco>";
  std::ofstream(folder / "cycle2.xml") << "<mujoco><include file=\"cycle.xml\"/></mujoco>";
  std::ofstream(folder / "missing.xml") << "<mujoco>\n<include file=\"nowhere.xml\"/></mujoco>";
  std::ofstream(folder / "out.xml") << "<mujoco><include file=\"../elsewhere.xml\"/></mujoco>";
  std::ofstream(folder.parent_path() / "elsewhere.xml") << "<mujoco/>";
  ModelReport report;
  const Scene scene = load_model((folder / "main.xml").string(), {}, &report);
  EXPECT_TRUE(scene.world.find_body("b"));
  EXPECT_EQ(scene.time.step, 0.004);
  EXPECT_NE(notes_of(report).find("part.xml:3: wings: unknown element"), std::string::npos) << notes_of(report);
  const auto message = [&](const char* name) -> std::string {
    try {
      load_model((folder / name).string());
    } catch (const Error& error) {
      return error.what();
    }
    return "(no error)";
  };
  EXPECT_NE(message("cycle.xml").find("is included already"), std::string::npos) << message("cycle.xml");
  EXPECT_NE(message("missing.xml").find("missing.xml:2: <include>: there is no file 'nowhere.xml' to include"),
            std::string::npos)
      << message("missing.xml");
  EXPECT_NE(message("out.xml").find("outside of the folder"), std::string::npos) << message("out.xml");
  std::filesystem::remove_all(folder);
}

TEST(Mjcf, IncludesOfIncludedFilesLieBesideThem) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "rigor_nested_includes";
  std::filesystem::create_directories(folder / "parts");
  std::ofstream(folder / "main.xml") << R"(<mujoco><worldbody><include file="parts/arm.xml"/></worldbody></mujoco>)";
  std::ofstream(folder / "parts" / "arm.xml")
      << R"(<mujocoinclude><body name="arm"><joint/><geom size="0.1"/><include file="hand.xml"/></body></mujocoinclude>)";
  std::ofstream(folder / "parts" / "hand.xml")
      << R"(<mujocoinclude><body name="hand" pos="1 0 0"><joint/><geom size="0.1"/></body></mujocoinclude>)";
  const Scene scene = load_model((folder / "main.xml").string());
  EXPECT_TRUE(scene.world.find_body("hand"));
  std::filesystem::remove_all(folder);
}

TEST(Mjcf, RefusesBrokenFilesInOneSentence) {
  const std::pair<std::string, std::string> cases[] = {
      {model("<joint/>"), "the world has no joints"},
      {model("<body><joint type=\"screw\"/><geom size=\"1\"/></body>"), "expected free, ball, slide or hinge"},
      {model("<body><body><freejoint/><geom size=\"1\"/></body></body>"),
       "only bodies of the world itself move freely"},
      {model("<body><freejoint/><geom type=\"box\" size=\"1\"/></body>"), "expected 3 positive numbers for a box"},
      {model("<body><freejoint/><geom size=\"1 x\"/></body>"), "expected numbers"},
      {model("<body name=\"a\"><geom size=\"1\"/></body><body name=\"a\"/>"), "there is already a body named 'a'"},
      {model("<body quat=\"0 0 0 0\"/>"), "four zeros"},
      {model("<geom type=\"mesh\" mesh=\"m\"/>"), "there is no mesh named 'm'"},
      {model("", "<compiler eulerseq=\"abc\"/>"), "three of the letters"},
      {model("", "<compiler coordinate=\"global\"/>"), "global coordinates are not read"},
      {model("", "<option timestep=\"0\"/>"), "timestep"},
      {model("", "", "<actuator><motor joint=\"nobody\"/></actuator>"), "there is no joint named 'nobody'"}};
  for (const auto& [text, words] : cases)
    EXPECT_NE(refusal_of(text).find(words), std::string::npos) << words << " / " << refusal_of(text);
}

/// Links without mass, such as frames of sensors, ended the reading without a place.
TEST(Mjcf, SetsTheTotalMassAlsoWithLinksThatHaveNone) {
  const auto text = [](const std::string& mass) {
    return model(R"(<body name="a"><freejoint/><geom size=".1" mass="3"/><body name="frame"><site name="s"/></body>
      <body name="b" pos="0 0 1"><joint/><geom size=".1" mass="1"/></body></body>)",
                 "<compiler settotalmass=\"" + mass + "\"/>");
  };
  const Scene scene = parse_model(text("20"));
  EXPECT_NEAR(*scene.world.body_def(scene.world.find_body("a")).mass, 15, 1e-12);
  EXPECT_NEAR(*scene.world.body_def(scene.world.find_body("b")).mass, 5, 1e-12);
  EXPECT_NE(refusal_of(text("1e-310")).find("model:1: <compiler>: settotalmass: expected a mass in kg"),
            std::string::npos)
      << refusal_of(text("1e-310"));
}

}  // namespace
}  // namespace rigor
