// What soft-step could not do is reported with the names of what it concerns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "rigor/joint_types.h"
#include "support.h"

namespace rigor::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A rod on two hinges about the same axis, the first with a motor of 1 rad/s without a bound on its force. `change` is made to the free axis of the second.
template <class Change> std::vector<std::string> reports_of_two_hinges(const Change& change) {
  World world;
  BodyDef def;
  def.shape = box(0.2, 0.1, 1), def.mass = 1, def.position = {0, 2, 0}, def.name = "rod";
  const BodyId rod = world.add_body(def);
  for (const bool is_first : {true, false}) {
    JointDef joint = hinge_joint(world, world.world_body(), rod, {0, 2, is_first ? -0.4 : 0.4}, {0, 0, 1});
    joint.name = is_first ? "driven" : "other";
    for (JointAxis& axis : std::get<AxesJoint>(joint.kind).axes) {
      if (axis.motion != AxisMotion::free) continue;
      if (is_first) {
        axis.motor.kind = AxisMotor::Kind::velocity, axis.motor.target = 1;
        axis.motor.max_force = std::numeric_limits<double>::infinity();
      } else {
        change(axis);
      }
    }
    world.add_joint(joint);
  }
  Simulation sim(std::move(world), preset("soft-step"));
  for (int i = 0; i < 60; ++i) sim.step(1.0 / 60);
  return sim.take_reports();
}

TEST(ResultWatch, MotorsThatContradictEachOtherAreReported) {
  const auto reports = reports_of_two_hinges([](JointAxis& axis) {
    axis.motor.kind = AxisMotor::Kind::velocity, axis.motor.target = -1;
    axis.motor.max_force = std::numeric_limits<double>::infinity();
  });
  EXPECT_THAT(reports, Contains(HasSubstr("does not reach its speed")));
}

/// Motors that agree are no contradiction.
TEST(ResultWatch, MotorsThatAgreeAreNotReported) {
  const auto reports = reports_of_two_hinges([](JointAxis& axis) {
    axis.motor.kind = AxisMotor::Kind::velocity, axis.motor.target = 1;
    axis.motor.max_force = std::numeric_limits<double>::infinity();
  });
  EXPECT_THAT(reports, testing::Each(testing::Not(HasSubstr("does not reach its speed"))));
}

/// A motor of 0.3 to 8 m/s without a bound on its force drives a rod into the ground, tilted by `angle`: the ground holds and the motor is
/// reported. It went on through the ground at its speed, and nothing was reported.
TEST(ResultWatch, TheGroundHoldsAgainstAMotorWithoutABound) {
  for (const double h : {1.0 / 240, 1.0 / 60, 1.0 / 30})
    for (const double speed : {0.3, 2.5, 8.0})
      for (const double angle : {0.0, 0.4}) {
        World world;
        BodyDef def;
        def.shape = box(0.1, 0.4, 0.15), def.mass = 3, def.position = {0, 0.7 + speed * 0.013, 0}, def.name = "rod";
        const BodyId rod = world.add_body(def);
        JointDef joint =
            slider_joint(world, world.world_body(), rod, def.position, {std::sin(angle), -std::cos(angle), 0});
        joint.name = "press";
        for (JointAxis& axis : std::get<AxesJoint>(joint.kind).axes) {
          if (axis.motion != AxisMotion::free) continue;
          axis.motor.kind = AxisMotor::Kind::velocity, axis.motor.target = speed;
          axis.motor.max_force = std::numeric_limits<double>::infinity();
        }
        world.add_joint(joint);
        Simulation sim(std::move(world), preset("soft-step"));
        double lowest = 1;
        for (double t = 0; t < 3; t += h) {
          sim.step(h);
          lowest = std::min(lowest, sim.world().position(rod).y - 0.2);
        }
        // The contact builds up its impulse within some sub-steps.
        EXPECT_GT(lowest, -0.01 - 0.5 * speed * h) << speed << " m/s, " << angle << " rad, " << h << " s";
        EXPECT_GT(sim.world().position(rod).y - 0.2, -0.01) << speed << " m/s, " << angle << " rad, " << h << " s";
        EXPECT_THAT(sim.take_reports(), Contains(HasSubstr("does not reach its speed")));
      }
}

}  // namespace
}  // namespace rigor::test
