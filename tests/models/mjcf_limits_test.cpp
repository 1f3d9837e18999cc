// The switches of ranges in MJCF. mujoco_rules_test.cpp compares those that an old MuJoCo has; the others follow its source, user_objects.cc.
#include <gtest/gtest.h>

#include <cmath>

#include "models/model_text.h"
#include "rigor/model.h"

namespace rigor {
namespace {

std::string hinge(const std::string& attributes, const std::string& compiler = "") {
  return "<mujoco>" + compiler + "<worldbody><body><joint name=\"j\" " + attributes +
         "/><geom size=\"1\"/></body></worldbody><actuator><motor joint=\"j\"/></actuator></mujoco>";
}

double force_of(const std::string& text) {
  const Scene scene = parse_model(text);
  for (const JointAxis& axis : std::get<AxesJoint>(scene.world.joint(scene.world.find_joint("j")).kind).axes)
    if (axis.motion != AxisMotion::locked) return axis.motor.max_force;
  return -1;
}

TEST(MjcfLimits, OfActuatorForcesCanBeSwitchedOff) {
  EXPECT_EQ(force_of(hinge(R"(actuatorfrcrange="-3 3")")), 3);
  EXPECT_EQ(force_of(hinge(R"(actuatorfrcrange="-3 3" actuatorfrclimited="true")")), 3);
  EXPECT_TRUE(std::isinf(force_of(hinge(R"(actuatorfrcrange="-3 3" actuatorfrclimited="false")"))));
  EXPECT_TRUE(std::isinf(force_of(hinge(R"(actuatorfrcrange="2 -1" actuatorfrclimited="false")"))));
  EXPECT_TRUE(std::isinf(force_of(hinge(R"(actuatorfrcrange="0 0")"))));  // 0 and 0 counts as not given
}

TEST(MjcfLimits, ThatContradictThemselvesAreRefused) {
  const auto expect = [](const std::string& text, const std::string& words) {
    EXPECT_NE(refusal_of(text).find(words), std::string::npos) << text << "\n" << refusal_of(text);
  };
  expect(hinge(R"(actuatorfrcrange="2 -1" actuatorfrclimited="true")"),
         "<joint>: actuatorfrcrange: the lower bound is not below the upper one");
  expect(hinge(R"(actuatorfrclimited="true")"), "<joint>: actuatorfrcrange: it is missing or zero");
  expect(hinge(R"(actuatorfrcrange="-1 1")", R"(<compiler autolimits="false"/>)"),
         R"(<joint>: actuatorfrcrange: with autolimits="false" it needs actuatorfrclimited="true" or "false")");
  expect(hinge(R"(type="ball" range="1 2")"), "<joint>: range: the lower limit of a ball joint must be 0");
  EXPECT_EQ(refusal_of(hinge(R"(type="ball" range="0 2" actuatorfrcrange="2 -1")")), "(no error)");  // balls have none
}

TEST(MjcfLimits, OfTheStateOfActuatorsAreChecked) {
  const auto text = [](const std::string& attributes) {
    return "<mujoco><worldbody><body><joint name=\"j\"/><geom size=\"1\"/></body></worldbody><actuator><general "
           "joint=\"j\" dyntype=\"integrator\" " +
           attributes + "/></actuator></mujoco>";
  };
  EXPECT_EQ(refusal_of(text(R"(actrange="1 -1" actlimited="false")")), "(no error)");
  EXPECT_NE(refusal_of(text(R"(actrange="1 -1" actlimited="true")")).find("actrange: the lower bound"),
            std::string::npos);
}

/// A kind of actuator that MuJoCo has and this program does not is listed, with all its attributes.
TEST(MjcfLimits, UnsupportedActuatorsAreListed) {
  for (const char* actuator : {R"(<dcmotor joint="j" motorconst="0.05 0.05" resistance="2" nominal="12 0.4 300"/>)",
                               R"(<muscle joint="j" range="0.7 1.1"/>)"}) {
    ModelReport report;
    parse_model(
        std::string(
            "<mujoco><worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\"1\"/></body></worldbody><actuator>") +
            actuator + "</actuator></mujoco>",
        {}, &report);
    ASSERT_EQ(report.notes.size(), 1u) << actuator;
    EXPECT_EQ(report.notes[0].kind, ModelNote::Kind::ignored);
    EXPECT_NE(report.notes[0].what.find("do not exist here"), std::string::npos) << report.notes[0].what;
  }
}

}  // namespace
}  // namespace rigor
