// MJCF: springs by time constants, servos by damping ratios, velocities of keyframes, contact pairs, and invalid values.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/error.h"
#include "rigor/joint_space.h"
#include "rigor/model.h"

namespace rigor {
namespace {

Scene load(const std::string& text, ModelReport* report = nullptr, const std::string& keyframe = "") {
  ModelOptions options;
  options.keyframe = keyframe;
  return parse_model("<mujoco>" + text + "</mujoco>", options, report);
}

void expect_honoured(const ModelReport& report) {
  for (const ModelNote& note : report.notes) EXPECT_EQ(note.kind, ModelNote::Kind::appearance) << to_text(note);
}

/// The notes about features that are not honoured.
std::string trouble(const ModelReport& report) {
  std::string all;
  for (const ModelNote& note : report.notes)
    if (note.kind != ModelNote::Kind::appearance) all += to_text(note) + "\n";
  return all;
}

JointAxis axis_of(const Scene& scene, const char* joint) {
  return std::get<AxesJoint>(scene.world.joint(scene.world.find_joint(joint)).kind).axes[3];
}

TEST(MjcfDynamics, SpringsHaveTheirTimeConstant) {
  ModelReport report;
  const Scene scene =
      load(R"(<option gravity="0 0 0"/><worldbody><body name="a"><joint name="j" axis="0 1 0" springdamper="0.1 0.5"/>
    <geom type="box" size="0.1 0.1 0.1" pos="0.5 0 0" mass="2"/></body></worldbody>)",
           &report);
  expect_honoured(report);
  const double inertia = 2 * (0.04 + 0.04) / 12 + 2 * 0.25;
  EXPECT_NEAR(axis_of(scene, "j").spring.stiffness, inertia / (0.1 * 0.1 * 0.25), 1e-9);
  EXPECT_NEAR(axis_of(scene, "j").spring.damping, 2 * inertia / 0.1, 1e-9);
}

TEST(MjcfDynamics, ServosHaveTheirDampingRatio) {
  ModelReport report;
  // Twice the gear: the joint feels four times the stiffness, the motor a quarter of the inertia.
  const Scene scene = load(
      R"(<worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1" pos="0.5 0 0" mass="2"/>
    </body></worldbody><actuator><position joint="j" kp="50" dampratio="1" gear="2"/></actuator>)",
      &report);
  expect_honoured(report);
  const double inertia = 2 * (0.04 + 0.04) / 12 + 2 * 0.25, k = 50 * 4;
  EXPECT_NEAR(axis_of(scene, "j").motor.proportional, k, 1e-12);
  EXPECT_NEAR(axis_of(scene, "j").motor.derivative, 2 * std::sqrt(k * inertia), 1e-9);
}

constexpr const char* kChain =
    R"(<worldbody><body name="base" pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.1 0.05"/>
    <body name="arm" pos="0.2 0 0"><joint name="s" type="slide" axis="1 0 0"/><joint name="j" axis="0 1 0" pos="0.05 0 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
      <body name="tip" pos="0.3 0 0"><joint name="b" type="ball"/><geom size="0.05" pos="0.1 0 0"/></body></body></body></worldbody>
    <keyframe><key name="go" qpos="1 2 3 0.8 0.6 0 0  0.4 0.1  0.6 0 0.8 0" qvel="0.1 0.2 0.3 1 2 3  1.5 0.7  0.5 0.6 0.7"/></keyframe>)";

TEST(MjcfDynamics, KeyframesHaveVelocities) {
  ModelReport report;
  const Scene scene = load(kChain, &report, "go");
  expect_honoured(report);
  const World& w = scene.world;
  const BodyId base = w.find_body("base"), arm = w.find_body("arm"), tip = w.find_body("tip");
  EXPECT_LT(length(w.velocity(base) - Vec3{0.1, 0.2, 0.3}), 1e-12);
  EXPECT_LT(length(w.angular_velocity(base) - rotate(w.orientation(base), {1, 2, 3})), 1e-12);
  // The joints allow these velocities: they keep them, and the rates are those of the file.
  JointSpace space(w);
  const std::vector<double> rates = space.velocities();
  space.set_velocities(rates);
  for (const BodyId id : {base, arm, tip}) {
    EXPECT_LT(length(space.world().velocity(id) - w.velocity(id)), 1e-9) << w.name(id);
    EXPECT_LT(length(space.world().angular_velocity(id) - w.angular_velocity(id)), 1e-9) << w.name(id);
  }
  const Vec3 relative = w.angular_velocity(tip) - w.angular_velocity(arm);
  EXPECT_LT(length(rotate_inverse(w.orientation(tip), relative) - Vec3{0.5, 0.6, 0.7}), 1e-9);
}

TEST(MjcfDynamics, PairsHaveAFrictionOfTheirOwn) {
  ModelReport report;
  const Scene scene = load(R"(<worldbody><geom name="floor" type="plane" size="5 5 1" friction="1"/>
    <body name="a" pos="0 0 0.1"><freejoint/><geom name="ice" type="box" size="0.1 0.1 0.1" friction="1"/></body>
    <body name="b" pos="1 0 0.1"><freejoint/><geom name="rough" type="box" size="0.1 0.1 0.1" friction="1"/></body></worldbody>
    <contact><pair geom1="floor" geom2="ice" condim="1"/></contact><option gravity="3 0 -9.81"/>)",
                           &report);
  expect_honoured(report);
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 100; ++i) simulation.step();
  EXPECT_NEAR(simulation.world().velocity(scene.world.find_body("a")).x, 3 * 0.2, 0.02);
  EXPECT_LT(std::abs(simulation.world().velocity(scene.world.find_body("b")).x), 0.02);
}

TEST(MjcfDynamics, MeshesWithANegativeScaleKeepTheirMass) {
  // A pyramid over a square of 0.1 m, 0.2 m high, its apex above a corner. (MuJoCo 2.2.2 gives it 1.2 times this mass.)
  const Scene scene =
      load(R"(<asset><mesh name="wedge" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1  0.1 0.1 0" scale="1 -1 2"/></asset>
    <worldbody><body name="a"><freejoint/><geom type="mesh" mesh="wedge" density="900"/></body></worldbody>)");
  const MassProperties& m = scene.world.mass_properties(scene.world.find_body("a"));
  EXPECT_NEAR(m.mass, 900 * 0.01 * 0.2 / 3, 1e-12);
  EXPECT_LT(length(m.center_of_mass - Vec3{0.0375, -0.0375, 0.05}), 1e-12);
}

TEST(MjcfDynamics, NonsenseIsNotHonoured) {
  const auto notes = [](const std::string& joint, const std::string& rest) {
    ModelReport report;
    load("<worldbody><body name=\"a\"><joint name=\"j\" " + joint +
             "/><geom size=\"0.1\"/><site name=\"s\"/></body></worldbody>" + rest,
         &report);
    return trouble(report);
  };
  EXPECT_NE(notes("", R"(<actuator><position joint="j" kp="-5"/></actuator>)").find("@kp"), std::string::npos);
  EXPECT_NE(notes("", R"(<actuator><velocity joint="j" kv="-5"/></actuator>)").find("@kv"), std::string::npos);
  EXPECT_NE(notes("", R"(<actuator><motor joint="j" gear="0"/></actuator>)").find("gear is zero"), std::string::npos);
  EXPECT_NE(notes("", R"(<tendon><fixed name="t"/></tendon>)").find("without joints"), std::string::npos);
  EXPECT_NE(notes("", R"(<tendon><spatial name="t"><site site="s"/></spatial></tendon>)").find("two sites"),
            std::string::npos);
  EXPECT_NE(notes("damping=\"-1\"", "").find("@damping"), std::string::npos);
  EXPECT_NE(notes("springdamper=\"-1 2\"", "").find("@springdamper"), std::string::npos);
  EXPECT_NE(notes("", R"(<actuator><motor joint="j" forcerange="-1 5"/></actuator>)").find("larger bound"),
            std::string::npos);
  EXPECT_THROW(notes("", R"(<actuator><motor joint="j" forcerange="5 -1"/></actuator>)"), Error);
  EXPECT_THROW(notes("", R"(<contact><pair geom1="x" geom2="y"/></contact>)"), Error);
}

/// Controls act by their gain: force = gain · u + bias₀ − k q, so that the servo goes to (gain · u + bias₀) / k.
TEST(MjcfDynamics, ControlsOfKeyframesActByTheirGain) {
  const auto target = [](const std::string& actuators, const std::string& control) {
    const Scene scene =
        load(R"(<worldbody><body><joint name="j" ref="10"/><geom size=".1" mass="1"/></body></worldbody><actuator>)" +
                 actuators + R"(</actuator><keyframe><key name="k" ctrl=")" + control + R"("/></keyframe>)",
             nullptr, "k");
    const AxisMotor& motor = std::get<AxesJoint>(scene.world.joint(scene.world.find_joint("j")).kind).axes[3].motor;
    return motor.target + 10 * kPi / 180;
  };
  EXPECT_NEAR(target(R"(<position joint="j" kp="20" gear="4"/>)", "2"), 0.5, 1e-12);
  EXPECT_NEAR(target(R"(<general joint="j" gainprm="6" biastype="affine" biasprm="0 -20 -1"/>)", "2"), 0.6, 1e-12);
  EXPECT_NEAR(target(R"(<general joint="j" gear="2" gainprm="6" biastype="affine" biasprm="4 -20 -1"/>)", "2"), 0.4,
              1e-12);
  // Two servos of a joint balance where their forces cancel: 30 (q − 1) + 10 (q − 0.2) = 0.
  EXPECT_NEAR(target(R"(<position joint="j" kp="30"/><position joint="j" kp="10"/>)", "1 0.2"), 0.8, 1e-12);
  EXPECT_NEAR(target(R"(<intvelocity joint="j" kp="30"/>)", "1"), 0, 1e-12);  // its control is a speed
}

}  // namespace
}  // namespace rigor
