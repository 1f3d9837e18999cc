// Bodies that lie too deep in each other come apart soon, whatever their masses, and nothing else is moved.
#include "soft_step/deep_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support.h"

namespace rigor::test {
namespace {

double deepest(Simulation& sim) {
  sim.find_contacts();
  double depth = 0;
  for (const Contact& c : sim.contacts())
    for (int i = 0; i < c.count; ++i) depth = std::max(depth, -c.points[static_cast<std::size_t>(i)].separation);
  return depth;
}

BodyId add(World& world, const ShapePtr& shape, double mass, const Vec3& position, const Quat& orientation = {}) {
  BodyDef def;
  def.shape = shape, def.mass = mass, def.position = position, def.orientation = orientation;
  return world.add_body(def);
}

Simulation simulation(World world) { return Simulation(std::move(world), preset("soft-step")); }

/// Three light bodies in a row under a heavy one, all of them a centimetre inside of each other: more points than a cluster takes.
double depth_after_squeeze(double ratio, double step, double seconds) {
  World world;
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 3; ++y)
      add(world, box({0.2, 0.1, 0.2}), 1, {0.25 * x - 0.375, 0.04 + 0.09 * y, 0.01 * y},
          quaternion_from_rotation_vector({0, 0.05 * y, 0}));
  add(world, box({1.2, 0.5, 0.6}), ratio, {0.02, 0.505, 0});
  Simulation sim = simulation(std::move(world));
  while (sim.time() < seconds) sim.step(step);
  return deepest(sim);
}

TEST(DeepContacts, LightBodiesUnderAHeavyOneComeApart) {
  for (const double ratio : {30.0, 100.0, 300.0})
    for (const double step : {1.0 / 120, 1.0 / 60, 1.0 / 33})
      EXPECT_LT(depth_after_squeeze(ratio, step, 0.6), 4e-3) << ratio << " " << step;
}

/// A thin body under a load may sink in by a tenth of its thickness or by a millimetre, not by the three that others may.
TEST(DeepContacts, ThinBodiesUnderALoadSinkInByLess) {
  for (const double step : {1.0 / 120, 1.0 / 60, 1.0 / 33}) {
    World world;
    add(world, box({0.3, 0.008, 0.3}), 1, {0, 0.004, 0});
    for (int x = -1; x <= 1; ++x)
      for (int z = -1; z <= 1; ++z) add(world, box({0.09, 0.1, 0.09}), 4, {0.1 * x, 0.058, 0.1 * z});
    Simulation sim = simulation(std::move(world));
    double sum = 0;  // the depth varies from step to step by a few tenths of a millimetre
    int count = 0;
    while (sim.time() < 1.5) {
      sim.step(step);
      if (sim.time() <= 1) continue;
      sum += deepest(sim);
      ++count;
    }
    EXPECT_LT(sum / count, 1.5e-3) << step;
  }
}

/// A shift in mid-air would change the angular momentum of what moves.
TEST(DeepContacts, BodiesThatRestOnNothingKeepTheirMomentum) {
  World world;
  world.set_gravity({}), world.remove_body(world.ground());
  std::vector<BodyId> ids{add(world, box({0.4, 0.3, 0.2}), 1, {0, 0, 0}),
                          add(world, box({1, 0.5, 0.7}), 200, {0.6, 0.1, 0}),
                          add(world, sphere(0.2), 3, {0.1, 0.3, 0.05})};
  world.set_velocity(ids[0], {1, 0.3, -0.2}, {}), world.set_velocity(ids[1], {}, {0.3, 1, -2});
  Simulation sim = simulation(std::move(world));
  const auto spin = [&] {
    Vec3 L;
    for (const BodyId id : ids)
      L += sim.world().angular_momentum(id) +
           sim.world().mass_properties(id).mass * cross(sim.world().center_of_mass(id), sim.world().velocity(id));
    return L;
  };
  const Vec3 before = spin();
  for (int k = 0; k < 120; ++k) sim.step(1.0 / 60);
  EXPECT_LT(length(spin() - before), 1e-9 * length(before));
}

/// A body as flat as a plate whose underside is round: four of its corners touch at a time, and never the same four.
ShapePtr lens(int corners, double radius, double height) {
  std::vector<Vec3> points{{0, height, 0}};
  for (const double part : {0.35, 0.7, 1.0})
    for (int k = 0; k < corners; ++k) {
      const double angle = 2 * kPi * (k + 0.3 * part) / corners;
      points.push_back({part * radius * std::cos(angle), -height * (1 - part * part), part * radius * std::sin(angle)});
    }
  return convex_hull(points);
}

TEST(DeepContacts, FlatHullsWithRoundUndersidesComeToRestOnTheGround) {
  for (const int corners : {5, 7, 9})
    for (const double tilt : {0.0, 0.2, 0.6, 1.4, 2.8})
      for (const double step : {1.0 / 120, 1.0 / 60, 1.0 / 25}) {
        World world;
        const BodyId id =
            add(world, lens(corners, 0.12, 0.02), 1, {0, 0.3, 0}, quaternion_from_rotation_vector({tilt, 0.3, 0.1}));
        Simulation sim = simulation(std::move(world));
        double worst = 0;
        while (sim.time() < 6) {
          sim.step(step);
          if (sim.time() > 4) worst = std::max(worst, deepest(sim));
        }
        EXPECT_LT(worst, 1e-3) << corners << " " << tilt << " " << step;
        EXPECT_LT(length(sim.world().angular_velocity(id)), 0.5) << corners << " " << tilt << " " << step;
      }
}

/// More than four corners near the ground, at heights that differ: a corner that touches counts more than one in the air.
TEST(DeepContacts, HullsOfRandomCornersComeToRestOnTheGround) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(-1, 1);
  for (int k = 0; k < 60; ++k) {
    std::vector<Vec3> points;
    for (int i = 0; i < 8 + k % 8; ++i)
      points.push_back({0.09 * part(random), 0.06 * part(random), 0.03 * part(random)});
    World world;
    add(world, convex_hull(points), 0.2, {0, 0.2, 0},
        quaternion_from_rotation_vector({3 * part(random), part(random), part(random)}));
    Simulation sim = simulation(std::move(world));
    double worst = 0;
    while (sim.time() < 5) {
      sim.step(k % 3 == 0 ? 1.0 / 30 : k % 3 == 1 ? 1.0 / 60 : 1.0 / 120);
      if (sim.time() > 4) worst = std::max(worst, deepest(sim));
    }
    EXPECT_LT(worst, 1e-3) << k;
  }
}

TEST(DeepContacts, WhatHasSunkInByMoreThanHalfComesOut) {
  for (const ShapePtr& shape : {box({0.08, 0.05, 0.06}), lens(6, 0.06, 0.03)})
    for (const double sunk : {0.0, -0.01, -0.03})
      for (const double tilt : {0.1, 0.5, 0.9, 2.0}) {
        World world;
        const BodyId id =
            add(world, shape, 0.1, {0, sunk, 0}, quaternion_from_rotation_vector({tilt, 0.4, -0.3 * tilt}));
        Simulation sim = simulation(std::move(world));
        while (sim.time() < 2) sim.step(0.05);
        EXPECT_LT(deepest(sim), 2e-3) << sunk << " " << tilt;
        EXPECT_GT(sim.world().position(id).y, 0) << sunk << " " << tilt;
      }
}

}  // namespace
}  // namespace rigor::test
