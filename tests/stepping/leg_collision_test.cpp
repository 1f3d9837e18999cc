// Fast bodies that meet in flight keep momentum, angular momentum and energy, whatever continuous collision does.
#include <gtest/gtest.h>

#include <random>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

struct Drift {
  double momentum = 0, angular = 0, energy = 0;  // relative; energy: largest gain
};

Drift drift_of(const World& start, double h, int steps) {
  Simulation sim(start, preset("soft-step"));
  const Vec3 P = start.momentum(), L = start.angular_momentum();
  double p = 0, l = 0;
  for (const BodyId id : start.bodies()) {
    if (start.velocity(id) == Vec3{}) continue;  // the world
    const double momentum = length(start.momentum(id));
    p += momentum, l += length(start.position(id)) * momentum;
  }
  const double T = start.kinetic_energy();
  Drift worst;
  for (int i = 0; i < steps; ++i) {
    sim.step(h);
    worst.momentum = std::max(worst.momentum, length(sim.world().momentum() - P) / p);
    worst.angular = std::max(worst.angular, length(sim.world().angular_momentum() - L) / l);
    worst.energy = std::max(worst.energy, sim.world().kinetic_energy() / T - 1);
  }
  return worst;
}

/// Small bodies that fly towards the middle and move several times their size in a step.
World swarm(unsigned seed, int count, bool with_chain) {
  World world = empty_world();
  std::mt19937 random(seed);
  const auto draw = [&random](double low, double high) {
    return low + (high - low) * (static_cast<double>(random() >> 5) / (1 << 27));
  };
  const auto vector = [&](double size) { return Vec3{draw(-size, size), draw(-size, size), draw(-size, size)}; };
  for (int i = 0; i < count; ++i) {
    BodyDef def;
    const double size = draw(0.02, 0.06);
    def.shape = i % 3 == 0 ? sphere(size) : i % 3 == 1 ? box({size, 2 * size, 3 * size}) : capsule(size, 2 * size);
    def.position = 1.5 * normalized(Vec3{0.01, 0, 0} + vector(1)) + vector(0.3);
    def.velocity = draw(4, 12) * (vector(0.1) - normalized(def.position));
    def.angular_velocity = vector(5);
    def.material.density = draw(100, 8000), def.material.restitution = draw(0, 1), def.material.friction = draw(0, 1);
    world.add_body(def);
  }
  if (!with_chain) return world;
  BodyId last;
  for (int i = 0; i < 6; ++i) {
    BodyDef def;
    def.shape = box({0.1, 0.02, 0.04}), def.position = {0.1 * i - 0.3, 0, 0};
    def.velocity = {0, 1, 0};
    const BodyId link = world.add_body(def);
    if (i > 0) world.add_joint(ball_joint(world, last, link, {0.1 * i - 0.35, 0, 0}));
    last = link;
  }
  return world;
}

TEST(LegCollision, FastBodiesKeepTheirMomenta) {
  for (unsigned seed = 0; seed < 12; ++seed)
    for (const double h : {1.0 / 120, 1.0 / 60, 1.0 / 25}) {
      const Drift drift = drift_of(swarm(seed, 30, false), h, static_cast<int>(0.5 / h));
      EXPECT_LT(drift.momentum, 1e-12) << "seed " << seed << " h " << h;
      EXPECT_LT(drift.angular, 1e-12) << "seed " << seed << " h " << h;
      EXPECT_LT(drift.energy, 1e-9) << "seed " << seed << " h " << h;
    }
}

TEST(LegCollision, FastBodiesAndAChainKeepTheirMomenta) {
  for (unsigned seed = 100; seed < 112; ++seed)
    for (const double h : {1.0 / 120, 1.0 / 60, 1.0 / 25}) {
      const Drift drift = drift_of(swarm(seed, 20, true), h, static_cast<int>(0.5 / h));
      EXPECT_LT(drift.momentum, 1e-11) << "seed " << seed << " h " << h;
      EXPECT_LT(drift.angular, 1e-11) << "seed " << seed << " h " << h;
    }
}

TEST(LegCollision, ABulletThatRicochetsDoesNotPassTheNextPlate) {
  // It meets a slanted plate that moves freely, and behind that in the same step or a later one a second one.
  for (int i = 0; i < 20; ++i) {
    const double h = 1.0 / 60, speed = 40 + 5 * i;
    World world = empty_world();
    BodyDef plate;
    plate.shape = box({0.4, 0.01, 0.4}), plate.mass = 50, plate.material.restitution = 0.9;
    plate.position = {0, 0, 0}, plate.orientation = quaternion_from_rotation_vector({0, 0, 0.25 * kPi});
    const BodyId first = world.add_body(plate);
    plate.position = {0, 0.25, 0}, plate.orientation = {};
    plate.shape = box({3, 0.01, 3});
    const BodyId second = world.add_body(plate);
    BodyDef bullet;
    bullet.shape = sphere(0.005), bullet.position = {-1 - 0.037 * i, 0, 0}, bullet.velocity = {speed, 0, 0};
    bullet.material.restitution = 0.9, bullet.material.friction = 0;
    const BodyId id = world.add_body(bullet);
    Simulation sim(world, preset("soft-step"));
    for (int k = 0; k < 30; ++k) sim.step(h);
    const World& now = sim.world();
    const Vec3 over = now.position(id) - now.position(second);
    const double height = dot(rotate(now.orientation(second), {0, 1, 0}), over);
    EXPECT_LT(height, 0) << "speed " << speed;
    EXPECT_LT(length(now.position(first)), 2);
  }
}

/// Fast bodies that have come deep into each other: contacts may push them apart one way while their cores seem to approach another way. Each held the other, and both hung in
/// the air for ever.
TEST(LegCollision, BodiesDeepInEachOtherDoNotHangInTheAir) {
  std::mt19937 random(11);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto vector = [&](double most) {
    return Vec3{between(-most, most), between(-most, most), between(-most, most)};
  };
  for (int k = 0; k < 200; ++k) {
    World world;
    world.set_gravity({});
    BodyId ids[2];
    Vec3 momentum{}, start{};
    double mass = 0;
    for (BodyId& id : ids) {
      BodyDef def;
      const double size = 0.03 + 0.07 * between(0, 1);
      def.shape = k % 3 == 0 ? box({2 * size, size, size}) : k % 3 == 1 ? cone(size, 2 * size) : cylinder(size, size);
      def.position = Vec3{0, 5, 0} + vector(0.02), def.velocity = vector(4);
      def.angular_velocity = vector(100);
      def.orientation = quaternion_from_rotation_vector(vector(3));
      id = world.add_body(def);
      const double m = world.mass_properties(id).mass;
      mass += m, momentum += m * def.velocity, start += m * world.position(id);
    }
    Simulation sim(std::move(world), preset("soft-step"));
    for (int i = 0; i < 25; ++i) sim.step(0.02);
    Vec3 end{};
    for (const BodyId id : ids) end += sim.world().mass_properties(id).mass * sim.world().position(id);
    // Bodies that are set back lose a part of their path.
    EXPECT_GT(length(end - start), 0.5 * 0.5 * length(momentum)) << k;
  }
}

}  // namespace
}  // namespace rigor::test
