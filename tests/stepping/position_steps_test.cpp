// Steps that move positions: springs and motors keep their physical meaning whatever the step and the rounds.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/solver_cases.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kMass = 2;  // kg

std::vector<std::string> position_steps() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::stepping && has_capability(info, "level:position")) names.push_back(info.name);
  return names;
}

Method with_step(const std::string& stepping) {
  Method m;
  m.stepping.name = stepping;
  return m;
}

/// A weight on a vertical slider; the axis is x of the joint's frame.
BodyId add_on_slider(World& world, const JointAxis& axis) {
  BodyDef def = body_with_inertia("weight", kMass, {1, 1, 1});
  def.can_collide = false;
  const BodyId id = world.add_body(def);
  JointDef joint;
  joint.a = world.world_body(), joint.b = id;
  joint.frame_a.rotation = joint.frame_b.rotation = quaternion_between({1, 0, 0}, {0, 1, 0});
  AxesJoint kind;
  kind.axes[0] = axis, kind.axes[0].motion = AxisMotion::free;
  joint.kind = kind;
  world.add_joint(joint);
  return id;
}

TEST(PositionSteps, SpringsHangByTheirStiffness) {
  JointAxis axis;
  axis.spring.stiffness = 500, axis.spring.damping = 60;
  for (const std::string& stepping : position_steps())
    for (const double dt : {1.0 / 60, 1.0 / 240}) {
      World world;
      world.remove_body(world.ground());
      const BodyId id = add_on_slider(world, axis);
      Simulation sim(world, with_step(stepping));
      run(sim, 3, dt);
      // At rest no method has an error of its own; 3 s are 22 times the slowest time constant 2 m / d.
      EXPECT_NEAR(sim.world().center_of_mass(id).y, -kMass * 9.81 / 500, 1e-6) << stepping << " at " << dt;
    }
}

TEST(PositionSteps, MotorsPushWithTheirForce) {
  JointAxis axis;
  axis.motor.kind = AxisMotor::Kind::velocity, axis.motor.target = 3, axis.motor.max_force = kMass * (9.81 + 2);
  for (const std::string& stepping : position_steps()) {
    World world;
    world.remove_body(world.ground());
    const BodyId id = add_on_slider(world, axis);
    Simulation sim(world, with_step(stepping));
    run(sim, 1, 1.0 / 240);
    EXPECT_NEAR(sim.world().velocity(id).y, 2, 1e-6) << stepping << ": 2 m/s² are left of the force";
    run(sim, 1, 1.0 / 240);
    EXPECT_NEAR(sim.world().velocity(id).y, 3, 1e-6) << stepping << ": no faster than the target";
  }
}

TEST(PositionSteps, ABoxSlidesWithItsDefaultRounds) {
  const double angle = std::asin(0.5), a = 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
  for (const std::string& stepping : position_steps()) {
    Scene scene = open_scene("i-slope-30");
    const BodyId box = scene.world.find_body("box");
    Simulation sim(scene.world, with_step(stepping));
    run(sim, 0.5, 1.0 / 60);
    const double v = length(sim.world().velocity(box));
    run(sim, 0.5, 1.0 / 60);
    // 1 %: the contact forces of one round lag behind by about a sub-step.
    EXPECT_NEAR(length(sim.world().velocity(box)) - v, 0.5 * a, 0.01 * 0.5 * a) << stepping;
  }
}

/// m: the least depth of the deepest contact in the last half second of four.
double lasting_depth(const Method& method, double h) {
  World world;
  BodyDef def;
  def.material.friction = 0.4;
  for (int i = 0; i < 3; ++i) {
    def.shape = box({0.24, 0.054, 0.2}), def.mass = 7;
    def.position = {-0.2 + 0.2 * i, 0.08 + 0.08 * i, 0.05 - 0.05 * i};
    world.add_body(def);
  }
  def.shape = box({0.96, 0.66, 0.88}), def.mass = 1170;
  def.position = {0.1, 1.1, 0.1}, def.orientation = normalized(Quat{0.95, 0.2, 0.05, 0.2});
  def.angular_velocity = {1, -1, 0.5};
  world.add_body(def);
  Simulation sim(world, method);
  double least = 1;
  for (double t = 0; t < 4; t += h) {
    sim.step(h);
    double deepest = 0;
    for (const Contact& c : sim.contacts())
      for (int i = 0; i < c.count; ++i) deepest = std::max(deepest, -c.points[static_cast<std::size_t>(i)].separation);
    if (t > 3.5) least = std::min(least, deepest);
  }
  return least;
}

/// Contact points that are 1/30 s old left a box of 1170 kg 9 to 17 mm deep in plates of 7 kg.
TEST(Xpbd, HeavyBodiesDoNotSinkIntoLightOnesInShortSteps) {
  Method method = preset("xpbd");
  set(method, "stepping.max_step", 1.0 / 120);
  EXPECT_LT(lasting_depth(method, 1.0 / 30), 0.005);  // m: a tenth of a plate, as in rigor torture
}

}  // namespace
}  // namespace rigor::test
