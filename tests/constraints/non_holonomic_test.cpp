// Rows on velocities alone: a knife edge and a rolling ball against their exact motions.
#include <cmath>

#include "rigor/joint_types.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kPull = 3, kTurn = 2;  // m/s², gravity along a slope; rad/s

/// A skate that begins at rest at the origin, turns at kTurn about z and is pulled along x; its edge points along x at first.
World skate_on_slope(const Settings& parameters = {}) {
  World world;
  world.remove_body(world.ground());
  world.remove_force(world.drag());
  world.set_gravity({kPull, 0, 0});
  const BodyId id = world.add_body(body_with_inertia("skate", 2, {0.3, 0.5, 0.7}));
  world.set_velocity(id, {}, {0, 0, kTurn});
  JointDef joint = make_joint(world, "knife-edge", world.world_body(), id, {{0, 0, 0}, Vec3{0, 1, 0}, {}}, parameters);
  joint.name = "edge";
  world.add_joint(joint);
  return world;
}

/// m, distance from the cycloid x = p/(2ω²) sin² ωt, y = p/(2ω²) (ωt − ½ sin 2ωt) after three seconds.
double error_of_skate(const char* method, double h) {
  Simulation sim(skate_on_slope(), preset(method));
  const int steps = static_cast<int>(std::lround(3 / h));
  for (int i = 0; i < steps; ++i) sim.step(h);
  const double c = kPull / (2 * kTurn * kTurn), angle = 3 * kTurn;
  const Vec3 exact{c * std::pow(std::sin(angle), 2), c * (angle - 0.5 * std::sin(2 * angle)), 0};
  return length(sim.world().position(sim.world().find_body("skate")) - exact);
}

TEST(KnifeEdge, OnASlopeItMovesAlongACycloid) {
  for (const char* method : {"soft-step", "garstenauer", "garstenauer-sequential", "servin", "xpbd", "tgs", "nncg"}) {
    const double coarse = error_of_skate(method, 2e-3), fine = error_of_skate(method, 5e-4);
    EXPECT_LT(coarse, 0.02) << method;  // of a path of 4.5 m
    // First order at least: a quarter of the step leaves a quarter of the error, and a margin of a fifth of that.
    EXPECT_LT(fine, 0.3 * coarse) << method;
  }
}

/// With gravity along x alone and no rotation the edge slides freely along itself and not at all across.
TEST(KnifeEdge, HoldsAcrossAndSkidsBeyondItsForce) {
  for (const double force : {20.0, 4.0}) {
    World world = skate_on_slope({{"max_force", force}});
    const BodyId id = world.find_body("skate");
    world.set_velocity(id, {}, {});
    world.set_gravity({1, 5, 0});  // 10 N across
    Simulation sim(world, preset("garstenauer"));
    for (int i = 0; i < 1000; ++i) sim.step(1e-3);
    EXPECT_NEAR(sim.world().velocity(id).x, 1, 1e-9);
    EXPECT_NEAR(sim.world().velocity(id).y, force > 10 ? 0 : 5 - force / 2, 1e-9);
  }
}

/// The center of a solid ball on a turntable of angular velocity Ω has v̇ = 2/7 Ω × v: a circle (Neimark, Fufaev 1972).
TEST(RollingBall, OnATurntableItMovesAlongACircle) {
  constexpr double r = 0.1, spin = 3, k = 2.0 / 7 * spin, t = 4;
  const Vec3 start{0.5, r, 0}, v0{0.2, 0, 0.3}, up{0, 1, 0};
  for (const char* method : {"soft-step", "garstenauer", "garstenauer-sequential", "servin", "xpbd", "tgs", "nncg"}) {
    World world = empty_world();
    BodyDef table;
    table.name = "table", table.shape = box({1, 0.1, 1}), table.fixed = true, table.can_collide = false;
    table.angular_velocity = {0, spin, 0};
    const BodyId a = world.add_body(table);
    BodyDef ball;
    ball.name = "ball", ball.shape = sphere(r), ball.position = start, ball.can_collide = false;
    const BodyId b = world.add_body(ball);
    // v + ω × (−r up) = Ω up × p at the start.
    world.set_velocity(b, v0, {(v0.z + spin * start.x) / r, 0, (spin * start.z - v0.x) / r});
    world.add_joint(make_joint(world, "rolling-ball", a, b, {start, up, {}}, {{"radius", r}}));
    Simulation sim(world, preset(method));
    for (int i = 0; i < 4000; ++i) sim.step(t / 4000);
    const Vec3 v = rotate(quaternion_from_rotation_vector(k * t * up), v0);
    const Vec3 exact = start - cross(up, v - v0) / k;
    EXPECT_NEAR(length(sim.world().position(b) - exact), 0, 0.02) << method;  // of a path of 1.4 m
    EXPECT_NEAR(length(sim.world().velocity(b)), length(v0), 0.01 * length(v0)) << method;
  }
}

TEST(NonHolonomic, ScenesAndSnapshotsHoldThem) {
  World world = skate_on_slope({{"max_force", 100.0}});
  Simulation sim(world, preset("garstenauer"));
  for (int i = 0; i < 10; ++i) sim.step(0.01);
  Simulation other(World{}, default_method());
  other.restore(sim.save());
  for (int i = 0; i < 10; ++i) sim.step(0.01), other.step(0.01);
  EXPECT_EQ(sim.hash(), other.hash());
  const JointDef& joint = world.joint(world.find_joint("edge"));
  EXPECT_EQ(describe_joint(joint).type, "knife-edge");
  EXPECT_EQ(std::get<double>(describe_joint(joint).parameters.at("max_force")), 100);
}

}  // namespace
}  // namespace rigor::test
