// Penalty springs: approach and separation constants, depth at rest, friction with memory, soft rows.
#include <gtest/gtest.h>

#include "solvers/force_helpers.h"

namespace rigor::test {
namespace {

Method springs(const Settings& settings = {}) {
  Method m;
  m.integrator.name = "rk4";
  m.contact_solver = m.joint_solver = {"penalty", settings};
  return m;
}

World ball_above_floor(double height, double restitution) {
  World world;
  world.set_gravity({0, -kG, 0});
  world.set_material(world.ground(), material_of(0.5, restitution));
  BodyDef def;
  def.name = "ball";
  def.shape = sphere(0.1);
  def.mass = 1;
  def.material = material_of(0.5, restitution);
  def.position = {0, 0.1 + height, 0};
  world.add_body(def);
  return world;
}

TEST(Penalty, RestsAsDeepAsItsLoadNeeds) {
  const double k = 2e4;
  World world = ball_above_floor(0, 0);
  const BodyId id = world.find_body("ball");
  Simulation sim(world, springs({{"stiffness", k}, {"damping", 200.0}}));
  run(sim, 2, 1e-3);
  EXPECT_NEAR(sim.world().position(id).y, 0.1 - kG / k, 1e-7);  // m g / k, m = 1 kg
}

TEST(Penalty, ImpactComesBackWithItsRestitution) {
  for (const double e : {0.3, 0.5, 0.8, 1.0}) {
    World world = ball_above_floor(0.01, e);
    world.set_gravity({});  // it would pull while the springs push
    const BodyId id = world.find_body("ball");
    const double v = 4;
    world.set_velocity(id, {0, -v, 0}, {});
    // √(k/m) = 141/s: an impact takes 22 ms, 220 steps.
    Simulation sim(world, springs({{"stiffness", 2e4}}));
    run(sim, 0.5, 1e-4);
    // The law passes from k to e² k up to the threshold of 0.1 m/s, which is 2.5 % of v; damped below twice of it.
    EXPECT_NEAR(sim.world().velocity(id).y, e * v, 0.025 * v) << "restitution " << e;
  }
}

TEST(Penalty, BoxSticksWithoutCreeping) {
  World world;
  const double mu = 0.5, slope = 0.95 * std::atan(mu);
  world.set_gravity({kG * std::sin(slope), -kG * std::cos(slope), 0});
  world.set_material(world.ground(), material_of(mu));
  BodyDef def;
  def.shape = box({1, 0.2, 1});
  def.position = {0, 0.1, 0};
  def.material = material_of(mu);
  const BodyId id = world.add_body(def);
  Simulation sim(world, springs());
  run(sim, 1, 1e-3);
  const Vec3 x = sim.world().position(id);
  run(sim, 5, 1e-3);
  EXPECT_LT(distance(sim.world().position(id), x), 1e-6);  // a regularised law would creep
}

TEST(Penalty, NothingBlowsUpInLargeSteps) {
  for (const double h : {0.1, 1.0 / 60, 1e-3}) {
    World world;
    for (int i = 0; i < 4; ++i) {
      BodyDef def;
      def.shape = box({1, 1, 1});
      def.position = {0.1 * i, 0.6 + 1.1 * i, 0};
      world.add_body(def);
    }
    const double energy = world.potential_energy(0);
    Simulation sim(world, springs());
    run(sim, 3, h);
    EXPECT_LT(sim.world().kinetic_energy(), energy) << h;
    EXPECT_TRUE(sim.take_reports().empty()) << h;
  }
}

TEST(Penalty, SoftRowsActWithTheirOwnNumbers) {
  const double k = 50, m = 1;
  World world = empty_world();
  BodyDef def = thin_rod("rod", {1.1, 0, 0});
  const BodyId id = world.add_body(def);
  JointDef joint;
  joint.a = world.world_body(), joint.b = id;
  DistanceJoint spring;
  spring.lower = spring.upper = 1, spring.stiffness = k;
  joint.kind = spring;
  world.add_joint(joint);
  for (const char* solver : {"penalty", "lagrange", "force-lcp"}) {
    Method method = force_method("none", solver, "rk4");
    Simulation sim(world, method);
    const double period = 2 * kPi * std::sqrt(m / k);
    for (int i = 0; i < 1000; ++i) sim.step(period / 1000);
    EXPECT_NEAR(sim.world().position(id).x, 1.1, 1e-8) << solver;  // (2π/1000)⁴ of 0.1 m
  }
}

/// A ton on a link of a gram: springs that the step resolves are as stiff as the light body allows.
TEST(Penalty, JointsThatAreTornOpenAreReported) {
  World world;
  world.remove_body(world.ground());
  const auto add = [&](double mass, double y) {
    BodyDef def;
    def.shape = sphere(0.1), def.mass = mass, def.position = {0, y, 0}, def.can_collide = false;
    return world.add_body(def);
  };
  const BodyId link = add(1e-3, -0.5), load = add(1000, -1);
  world.add_joint(ball_joint(world, world.world_body(), link, {0, -0.25, 0}));
  world.add_joint(ball_joint(world, link, load, {0, -0.75, 0}));
  Simulation sim(world, preset("moore-wilhelms"));
  run(sim, 1, 1.0 / 60);
  const std::vector<std::string> reports = sim.take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find("torn"), std::string::npos) << reports[0];
  EXPECT_NE(reports[0].find("the worst is joint 'joint"), std::string::npos) << reports[0];
  EXPECT_NE(reports[0].find(", open by 0."), std::string::npos) << reports[0];

  World light = world;
  light.set_gravity({});
  Simulation calm(light, preset("moore-wilhelms"));
  run(calm, 1, 1.0 / 60);
  EXPECT_TRUE(calm.take_reports().empty());
}

}  // namespace
}  // namespace rigor::test
