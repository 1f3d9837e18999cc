// MJCF: height fields, compensated gravity, tendons of joints, servos by an affine bias.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor {
namespace {

Scene load(const std::string& text, ModelReport* report = nullptr) {
  return parse_model("<mujoco>" + text + "</mujoco>", {}, report);
}

void expect_honoured(const ModelReport& report) {
  for (const ModelNote& note : report.notes) EXPECT_EQ(note.kind, ModelNote::Kind::appearance) << to_text(note);
}

JointAxis axis_of(const Scene& scene, const char* joint) {
  return std::get<AxesJoint>(scene.world.joint(scene.world.find_joint(joint)).kind).axes[3];
}

/// A pendulum with a rotor falls with the acceleration m g l / (I + m l² + armature).
TEST(MjcfElements, ArmatureOfAJointOnTheWorldIsExact) {
  ModelReport report;
  Scene scene = load(
      R"(<option timestep="0.0001"/><worldbody><body name="bob"><joint name="j" axis="0 1 0" armature="0.5"/>
      <geom size="0.1" pos="1 0 0" mass="2"/></body></worldbody>)",
      &report);
  EXPECT_TRUE(report.notes.empty());
  scene.method = preset("featherstone");
  Simulation simulation = make_simulation(scene);
  simulation.step();
  const double inertia = 0.4 * 2 * 0.01 + 2 + 0.5;
  EXPECT_NEAR(simulation.world().joint_velocity(scene.world.find_joint("j"), 3), 2 * 9.81 / inertia * 1e-4, 1e-9);
}

/// Ways to write an orientation replace each other: the class's quat counted although the geom has an euler of its own.
TEST(MjcfElements, AnOwnOrientationReplacesThatOfTheClass) {
  const auto moment = [](const std::string& own) {  // kg m², about z
    const Scene scene = load(R"(<default><default class="c"><geom quat="1 1 0 0"/></default></default><worldbody>
      <body name="b"><freejoint/><geom class="c" type="box" size=".1 .2 .3" mass="60" )" +
                             own + "/></body></worldbody>");
    return scene.world.mass_properties(scene.world.find_body("b")).inertia(2, 2);
  };
  EXPECT_NEAR(moment(R"(euler="0 0 90")"), 20 * (0.1 * 0.1 + 0.2 * 0.2), 1e-9);
  EXPECT_NEAR(moment(""), 20 * (0.1 * 0.1 + 0.3 * 0.3), 1e-9);
}

/// A material with two sets of numbers is divided; the name of the second was that of another material of the file.
TEST(MjcfElements, MadeNamesOfMaterialsAreNotThoseOfTheFile) {
  const Scene scene = load(R"(<asset><material name="a"/><material name="a 2"/></asset><worldbody>
      <body name="p"><freejoint/><geom size=".1" material="a"/></body>
      <body name="q"><freejoint/><geom size=".1" material="a" condim="1"/></body>
      <body name="r"><freejoint/><geom size=".1" material="a 2"/></body></worldbody>)");
  const auto name = [&](const char* body) { return scene.world.body_def(scene.world.find_body(body)).material.name; };
  EXPECT_EQ(name("p"), "a");
  EXPECT_EQ(name("r"), "a 2");
  EXPECT_NE(name("q"), "a");
  EXPECT_NE(name("q"), "a 2");
}

/// Controls of a keyframe that have no effect are listed, and their number is checked in every keyframe.
TEST(MjcfElements, ControlsOfKeyframesAreListedAndCounted) {
  const auto model = [](const std::string& control) {
    return R"(<mujoco><worldbody><body name="b"><joint name="j"/><geom size=".1" pos="0 0 -1"/></body></worldbody>
        <actuator><velocity joint="j" kv="5"/></actuator><keyframe><key name="k" ctrl=")" +
           control + R"("/></keyframe></mujoco>)";
  };
  ModelOptions options;
  options.keyframe = "k";
  ModelReport report;
  parse_model(model("1"), options, &report);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_NE(to_text(report.notes[0]).find("ctrl"), std::string::npos) << to_text(report.notes[0]);
  EXPECT_THROW(parse_model(model("1 2 3"), {}), Error);
}

TEST(MjcfElements, ArmatureElsewhereIsListed) {
  for (const char* body :
       {R"(<body><freejoint/><geom size="1"/><body><joint armature="1"/><geom size="1"/></body></body>)",
        R"(<body><joint armature="1"/><joint axis="1 0 0"/><geom size="1"/></body>)",
        R"(<body><joint type="slide" armature="1"/><geom size="1"/></body>)"}) {
    ModelReport report;
    load(std::string("<worldbody>") + body + "</worldbody>", &report);
    ASSERT_EQ(report.notes.size(), 1u) << body;
    EXPECT_EQ(report.notes[0].kind, ModelNote::Kind::replaced);
  }
}

TEST(MjcfElements, ArmatureOfAMasslessLinkIsLeftOut) {
  ModelReport report;
  load(R"(<worldbody><body><joint armature="1"/><body><joint axis="1 0 0"/><geom size="1"/></body></body></worldbody>)",
       &report);
  EXPECT_TRUE(std::any_of(report.notes.begin(), report.notes.end(), [](const ModelNote& note) {
    return note.what == "the inertia of the rotor is left out: the link has no mass";
  }));
}

TEST(MjcfElements, HeightFieldsCarryBodies) {
  ModelReport report;
  // Rows run along y: the ball lies on the high side, y > 0. The heights go from 0 to 0.5 m.
  const Scene scene = load(
      R"(<asset><hfield name="hill" nrow="2" ncol="2" size="2 3 0.5 0.1" elevation="4 4 6 6"/></asset>
      <worldbody><geom name="ground" type="hfield" hfield="hill" friction="1"/>
      <body name="ball" pos="0.5 2.9 0.7"><freejoint/><geom size="0.1" friction="1"/></body></worldbody>)",
      &report);
  expect_honoured(report);
  Simulation simulation = make_simulation(scene);
  const BodyId ball = scene.world.find_body("ball");
  double lowest = 1;
  for (int i = 0; i < 150; ++i) {
    simulation.step();
    lowest = std::min(lowest, simulation.world().position(ball).z);
  }
  // The surface is at z = (y + 3) / 12: 0.49 m under the ball, which rolls down slowly.
  EXPECT_GT(lowest, 0.5);
  EXPECT_LT(lowest, 0.62);
}

TEST(MjcfElements, GravityIsCompensated) {
  ModelReport report;
  const Scene scene = load(
      R"(<worldbody><body name="a" gravcomp="1" pos="0 0 1"><freejoint/><geom size="0.1"/></body>
      <body name="b" gravcomp="0.5" pos="1 0 1"><freejoint/><geom size="0.1"/></body></worldbody>)",
      &report);
  expect_honoured(report);
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 100; ++i) simulation.step();
  const auto speed = [&](const char* name) { return simulation.world().velocity(scene.world.find_body(name)).z; };
  EXPECT_EQ(speed("a"), 0);
  EXPECT_NEAR(speed("b"), -0.5 * 9.81 * 0.2, 1e-9);
}

constexpr const char* kTwoHinges =
    R"(<worldbody><body name="a"><joint name="j" axis="0 0 1"/><geom size="0.1" pos="0.3 0 0"/></body>
    <body name="b" pos="2 0 0"><joint name="k" axis="0 0 1"/><geom size="0.1" pos="0.3 0 0"/></body></worldbody>)";

TEST(MjcfElements, FixedTendonsOfOneJointActOnIt) {
  ModelReport report;
  const Scene scene =
      load(std::string(R"(<compiler angle="radian"/>)") + kTwoHinges +
               R"(<tendon><fixed name="t" range="-1 3" stiffness="5" springlength="0.5" damping="2" frictionloss="0.25">
                               <joint joint="j" coef="2"/></fixed></tendon>
                               <actuator><motor tendon="t" gear="3" ctrlrange="-1 1"/></actuator>)",
           &report);
  expect_honoured(report);
  const JointAxis axis = axis_of(scene, "j");
  EXPECT_EQ(axis.lower, -0.5);
  EXPECT_EQ(axis.upper, 1.5);
  EXPECT_EQ(axis.spring.stiffness, 20);
  EXPECT_EQ(axis.spring.rest, 0.25);
  EXPECT_EQ(axis.spring.damping, 8);
  EXPECT_EQ(axis.friction, 0.5);
  EXPECT_EQ(axis.motor.max_force, 6);
}

TEST(MjcfElements, MotorsOfATendonOfTwoJointsDriveBoth) {
  ModelReport report;
  const Scene scene =
      load(std::string(kTwoHinges) +
               R"(<tendon><fixed name="forward"><joint joint="j" coef="0.5"/><joint joint="k" coef="0.5"/></fixed>
                          <fixed name="turn"><joint joint="j" coef="-0.5"/><joint joint="k" coef="0.25"/></fixed></tendon>
                  <actuator><motor tendon="forward" ctrlrange="-1 1"/><motor tendon="turn" gear="3" ctrlrange="-2 2"/></actuator>)",
           &report);
  EXPECT_EQ(report.notes.size(), 2u);
  EXPECT_EQ(axis_of(scene, "j").motor.max_force, 0.5 * 1 + 0.5 * 3 * 2);
  EXPECT_EQ(axis_of(scene, "k").motor.max_force, 0.5 * 1 + 0.25 * 3 * 2);
}

TEST(MjcfElements, AHeldTendonOfOneJointFixesIt) {
  ModelReport report;
  const Scene scene = load(std::string(kTwoHinges) +
                               R"(<tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>
                                  <equality><tendon tendon1="t"/></equality>)",
                           &report);
  expect_honoured(report);
  EXPECT_EQ(axis_of(scene, "j").lower, 0);
  EXPECT_EQ(axis_of(scene, "j").upper, 0);
}

/// A geom of an unknown type takes its pairs with it, but not the model.
TEST(MjcfElements, PairsOfGeomsThatAreLeftOutAreLeftOut) {
  ModelReport report;
  const Scene scene = load(
      R"(<worldbody><geom name="floor" type="plane" size="1 1 1" rgba=""/>
    <body name="a"><freejoint/><geom size="0.1"/><geom name="foot" type="sdf" size="1"/></body></worldbody>
    <contact><pair geom1="floor" geom2="foot"/></contact>)",
      &report);
  EXPECT_TRUE(scene.world.find_body("a"));
  EXPECT_TRUE(std::any_of(report.notes.begin(), report.notes.end(), [](const ModelNote& note) {
    return note.what.find("so the pair is too") != std::string::npos;
  }));
}

TEST(MjcfElements, AGainOfTheElementReplacesTheDampingRatioOfItsClass) {
  const Scene scene = load(std::string(R"(<default><position dampratio="1"/></default>)") + kTwoHinges +
                           R"(<actuator><position joint="j" kp="10" kv="3"/><position joint="k" kp="10"/></actuator>)");
  EXPECT_EQ(axis_of(scene, "j").motor.derivative, 3);
  EXPECT_GT(axis_of(scene, "k").motor.derivative, 0);
}

TEST(MjcfElements, HeldTendonsAreGears) {
  ModelReport report;
  const Scene scene =
      load(std::string(kTwoHinges) +
               R"(<tendon><fixed name="t"><joint joint="j" coef="2"/><joint joint="k" coef="-1"/></fixed></tendon>
                           <equality><tendon tendon1="t"/></equality>)",
           &report);
  expect_honoured(report);
  const JointId gear = scene.world.find_joint("j_follows");
  ASSERT_TRUE(gear);
  // 2 j − k = const
  EXPECT_EQ(std::get<GearJoint>(scene.world.joint(gear).kind).ratio, -0.5);
}

TEST(MjcfElements, AffineBiasesAreServos) {
  ModelReport report;
  const Scene scene = load(std::string(kTwoHinges) +
                               R"(<actuator><general joint="j" gainprm="40" biastype="affine" biasprm="10 -40 -3"/>
                               <intvelocity joint="k" kp="7"/></actuator>)",
                           &report);
  EXPECT_EQ(axis_of(scene, "j").motor.kind, AxisMotor::Kind::servo);
  EXPECT_EQ(axis_of(scene, "j").motor.proportional, 40);
  EXPECT_EQ(axis_of(scene, "j").motor.derivative, 3);
  EXPECT_EQ(axis_of(scene, "j").motor.target, 0.25);
  EXPECT_EQ(axis_of(scene, "k").motor.proportional, 7);
  expect_honoured(report);
}

TEST(MjcfElements, BadHeightFieldsGetOneSentence) {
  const auto message = [](const std::string& attributes) -> std::string {
    try {
      load("<asset><hfield name=\"h\" " + attributes + "/></asset><worldbody/>");
    } catch (const Error& error) {
      return error.what();
    }
    return "(no error)";
  };
  EXPECT_NE(message("nrow=\"1\" ncol=\"2\" size=\"1 1 1 1\"").find("at least two samples"), std::string::npos);
  EXPECT_NE(message("nrow=\"2\" ncol=\"2\" size=\"1 1 0 1\"").find("four positive numbers"), std::string::npos);
  EXPECT_NE(message("nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\" elevation=\"1 2 3\"").find("elevation"), std::string::npos);
  EXPECT_NE(message("nrow=\"1e9\" ncol=\"1e9\" size=\"1 1 1 1\"").find("nrow and ncol"), std::string::npos);
}

/// Three balls that collide with the floor and not with each other, except for a pair.
TEST(MjcfElements, PairsCollideWhateverTheirTypesSay) {
  const auto ball = [](const std::string& name, double x, const std::string& inner = "") {
    return "<body name=\"" + name + "\" pos=\"" + std::to_string(x) + " 0 1\"><freejoint/><geom name=\"g_" + name +
           "\" size=\".1\" conaffinity=\"0\"/>" + inner + "</body>";
  };
  const auto scene_of = [&](const std::string& contact, ModelReport* report = nullptr) {
    return load(
        "<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>" + ball("a", 0) + ball("b", 1) +
            ball("c", 2,
                 "<body name=\"d\" pos=\"0 0 .5\"><joint/><geom name=\"g_d\" size=\".1\" conaffinity=\"0\"/></body>") +
            "</worldbody><contact>" + contact + "</contact>",
        report);
  };
  const auto collide = [](const Scene& scene, const char* one, const char* other) {
    return scene.world.may_collide(scene.world.find_body(one), scene.world.find_body(other));
  };
  EXPECT_FALSE(collide(scene_of(""), "a", "b"));
  ModelReport report;
  const Scene scene =
      scene_of(R"(<pair geom1="g_a" geom2="g_b" friction="0.3 0.3 0 0 0"/><pair geom1="g_c" geom2="g_d"/>)", &report);
  EXPECT_TRUE(collide(scene, "a", "b"));
  EXPECT_FALSE(collide(scene, "a", "c"));
  EXPECT_FALSE(collide(scene, "b", "d"));
  EXPECT_FALSE(collide(scene, "c", "d"));  // a joint connects them
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_TRUE(collide(scene, name, "floor")) << name;
  std::string notes;
  for (const ModelNote& note : report.notes) notes += to_text(note) + "\n";
  EXPECT_EQ(notes.find("g_a"), std::string::npos) << notes;  // each body has one geom, so the pair is exact
  EXPECT_NE(notes.find("the one that it hangs on"), std::string::npos) << notes;
}

/// Models for fast collision detection switch all geoms off by contype and conaffinity, and list the pairs that collide.
TEST(MjcfElements, GeomsWithoutTypesCollideInTheirPairs) {
  constexpr int kCount = 40;  // more than there are collision groups
  std::string bodies, pairs;
  for (int i = 0; i < kCount; ++i) {
    const std::string name = std::to_string(i);
    bodies += "<body name=\"b" + name + "\" pos=\"" + name + " 0 0.15\"><freejoint/><geom name=\"g" + name +
              "\" size=\".1\" contype=\"0\" conaffinity=\"0\"/></body>";
    pairs += "<pair geom1=\"floor\" geom2=\"g" + name + "\"/>";
  }
  pairs += R"(<pair geom1="g0" geom2="g1"/>)";
  ModelReport report;
  const Scene scene = load(
      "<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/><body name=\"free\" pos=\"0 5 "
      "0.15\"><freejoint/><geom "
      "size=\".1\" contype=\"0\" conaffinity=\"0\"/></body>" +
          bodies + "</worldbody><contact>" + pairs + "</contact>",
      &report);
  expect_honoured(report);
  const auto collide = [&](const char* one, const char* other) {
    return scene.world.may_collide(scene.world.find_body(one), scene.world.find_body(other));
  };
  for (const char* name : {"b0", "b1", "b2", "b39"}) EXPECT_TRUE(collide(name, "floor")) << name;
  EXPECT_TRUE(collide("b0", "b1"));
  EXPECT_FALSE(collide("b0", "b2"));
  EXPECT_FALSE(collide("b2", "b3"));
  EXPECT_FALSE(collide("free", "floor"));
  EXPECT_FALSE(collide("free", "b0"));
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 500; ++i) simulation.step();
  const World& w = simulation.world();
  EXPECT_NEAR(w.position(w.find_body("b7")).z, 0.1, 1e-3);  // chosen: at rest on the floor
  EXPECT_LT(w.position(w.find_body("free")).z, -1);
  // The geoms of a body collide together, so a pair of one of them holds for the other one as well, which has another partner.
  load(
      R"(<default><geom contype="0" conaffinity="0" size=".1"/></default><worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body><freejoint/><geom name="g"/><geom name="h" pos="0 0 1"/></body><body><freejoint/><geom name="k"/></body></worldbody>
      <contact><pair geom1="floor" geom2="g"/><pair geom1="h" geom2="k"/></contact>)",
      &report);
  std::string notes;
  for (const ModelNote& note : report.notes) notes += to_text(note) + "\n";
  EXPECT_NE(notes.find("all geoms of its two bodies collide"), std::string::npos) << notes;
}

}  // namespace
}  // namespace rigor
