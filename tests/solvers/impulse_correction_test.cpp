// Error correction by impulses of its own: equation 5.3 to the letter.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/joint_types.h"
#include "support.h"

namespace rigor::test {
namespace {

Method corrected_by(const Choice& correction) {
  Method m;
  m.integrator.name = "semi-implicit-euler";
  m.collision_solver = m.contact_solver = m.joint_solver = {"sequential-impulse", {}};
  m.correction = correction;
  return m;
}

/// Two balls whose centers a ball joint wants in one place, 0.1 m apart.
World open_joint() {
  World world = empty_world();
  for (const auto& [name, mass] : {std::pair("a", 1.0), std::pair("b", 3.0)}) {
    BodyDef def = body_with_inertia(name, mass, {1, 1, 1});
    def.can_collide = false;
    world.add_body(def);
  }
  const BodyId a = world.find_body("a"), b = world.find_body("b");
  JointDef joint = ball_joint(world, a, b, {0, 0, 0});
  joint.name = "joint";
  world.add_joint(joint);
  world.set_pose(b, {0.1, 0, 0}, {});
  return world;
}

/// Ċ = −erp C / h at the end of each step, so that C falls by the factor 1 − erp.
TEST(ImpulseCorrection, RemovesItsPartOfAnErrorInEachStep) {
  Simulation sim(open_joint(), corrected_by({"impulse-correction", {{"erp", 0.3}}}));
  for (int n = 1; n <= 20; ++n) {
    sim.step(0.01);
    const World& w = sim.world();
    EXPECT_NEAR(w.position(w.find_body("b")).x - w.position(w.find_body("a")).x, 0.1 * std::pow(0.7, n), 1e-12);
  }
}

/// The first step has nothing to do but the correction: the joint itself bears nothing, and Baumgarte's bears the correction.
TEST(ImpulseCorrection, IsNotInTheForcesOfConstraints) {
  const double push = 0.75 * 0.2 * 0.1 / 1e-4;  // N: of the reduced mass of 0.75 kg
  for (const auto& [name, force] : {std::pair("impulse-correction", 0.0), std::pair("baumgarte", push)}) {
    Simulation sim(open_joint(), corrected_by({name, {{"erp", 0.2}}}));
    sim.step(0.01);
    const World& w = sim.world();
    EXPECT_NEAR(length(w.joint_state(w.find_joint("joint")).force), force, 1e-9 * (1 + force)) << name;
  }
}

TEST(ImpulseCorrection, LiftsABoxOutOfTheGround) {
  World world;
  BodyDef def;
  def.name = "box", def.shape = box({1, 1, 1}), def.position = {0, 0.45, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world, corrected_by({"impulse-correction", {}}));
  for (int i = 0; i < 300; ++i) sim.step(0.01);
  EXPECT_NEAR(sim.world().position(id).y, 0.5, 2e-3);  // the slop is 1 mm
  EXPECT_LT(length(sim.world().velocity(id)), 1e-3);
}

TEST(ImpulseCorrection, IsRefusedWithoutSolversOfVelocityLevel) {
  Method m = corrected_by({"impulse-correction", {}});
  m.collision_solver = {"none", {}};
  m.contact_solver = m.joint_solver = {"penalty", {}};
  EXPECT_NE(error_of([&] { check(m); }).find("velocity level"), std::string::npos);
}

}  // namespace
}  // namespace rigor::test
