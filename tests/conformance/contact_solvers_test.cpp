// Contacts under every registered solver: resting, sliding, sticking, rolling, bouncing, stacking.
#include <gtest/gtest.h>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kG = 9.81;

Material rough(double friction, double restitution = 0) {
  Material m;
  m.friction = friction;
  m.restitution = restitution;
  return m;
}

/// 1e-6 m for what converges: 200 rounds on a few boxes end at rounding times the condition of the problem, chosen well below
/// anything visible. Where no impulse is taken back or none is kept from the last step, the order of contacts decides about the
/// impulses of one round: g h / 200 in a step's velocity, over the 0.5 s of the tests.
double order_tolerance(const SolverCase& c) {
  const MethodInfo* info = find_method(Kind::solver, c.name);
  if (!info) info = find_method(Kind::stepping, c.name);  // a step that solves constraints itself
  return info && has_capability(*info, "order-dependent") ? kG * c.dt / 200 * 0.5 : 1e-6;
}

class EveryContactSolver : public testing::TestWithParam<SolverCase> {};
INSTANTIATE_TEST_SUITE_P(Solvers, EveryContactSolver, testing::ValuesIn(solver_cases({"contact"})), case_name);

TEST_P(EveryContactSolver, BoxRests) {
  const SolverCase& c = GetParam();
  World world;
  BodyDef def;
  def.shape = box({1, 1, 1});
  def.position = {0, 0.5, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world, c.method);
  run(sim, 2, c.dt);
  // Half a millimetre is the static deflection that the softest of them (penalty) has under this box by default.
  EXPECT_NEAR(sim.world().position(id).y, 0.5, 2e-3);
  EXPECT_LT(length(sim.world().velocity(id)), 1e-3);
  EXPECT_LT(length(sim.world().angular_velocity(id)), 1e-3);
}

TEST_P(EveryContactSolver, BoxSlidesDownASlope) {
  const SolverCase& c = GetParam();
  const double angle = kPi / 6, mu = 0.3;
  World world;
  const BodyId id = add_body_on_slope(world, angle, box({1, 0.2, 1}), 0.1, rough(mu));
  Simulation sim(world, c.method);
  run(sim, 0.25, c.dt);  // settles
  const double v0 = sim.world().velocity(id).x;
  run(sim, 1, c.dt);
  const double expected = kG * (std::sin(angle) - mu * std::cos(angle));
  // 0.1 % is the tolerance of the reference file incline_sliding_rolling at 1/240 s.
  EXPECT_NEAR(sim.world().velocity(id).x - v0, expected, 1e-3 * expected);
}

TEST_P(EveryContactSolver, BoxSticksBelowTheFrictionAngle) {
  const SolverCase& c = GetParam();
  const double mu = 0.5, angle = 0.99 * std::atan(mu);
  World world;
  const BodyId id = add_body_on_slope(world, angle, box({1, 0.2, 1}), 0.1, rough(mu));
  Simulation sim(world, c.method);
  run(sim, 0.5, c.dt);
  const Vec3 x0 = sim.world().position(id);
  run(sim, 1, c.dt);
  EXPECT_LT(distance(sim.world().position(id), x0), 1e-4);  // of the reference file, there for ten seconds
}

TEST_P(EveryContactSolver, SphereRolls) {
  const SolverCase& c = GetParam();
  const double angle = kPi / 9;
  World world;
  const BodyId id = add_body_on_slope(world, angle, sphere(0.5), 0.5, rough(0.5));
  Simulation sim(world, c.method);
  run(sim, 0.25, c.dt);
  const double v0 = sim.world().velocity(id).x;
  run(sim, 1, c.dt);
  const double expected = 5.0 / 7 * kG * std::sin(angle);
  EXPECT_NEAR(sim.world().velocity(id).x - v0, expected, 1e-3 * expected);
  EXPECT_NEAR(sim.world().angular_velocity(id).z, -sim.world().velocity(id).x / 0.5, 1e-2);
}

TEST_P(EveryContactSolver, StackForcesAreTheWeightsAbove) {
  const SolverCase& c = GetParam();
  constexpr int kBoxes = 4;
  World world;
  std::vector<BodyId> ids;
  for (int i = 0; i < kBoxes; ++i) {
    BodyDef def;
    def.shape = box({1, 1, 1});
    def.mass = 10;
    def.position = {0, 0.5 + i, 0};
    ids.push_back(world.add_body(def));
  }
  Simulation sim(world, c.method);
  run(sim, 3, c.dt);
  std::vector<double> force(kBoxes, 0.0);  // below box i
  for (const Contact& contact : sim.contacts())
    for (int i = 0; i < kBoxes; ++i)
      for (int k = 0; contact.b == ids[static_cast<std::size_t>(i)] && k < contact.count; ++k)
        force[static_cast<std::size_t>(i)] += contact.points[static_cast<std::size_t>(k)].normal_impulse / c.dt;
  for (int i = 0; i < kBoxes; ++i) {
    const double weight = 10 * kG * (kBoxes - i);
    EXPECT_NEAR(force[static_cast<std::size_t>(i)], weight, 0.01 * weight)
        << "below box " << i;  // 1 %: statics_contact_forces
  }
}

TEST_P(EveryContactSolver, OrderOfBodiesDoesNotMatter) {
  const SolverCase& c = GetParam();
  const auto heights = [&](bool reversed) {
    World world;
    std::vector<BodyId> ids(3);
    for (int k = 0; k < 3; ++k) {
      const int i = reversed ? 2 - k : k;
      BodyDef def;
      def.name = "box" + std::to_string(i);
      def.shape = box({1, 0.5, 1});
      def.position = {0, 0.25 + 0.5 * i, 0};
      ids[static_cast<std::size_t>(i)] = world.add_body(def);
    }
    Simulation sim(world, c.method);
    run(sim, 0.5, c.dt);
    std::vector<Vec3> x;
    for (const BodyId id : ids) x.push_back(sim.world().position(id));
    return x;
  };
  const std::vector<Vec3> a = heights(false), b = heights(true);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(distance(a[i], b[i]), order_tolerance(c)) << "box " << i;
}

TEST_P(EveryContactSolver, FrameDoesNotMatter) {
  const SolverCase& c = GetParam();
  const auto end = [&](const Quat& turn) {
    World world;
    world.remove_body(world.ground());
    world.set_gravity(rotate(turn, {2, -kG, 0}));
    BodyDef floor;
    floor.name = "floor", floor.shape = box({20, 1, 20}), floor.fixed = true;
    floor.position = rotate(turn, {0, -0.5, 0}), floor.orientation = turn;
    floor.material = rough(0.1);
    world.add_body(floor);
    BodyDef def = floor;
    def.name = "slider", def.fixed = false, def.shape = box({1, 0.4, 0.6});
    def.position = rotate(turn, {0, 0.2, 0});
    const BodyId id = world.add_body(def);
    Simulation sim(world, c.method);
    run(sim, 0.5, c.dt);
    return rotate_inverse(turn, sim.world().position(id));
  };
  const Vec3 straight = end({});
  const Vec3 turned = end(quaternion_from_rotation_vector({0.3, -0.8, 0.5}));
  EXPECT_GT(straight.x, 0.1);  // it slides
  EXPECT_LT(distance(straight, turned), order_tolerance(c));
}

class EveryCollisionSolver : public testing::TestWithParam<SolverCase> {};
INSTANTIATE_TEST_SUITE_P(Solvers, EveryCollisionSolver, testing::ValuesIn(solver_cases({"collision"})), case_name);

TEST_P(EveryCollisionSolver, RestitutionHeights) {
  const SolverCase& c = GetParam();
  for (const double e : {0.5, 0.8, 1.0}) {
    World world;
    world.set_material(world.ground(), rough(0, e));
    BodyDef def;
    def.shape = sphere(0.1);
    def.material = rough(0, e);
    def.position = {0, 1.1, 0};
    const BodyId id = world.add_body(def);
    Simulation sim(world, c.method);
    const double touch = std::sqrt(2 / kG);
    run(sim, touch + e * touch - 0.1, c.dt);
    double apex = 0;
    for (int i = 0; i < static_cast<int>(0.2 / c.dt); ++i) {
      sim.step(c.dt);
      apex = std::max(apex, sim.world().position(id).y - 0.1);
    }
    EXPECT_NEAR(apex, e * e, 0.02 * e * e) << "restitution " << e;  // 2 % at 1/240 s: bouncing_ball
    EXPECT_LE(apex, 1 + 1e-9);
  }
}

TEST_P(EveryCollisionSolver, CollisionsKeepMomentumAndGainNoEnergy) {
  const SolverCase& c = GetParam();
  for (const double e : {0.0, 0.5, 1.0}) {
    World world = empty_world();
    BodyDef a;
    a.shape = sphere(0.5);
    a.material = rough(0.4, e);
    a.position = {-1, 0.3, 0.1};
    a.velocity = {3, 0, 0};
    a.angular_velocity = {0, 2, 5};
    BodyDef b = a;
    b.shape = box({1, 1, 1});
    b.position = {0.6, 0, 0};
    b.velocity = {-1, 0.2, 0};
    b.angular_velocity = {};
    world.add_body(a), world.add_body(b);
    Simulation sim(world, c.method);
    const Vec3 p = world.momentum(), L = world.angular_momentum();
    const double energy = world.kinetic_energy();
    run(sim, 0.5, c.dt);
    const World& w = sim.world();
    EXPECT_NE(w.momentum(w.bodies().back()).x, -1.0 / w.state().inverse_mass[0]) << "they have met";
    EXPECT_LT(distance(w.momentum(), p), 1e-10 * length(p));
    // Position-level corrections move bodies without their momentum: the depth, at most a step's way of approach, times the
    // relative momentum.
    const double m_a = 1 / w.state().inverse_mass[0], m_b = 1 / w.state().inverse_mass[1], approach = 4.2;
    const double moved = c.dt * approach * approach * m_a * m_b / (m_a + m_b);
    EXPECT_LT(distance(w.angular_momentum(), L), c.is_position_level() ? moved : 1e-9 * length(L));
    EXPECT_LE(w.kinetic_energy(), energy * (1 + 1e-9)) << "restitution " << e;
  }
}

TEST_P(EveryCollisionSolver, NewtonsCradleWithGaps) {
  const SolverCase& c = GetParam();
  World world = empty_world();
  std::vector<BodyId> ids;
  for (int i = 0; i < 5; ++i) {
    BodyDef def;
    def.shape = sphere(0.5);
    def.material = rough(0, 1);
    // Gaps wider than a step's way, as the reference newtons_cradle asks for.
    def.position = {i * 1.01 - (i == 0 ? 0.2 : 0), 0, 0};
    def.velocity = {i == 0 ? 1.0 : 0, 0, 0};
    ids.push_back(world.add_body(def));
  }
  Simulation sim(world, c.method);
  run(sim, 1, c.dt);
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(sim.world().velocity(ids[static_cast<std::size_t>(i)]).x, i == 4 ? 1 : 0, 1e-6) << "ball " << i;
}

}  // namespace
}  // namespace rigor::test
