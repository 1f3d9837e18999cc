#include <gtest/gtest.h>

#include "conformance/solver_cases.h"
#include "solvers/contact_order.h"
#include "support.h"

namespace rigor::test {
namespace {

Method with_solver(const Choice& solver) {
  Method m;
  m.integrator.name = "semi-implicit-euler";
  m.collision_solver = m.contact_solver = m.joint_solver = solver;
  return m;
}

/// Three boxes of different weight, the upper ones a little off the middle, pushed sideways: some contacts slide.
World small_stack() {
  World world;
  for (int i = 0; i < 3; ++i) {
    BodyDef def;
    def.name = "box" + std::to_string(i);
    def.shape = box({1, 0.5, 1});
    def.mass = 10.0 * (1 + i);
    def.position = {0.1 * i, 0.25 + 0.5 * i, 0.05 * i};
    def.material.friction = 0.4;
    def.velocity = {i == 2 ? 1.0 : 0.0, 0, 0};
    world.add_body(def);
  }
  return world;
}

std::vector<Vec3> velocities_after_a_step(const Choice& solver) {
  Simulation sim(small_stack(), with_solver(solver));
  sim.step(1.0 / 240);
  std::vector<Vec3> all;
  for (const BodyId id : sim.world().bodies())
    all.push_back(sim.world().velocity(id)), all.push_back(sim.world().angular_velocity(id));
  return all;
}

TEST(SequentialImpulse, AllOrdersConvergeToTheExactSolution) {
  const std::vector<Vec3> exact = velocities_after_a_step({"simultaneous-impulse", {{"lcp", "dantzig"}}});
  for (const std::string& order : contact_orders())
    for (const char* friction : {"hahn", "guendelman", "box"}) {
      const std::vector<Vec3> u = velocities_after_a_step(
          {"sequential-impulse", {{"order", order}, {"friction", friction}, {"iterations", std::int64_t{5000}}}});
      ASSERT_EQ(u.size(), exact.size());
      // Friction along the slip alone: cone and pyramid agree up to the small rotation of the boxes in one step.
      for (std::size_t i = 0; i < u.size(); ++i)
        EXPECT_LT(distance(u[i], exact[i]), 1e-4) << order << ", " << friction << ", velocity " << i;
    }
}

TEST(SequentialImpulse, OrdersAgreeWithEachOther) {
  for (const char* friction : {"hahn", "guendelman"}) {
    const auto solve = [&](const std::string& order) {
      return velocities_after_a_step(
          {"sequential-impulse", {{"order", order}, {"friction", friction}, {"iterations", std::int64_t{20000}}}});
    };
    const std::vector<Vec3> first = solve("found");
    for (const std::string& order : contact_orders()) {
      const std::vector<Vec3> u = solve(order);
      // Chosen: far below the 0.04 m/s that gravity gives in the step; Gauss–Seidel is at rest by then.
      for (std::size_t i = 0; i < u.size(); ++i)
        EXPECT_LT(distance(u[i], first[i]), 1e-6) << order << ", " << friction << ", velocity " << i;
    }
  }
}

/// A ball that meets a fixed floor obliquely: one contact, one visit, the formulas of the papers.
Vec3 velocity_after_impact(const char* friction, double mu, double e) {
  World world;
  world.set_gravity({});
  Material m;
  m.friction = mu, m.restitution = e;
  world.set_material(world.ground(), m);
  BodyDef def;
  def.shape = sphere(0.5), def.material = m;
  def.position = {0, 0.5, 0}, def.velocity = {3, -2, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world,
                 with_solver({"sequential-impulse",
                              {{"friction", friction}, {"accumulate", false}, {"iterations", std::int64_t{1}}}}));
  sim.step(1.0 / 240);
  return sim.world().velocity(id);
}

TEST(SequentialImpulse, OneVisitIsTheImpulseOfThePapers) {
  for (const char* friction : {"hahn", "guendelman"}) {
    // Sticking takes 2/7 of the tangential speed into rotation; it needs J_t = 2/7 m 3 and has μ m (1 + e) 2.
    const Vec3 stuck = velocity_after_impact(friction, 0.5, 0.5);
    EXPECT_NEAR(stuck.x, 3 - 3 * 2.0 / 7, 1e-12);
    EXPECT_NEAR(stuck.y, 1, 1e-12);
    const Vec3 slipped = velocity_after_impact(friction, 0.1, 0.5);
    EXPECT_NEAR(slipped.x, 3 - 0.1 * 1.5 * 2, 1e-12);
    EXPECT_NEAR(slipped.y, 1, 1e-12);
  }
}

TEST(SequentialImpulse, TinyNormalImpulsesScaleFrictionDown) {
  // The square of a subnormal bound vanishes; friction once was left unbounded by it.
  Material m;
  m.friction = 0.8, m.rolling_friction = 0.01;
  World world;
  world.set_material(world.ground(), m);
  BodyDef def;
  def.shape = sphere(0.5), def.material = m;
  def.position = {0, 0.5, 0}, def.velocity = {2, 0, 0}, def.angular_velocity = {0, 0, -4};
  const BodyId id = world.add_body(def);
  Simulation sim(world,
                 with_solver({"sequential-impulse",
                              {{"friction", "hahn"}, {"accumulate", false}, {"iterations", std::int64_t{100}}}}));
  run(sim, 1, 1.0 / 240);
  EXPECT_NEAR(sim.world().velocity(id).x, 2 - 5.0 / 7 * 0.01 * 9.81 / 0.5, 1e-3);
}

}  // namespace
}  // namespace rigor::test
