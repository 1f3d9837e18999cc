// Steps of velocity level that keep contacts while bodies hardly move: what they compute is what they would without.
#include <gtest/gtest.h>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 1.0 / 60;

Method garstenauer(double keep) {
  Method m = preset("garstenauer");
  m.stepping.settings["keep"] = keep;
  m.stepping.settings["max_step"] = 1e6;  // one collision detection per step
  m.sleep.name = "never";
  return m;
}

/// Leaning a little, so that all of them move for a while.
World stack(int boxes, double restitution = 0) {
  World world;
  Material material;
  material.friction = 0.5, material.restitution = restitution;
  world.set_material(world.ground(), material);
  for (int i = 0; i < boxes; ++i) {
    BodyDef def;
    def.shape = box({1, 1, 1}), def.position = {0.02 * i, 0.52 + 1.01 * i, 0}, def.material = material;
    world.add_body(def);
  }
  return world;
}

Vec3 place(const World& world, BodyId id, const Vec3& local) {
  return world.center_of_mass(id) + rotate(world.orientation(id), local);
}

/// Within the keeping distance, and beyond it.
TEST(KeptContacts, ABodyThatIsPutElsewhereIsFoundAnew) {
  for (const double moved : {1e-4, 0.3}) {
    Simulation sim(stack(3), garstenauer(0.1));
    run(sim, 2, kStep);
    const BodyId id = sim.world().bodies().back();
    sim.world().set_pose(id, sim.world().position(id) + Vec3{moved, 0, 0}, sim.world().orientation(id));
    const World before = sim.world();
    sim.step(kStep);
    int points = 0;
    for (const Contact& c : sim.contacts())
      for (int i = 0; c.b == id && i < c.count; ++i, ++points) {
        // Found anew, the two points of a contact lie above each other; kept ones would be apart by the way.
        const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
        const Vec3 apart = place(before, c.b, p.local_b) - place(before, c.a, p.local_a);
        EXPECT_LT(length(cross(apart, c.normal)), 1e-12) << moved;
      }
    EXPECT_EQ(points, 4);
  }
}

TEST(KeptContacts, AnotherMaterialIsSeen) {
  Simulation sim(stack(1), garstenauer(0.1));
  run(sim, 1, kStep);
  const BodyId id = sim.world().bodies().back();
  Material rubber;
  rubber.name = "rubber", rubber.friction = 0.9;
  sim.world().set_material(id, rubber);
  const double before = sim.contacts().at(0).friction;
  Simulation fresh(sim.world(), sim.method());
  sim.step(kStep), fresh.step(kStep);
  EXPECT_GT(sim.contacts().at(0).friction, before);
  EXPECT_EQ(sim.contacts().at(0).friction, fresh.contacts().at(0).friction);
}

TEST(KeptContacts, ABounceIsTheSame) {
  const auto heights = [](double keep) {
    World world = stack(1, 0.7);
    const BodyId id = world.bodies().back();
    world.set_pose(id, {0, 1.5, 0}, {});
    Simulation sim(world, garstenauer(keep));
    std::vector<double> list;
    for (int k = 0; k < 120; ++k) sim.step(kStep), list.push_back(sim.world().position(id).y);
    return list;
  };
  const std::vector<double> kept = heights(0.1), computed = heights(0);
  for (std::size_t k = 0; k < kept.size(); ++k) ASSERT_NEAR(kept[k], computed[k], 1e-9) << k;
}

/// Points lag behind their bodies by at most a tenth of the envelope; a stack at rest does not notice.
TEST(KeptContacts, AStackStandsAsWell) {
  const auto end = [](double keep) {
    Simulation sim(stack(5), garstenauer(keep));
    run(sim, 5, kStep);
    std::vector<Vec3> x;
    for (const BodyId id : sim.world().bodies()) x.push_back(sim.world().position(id));
    return x;
  };
  const std::vector<Vec3> kept = end(0.1), computed = end(0);
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_LT(distance(kept[i], computed[i]), 0.02) << i;  // they lean by as much
}

TEST(KeptContacts, SeparationsAreThoseOfTheStep) {
  Simulation sim(stack(3), garstenauer(0.1));
  run(sim, 3, kStep);
  const World before = sim.world();
  sim.step(kStep);
  ASSERT_FALSE(sim.contacts().empty());
  for (const Contact& c : sim.contacts())
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.count); ++i) {
      EXPECT_NEAR(c.points[i].separation,
                  dot(c.normal, place(before, c.b, c.points[i].local_b) - place(before, c.a, c.points[i].local_a)),
                  1e-12);
    }
}

TEST(KeptContacts, WhatSleptIsPushedAwake) {
  Method m = garstenauer(0.1);
  m.sleep.name = "velocity";
  Simulation sim(stack(1), m);
  run(sim, 5, kStep);
  const BodyId id = sim.world().bodies().back();
  ASSERT_EQ(sim.world().state().awake(), 0u);
  BodyDef hammer;
  hammer.shape = box({1, 1, 1}), hammer.position = {-1.6, 0.51, 0}, hammer.velocity = {5, 0, 0};
  sim.world().add_body(hammer);
  run(sim, 0.5, kStep);
  EXPECT_GT(sim.world().position(id).x, 0.1);
  EXPECT_NEAR(sim.world().position(id).y, 0.5, 0.05);
}

TEST(KeptContacts, SnapshotsAndThreadsKeepTheBits) {
  Simulation sim(stack(6), garstenauer(0.1));
  run(sim, 0.75, kStep);
  Simulation other(sim.save()), threaded(sim.save());
  threaded.set_threads(4);
  for (int i = 0; i < 45; ++i) {
    sim.step(kStep), other.step(kStep), threaded.step(kStep);
    ASSERT_EQ(sim.hash(), other.hash()) << "step " << i;
    ASSERT_EQ(sim.hash(), threaded.hash()) << "step " << i;
  }
}

}  // namespace
}  // namespace rigor::test
