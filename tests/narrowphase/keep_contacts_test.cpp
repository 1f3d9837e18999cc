// Contacts that are kept while bodies hardly move against each other: as good as computed ones, and dropped in time.
#include <gtest/gtest.h>

#include "narrowphase/find_contacts.h"
#include "registry/entry.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kEnvelope = 0.01, kKeep = 0.001;

struct Search {
  std::unique_ptr<Broadphase> broadphase = create<Broadphase>(Kind::broadphase, {"aabb-tree", {}}, "");
  std::unique_ptr<Narrowphase> narrowphase = create<Narrowphase>(Kind::narrowphase, {"special-pairs", {}}, "");
  ThreadPool threads{1};
  ContactFinder finder;

  const ContactList& find(const World& world, double keep = kKeep) {
    finder.find(world, *broadphase, *narrowphase, kEnvelope, threads, keep);
    measure_separations(finder.contacts(), world);
    return finder.contacts();
  }
};

BodyDef box_at(const Vec3& position, const Vec3& size = {1, 1, 1}) {
  BodyDef def;
  def.shape = box(size), def.position = position;
  return def;
}

/// As a step would: the definitions stay the same.
void move(World& world, BodyId id, const Vec3& position, const Quat& orientation) {
  world.state().position[world.slot(id)] = position, world.state().orientation[world.slot(id)] = orientation;
}

TEST(KeepContacts, AKeptContactIsAsDeepAsAComputedOne) {
  World world;
  const BodyId id = world.add_body(box_at({0, 0.499, 0}));
  Search kept, computed;
  kept.find(world);
  EXPECT_EQ(kept.finder.kept_count(), 0u);
  move(world, id, {3e-4, 0.4992, -2e-4}, quaternion_from_axis_angle({0, 0, 1}, 2e-4));
  const Contact &c = kept.find(world).at(0), &d = computed.find(world).at(0);
  EXPECT_EQ(kept.finder.kept_count(), 1u);
  ASSERT_EQ(c.count, 4);
  ASSERT_EQ(d.count, 4);
  EXPECT_LT(distance(c.normal, d.normal), 1e-15);
  for (const ContactPoint& p : c.points) {
    EXPECT_TRUE(p.persisted);
    // The corner is the same one and the ground is flat: equal to rounding.
    for (const ContactPoint& q : d.points) {
      if (p.key == q.key) {
        EXPECT_NEAR(p.separation, q.separation, 1e-14);
      }
    }
  }
}

TEST(KeepContacts, WhoMovesOrTurnsTooFarIsComputedAgain) {
  World world;
  const BodyId id = world.add_body(box_at({0, 0.499, 0}));
  const double reach = std::sqrt(0.75);
  const struct {
    Vec3 moved;
    double turned;
    bool kept;
  } cases[] = {{{0.9 * kKeep, 0, 0}, 0, true},
               {{1.1 * kKeep, 0, 0}, 0, false},
               {{}, 0.9 * kKeep / reach, true},
               {{}, 1.1 * kKeep / reach, false}};
  for (const auto& c : cases) {
    Search search;
    move(world, id, {0, 0.499, 0}, {});
    search.find(world);
    move(world, id, Vec3{0, 0.499, 0} + c.moved, quaternion_from_axis_angle({0, 1, 0}, c.turned));
    search.find(world);
    EXPECT_EQ(search.finder.kept_count() == 1, c.kept) << c.moved.x << " " << c.turned;
    // Against the pose of the computation, not of the last search: small moves add up.
    for (int i = 0; i < 20; ++i) {
      move(world, id, {0.3 * kKeep * i, 0.499, 0}, {});
      search.find(world);
      EXPECT_NEAR(search.finder.contacts().at(0).points[0].local_b.y, -0.5, 1e-12);
      const Vec3 on_a = search.finder.contacts()[0].points[0].local_a,
                 on_b = search.finder.contacts()[0].points[0].local_b;
      EXPECT_LE(std::abs(on_a.x - (on_b.x + 0.3 * kKeep * i)), 1.001 * kKeep);
    }
  }
}

TEST(KeepContacts, NormalsTurnWithBothBodies) {
  World world;
  const BodyId a = world.add_body(box_at({0, 5, 0})), b = world.add_body(box_at({0, 6, 0}));
  Search search;
  search.find(world);
  const Quat turn = quaternion_from_axis_angle({0, 0, 1}, 0.7);
  move(world, a, rotate(turn, {0, 5, 0}), turn);
  move(world, b, rotate(turn, {0, 6, 0}), turn);
  const ContactList& contacts = search.find(world);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(search.finder.kept_count(), 1u);
  EXPECT_LT(distance(contacts[0].normal, rotate(turn, {0, 1, 0})), 1e-14);
  EXPECT_NEAR(dot(contacts[0].tangent, contacts[0].normal), 0, 1e-14);
  for (const ContactPoint& p : contacts[0].points) EXPECT_NEAR(p.separation, 0, 1e-14);
}

TEST(KeepContacts, SmallBodiesKeepLess) {
  World world;
  const BodyId id = world.add_body(box_at({0, 0.005, 0}, {0.01, 0.01, 0.01}));
  Search search;
  search.find(world);
  move(world, id, {0.5 * kKeep, 0.005, 0}, {});
  search.find(world);
  EXPECT_EQ(search.finder.kept_count(), 0u);
}

TEST(KeepContacts, RoundBodiesAreComputed) {
  World world;
  BodyDef ball;
  ball.shape = sphere(0.5), ball.position = {0, 0.499, 0};
  world.add_body(ball);
  Search search;
  search.find(world), search.find(world);
  EXPECT_EQ(search.finder.kept_count(), 0u);
}

TEST(KeepContacts, WhatDoesNotMeetIsKeptWhateverItsShape) {
  World world;  // boxes overlap, balls do not: 0.07 m apart
  BodyDef ball;
  ball.shape = sphere(0.5), ball.position = {0, 5, 0};
  world.add_body(ball);
  ball.position = {0.8, 5.7, 0};
  const BodyId other = world.add_body(ball);
  Search search;
  EXPECT_TRUE(search.find(world).empty());
  EXPECT_EQ(search.finder.kept_count(), 0u);
  move(world, other, ball.position + Vec3{-0.9 * kKeep, 0, 0}, {});
  EXPECT_TRUE(search.find(world).empty());
  EXPECT_EQ(search.finder.kept_count(), 1u);
  move(world, other, {0.6, 5.7, 0}, {});
  EXPECT_EQ(search.find(world).size(), 1u);
  EXPECT_EQ(search.finder.kept_count(), 0u);
}

TEST(KeepContacts, NewMaterialsAreSeen) {
  World world;
  const BodyId id = world.add_body(box_at({0, 0.499, 0}));
  Search search;
  search.find(world);
  Material ice;
  ice.name = "ice", ice.friction = 0.75;
  world.set_material(id, ice);
  EXPECT_EQ(search.find(world).at(0).friction, 0.75);
  EXPECT_EQ(search.finder.kept_count(), 0u);
}

TEST(KeepContacts, OthersComeAndGo) {
  World world;
  const BodyId first = world.add_body(box_at({0, 0.499, 0})), second = world.add_body(box_at({3, 0.499, 0})),
               third = world.add_body(box_at({6, 2, 0}));
  Search search;
  search.find(world);
  for (ContactPoint& p : search.finder.contacts()[1].points) p.normal_impulse = 7;
  move(world, third, {6, 0.499, 0}, {});
  ASSERT_EQ(search.find(world).size(), 3u);
  EXPECT_EQ(search.finder.kept_count(), 2u);
  EXPECT_EQ(search.finder.contacts()[1].points[3].normal_impulse, 7);
  move(world, first, {0, 2, 0}, {});
  ASSERT_EQ(search.find(world).size(), 2u);
  EXPECT_EQ(search.finder.contacts()[0].b, second);
  EXPECT_EQ(search.finder.contacts()[0].points[3].normal_impulse, 7);
}

/// A run that goes on from a snapshot keeps what the other one keeps.
TEST(KeepContacts, SnapshotsContinueBitForBit) {
  World world;
  for (int i = 0; i < 6; ++i) world.add_body(box_at({0.02 * i, 0.52 + 1.01 * i, 0}));
  Method method = preset("soft-step");
  method.sleep.name = "never";
  Simulation sim(world, method);
  for (int i = 0; i < 45; ++i) sim.step(1.0 / 60);
  Simulation other(sim.save());
  for (int i = 0; i < 45; ++i) {
    sim.step(1.0 / 60), other.step(1.0 / 60);
    ASSERT_EQ(sim.hash(), other.hash()) << "step " << i;
  }
}

}  // namespace
}  // namespace rigor::test
