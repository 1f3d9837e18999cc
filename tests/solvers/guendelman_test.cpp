#include <gtest/gtest.h>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kG = 9.81;

Method guendelman(int rounds = 10) {
  Method m;
  m.integrator.name = "semi-implicit-euler";
  m.collision_solver.name = "guendelman-collision";
  m.contact_solver = m.joint_solver = {"guendelman-contact", {{"iterations", std::int64_t{rounds}}}};
  return m;
}

TEST(GuendelmanCollision, PassesAnImpactThroughTouchingBalls) {
  World world = empty_world();
  std::vector<BodyId> ids;
  for (int i = 0; i < 5; ++i) {
    BodyDef def;
    def.shape = sphere(0.5);
    def.material.friction = 0, def.material.restitution = 1;
    def.position = {1.0 * i - (i == 0 ? 0.1 : 0.0), 0, 0};  // all but the first touch
    def.velocity = {i == 0 ? 1.0 : 0.0, 0, 0};
    ids.push_back(world.add_body(def));
  }
  Simulation sim(world, guendelman());
  run(sim, 0.5, 1.0 / 240);
  // Each impulse reaches its velocity to rounding.
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(sim.world().velocity(ids[i]).x, i == 4 ? 1 : 0, 1e-9) << "ball " << i;
}

TEST(GuendelmanCollision, ReboundsAtTheSpeedOfNewtonsLaw) {
  for (const double e : {0.0, 0.3, 1.0}) {
    World world;
    world.set_gravity({});
    Material m;
    m.restitution = e, m.friction = 0;
    world.set_material(world.ground(), m);
    BodyDef def;
    def.shape = sphere(0.5), def.material = m, def.position = {0, 0.8, 0}, def.velocity = {1, -3, 0};
    const BodyId id = world.add_body(def);
    Simulation sim(world, guendelman());
    run(sim, 0.5, 1.0 / 240);
    EXPECT_LT(distance(sim.world().velocity(id), {1, 3 * e, 0}), 1e-9) << "restitution " << e;
  }
}

TEST(GuendelmanCollision, KeepsMomentumAndGainsNoEnergyInAPile) {
  World world = empty_world();
  for (int i = 0; i < 6; ++i) {
    BodyDef def;
    def.name = "b" + std::to_string(i);
    def.shape = i % 2 ? box({1, 1, 1}) : sphere(0.5);
    def.material.friction = 0.5, def.material.restitution = 0.7;
    def.position = {1.05 * i, 0.1 * (i % 3), 0.05 * i};
    def.velocity = {2.0 - i, 0.2 * (i % 2), 0};
    world.add_body(def);
  }
  Simulation sim(world, guendelman());
  const Vec3 p = world.momentum(), L = world.angular_momentum();
  // A step slows an impact down so that it just meets the surface, the next one gives that energy back; none gives more.
  double before = world.kinetic_energy(), last = before;
  for (int k = 0; k < 240; ++k) {
    sim.step(1.0 / 240);
    EXPECT_LE(sim.world().kinetic_energy(), std::max(before, last) * (1 + 1e-9)) << "step " << k;
    before = std::exchange(last, sim.world().kinetic_energy());
  }
  EXPECT_LT(distance(sim.world().momentum(), p), 1e-10 * length(p));
  EXPECT_LT(distance(sim.world().angular_momentum(), L), 1e-9 * length(L));
}

TEST(GuendelmanContact, StackKeepsItsShapeBetterTheMoreRounds) {
  const auto sink = [](int rounds) {
    World world;
    BodyId top;
    for (int i = 0; i < 5; ++i) {
      BodyDef def;
      def.shape = box({1, 1, 1});
      def.position = {0, 0.5 + i, 0};
      top = world.add_body(def);
    }
    Simulation sim(world, guendelman(rounds));
    run(sim, 1, 1.0 / 240);
    return 4.5 - sim.world().position(top).y;
  };
  const double few = sink(10), many = sink(100);
  EXPECT_LT(many, few);
  EXPECT_GT(few, 0);
  EXPECT_LT(many, 0.01);  // without any correction of errors
}

TEST(GuendelmanContact, ContactForcesCarryTheWeight) {
  World world;
  BodyDef def;
  def.shape = box({1, 1, 1}), def.mass = 7, def.position = {0, 0.5, 0};
  world.add_body(def);
  Simulation sim(world, guendelman());
  run(sim, 1, 1.0 / 240);
  double force = 0;
  for (const Contact& c : sim.contacts())
    for (int k = 0; k < c.count; ++k) force += c.points[static_cast<std::size_t>(k)].normal_impulse * 240;
  EXPECT_NEAR(force, 7 * kG, 1e-3 * 7 * kG);  // chosen: one box is carried to what the last round leaves
}

TEST(GuendelmanContact, HoldsJointsToo) {
  World world;
  const BodyId id = add_pendulum(world);
  Simulation sim(world, guendelman());
  run(sim, 0.6, 1.0 / 240);                                // a quarter of its period is 0.59 s
  EXPECT_NEAR(length(sim.world().position(id)), 1, 0.02);  // drift of semi-implicit Euler without correction
  EXPECT_LT(sim.world().position(id).y, -0.9);
}

}  // namespace
}  // namespace rigor::test
