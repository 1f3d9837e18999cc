// Friction and restitution by their closed formulas, under each way in which velocity-level solvers treat them.
#include <gtest/gtest.h>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kG = 9.81, kStep = 1.0 / 240;

struct FrictionCase {
  std::string name;
  Choice solver;
};
std::ostream& operator<<(std::ostream& out, const FrictionCase& c) { return out << c.name; }

Choice sequential(const char* friction) {
  return {"sequential-impulse", {{"friction", friction}, {"iterations", std::int64_t{100}}}};
}

std::vector<FrictionCase> friction_cases() {
  return {{"hahn", sequential("hahn")},
          {"guendelman", sequential("guendelman")},
          {"guendelman_contact", {"guendelman-contact", {{"iterations", std::int64_t{100}}}}},
          {"pyramid", {"simultaneous-impulse", {{"lcp", "dantzig"}}}}};
}

class EveryFriction : public testing::TestWithParam<FrictionCase> {
 protected:
  Method method() const {
    Method m;
    m.integrator.name = "semi-implicit-euler";
    m.contact_solver = m.joint_solver = GetParam().solver;
    const bool collides = has_capability(*find_method(Kind::solver, GetParam().solver.name), "collision");
    m.collision_solver = collides ? m.contact_solver : Choice{"guendelman-collision", {}};
    return m;
  }
};
INSTANTIATE_TEST_SUITE_P(Solvers, EveryFriction, testing::ValuesIn(friction_cases()),
                         [](const auto& p) { return p.param.name; });

Material with_friction(double friction) {
  Material m;
  m.friction = friction;
  return m;
}

BodyId add_on_ground(World& world, const ShapePtr& shape, double height, const Material& material, const Vec3& velocity,
                     const Vec3& spin = {}) {
  world.set_material(world.ground(), material);
  BodyDef def;
  def.name = "body", def.shape = shape, def.material = material;
  def.position = {0, height, 0}, def.velocity = velocity, def.angular_velocity = spin;
  return world.add_body(def);
}

TEST_P(EveryFriction, SlidingObeysCoulombInEveryDirection) {
  for (const double angle : {0.0, 0.5, 2.0}) {
    World world;
    const Vec3 along{std::cos(angle), 0, std::sin(angle)};
    const BodyId id = add_on_ground(world, box({1, 0.2, 1}), 0.1, with_friction(0.3), 5 * along);
    Simulation sim(world, method());
    run(sim, 0.5, kStep);
    // 1 %: the impulses of guendelman-contact keep to the law only up to what one of its hundred rounds changes.
    EXPECT_LT(distance(sim.world().velocity(id), (5 - 0.3 * kG * 0.5) * along), 0.01 * 0.3 * kG * 0.5);
  }
}

TEST_P(EveryFriction, RollingFrictionBrakesABall) {
  for (const double angle : {0.0, 0.6}) {
    Material m = with_friction(0.8);
    m.rolling_friction = 0.01;
    World world;
    const double r = 0.5, v = 2;
    const Vec3 along{std::cos(angle), 0, std::sin(angle)};
    const BodyId id = add_on_ground(world, sphere(r), r, m, v * along, cross(Vec3{0, 1, 0}, along) * (v / r));
    Simulation sim(world, method());
    run(sim, 1, kStep);
    // ρ N against the rolling of I + m r² = 7/5 m r².
    const double expected = v - 5.0 / 7 * m.rolling_friction * kG / r;
    EXPECT_NEAR(dot(sim.world().velocity(id), along), expected, 0.01 * (v - expected)) << angle;
  }
}

TEST_P(EveryFriction, RollingFrictionStopsABall) {
  Material m = with_friction(0.8);
  m.rolling_friction = 0.05;
  World world;
  const BodyId id = add_on_ground(world, sphere(0.5), 0.5, m, {0.3, 0, 0.2}, {0.4, 0, -0.6});
  Simulation sim(world, method());
  run(sim, 2, kStep);
  EXPECT_LT(length(sim.world().velocity(id)), 1e-6);
  EXPECT_LT(length(sim.world().angular_velocity(id)), 1e-6);
}

TEST_P(EveryFriction, SpinningFrictionBrakesATop) {
  Material m = with_friction(0.5);
  m.spinning_friction = 0.02;
  World world;
  const double r = 0.5, spin = 10;
  const BodyId id = add_on_ground(world, sphere(r), r, m, {}, {0, spin, 0});
  Simulation sim(world, method());
  run(sim, 1, kStep);
  const double lost = 2.5 * m.spinning_friction * kG / (r * r);  // σ N / (2/5 m r²)
  EXPECT_NEAR(sim.world().angular_velocity(id).y, spin - lost, 0.01 * lost);
}

TEST_P(EveryFriction, FrictionDependsOnTheGrain) {
  Material m = with_friction(0.2);
  m.grain = {1, 0, 0}, m.friction_across = 3;
  for (const bool across : {false, true}) {
    World world;
    const Vec3 along = across ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    const BodyId id = add_on_ground(world, box({1, 0.2, 1}), 0.1, m, 5 * along);
    Simulation sim(world, method());
    run(sim, 0.25, kStep);
    const double lost = (across ? 0.6 : 0.2) * kG * 0.25;
    EXPECT_NEAR(dot(sim.world().velocity(id), along), 5 - lost, 0.01 * lost) << (across ? "across" : "along");
  }
}

TEST_P(EveryFriction, ConveyorBeltCarriesABox) {
  World world;
  Material belt = with_friction(0.4);
  belt.surface_velocity = {1.5, 0, 0};
  BodyDef fixed;
  fixed.name = "belt", fixed.shape = box({40, 1, 4}), fixed.fixed = true, fixed.position = {0, 2, 0};
  fixed.material = belt;
  world.add_body(fixed);
  BodyDef def;
  def.name = "box", def.shape = box({0.5, 0.2, 0.5}), def.position = {0, 2.6, 0}, def.material = with_friction(0.4);
  const BodyId id = world.add_body(def);
  Simulation sim(world, method());
  run(sim, 0.2, kStep);
  EXPECT_NEAR(sim.world().velocity(id).x, 0.4 * kG * 0.2, 0.01 * 0.4 * kG * 0.2);  // still speeding up
  run(sim, 1.8, kStep);
  EXPECT_NEAR(sim.world().velocity(id).x, 1.5, 1e-3);
  EXPECT_LT(length(sim.world().angular_velocity(id)), 1e-3);
}

TEST_P(EveryFriction, StaticFrictionHoldsWhatKineticFrictionDoesNot) {
  Material m = with_friction(0.3);
  m.static_friction = 0.6;
  const double angle = std::atan(0.45);
  for (const double push : {0.0, 0.5}) {
    World world;
    const BodyId id = add_body_on_slope(world, angle, box({1, 0.2, 1}), 0.1, m);
    world.set_velocity(id, {push, 0, 0}, {});
    Simulation sim(world, method());
    run(sim, 1, kStep);
    const double a = push > 0 ? kG * (std::sin(angle) - 0.3 * std::cos(angle)) : 0;
    EXPECT_NEAR(sim.world().velocity(id).x, push + a, 0.01 * a + 1e-4) << "push " << push;
  }
}

TEST_P(EveryFriction, SlowImpactsDoNotBounce) {
  Material m;
  m.friction = 0, m.restitution = 0.8;
  for (const double threshold : {0.5, 2.0}) {
    World world;
    world.set_gravity({});
    const BodyId id = add_on_ground(world, sphere(0.1), 0.15, m, {0, -1, 0});
    Method chosen = method();
    chosen.restitution_threshold = threshold;
    Simulation sim(world, chosen);
    run(sim, 0.2, kStep);
    EXPECT_NEAR(sim.world().velocity(id).y, threshold < 1 ? 0.8 : 0, 1e-9) << "threshold " << threshold;
  }
}

}  // namespace
}  // namespace rigor::test
