// How deep bodies lie upon each other, and what the default step makes of it.
#include "stepping/contact_depth.h"

#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

constexpr int kMost = 8;
constexpr std::uint32_t kGround = 100;  // a slot beyond the awake bodies

ConstraintList contacts(std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs) {
  ConstraintList list;
  for (const auto& [a, b] : pairs) list.contacts.push_back({nullptr, a, b});
  return list;
}

TEST(ContactDepth, CountsBodiesAlongTheShortestWayToTheGround) {
  ContactDepth depth;
  EXPECT_EQ(depth.find(contacts({}), {}, 4, kMost), 0);
  EXPECT_EQ(depth.find(contacts({{kGround, 0}, {3, 2}, {1, 2}, {1, 0}}), {}, 4, kMost), 4);
  EXPECT_EQ(depth.find(contacts({{kGround, 0}, {3, 2}, {1, 2}, {1, 0}, {2, kGround}}), {}, 4, kMost), 2);
}

TEST(ContactDepth, IsBounded) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> column{{kGround, 0}};
  for (std::uint32_t i = 0; i < 30; ++i) column.emplace_back(i, i + 1);
  EXPECT_EQ(ContactDepth().find(contacts(column), {}, 31, kMost), kMost + 1);
}

TEST(ContactDepth, BodiesThatTouchOnlyEachOtherCountForNothing) {
  EXPECT_EQ(ContactDepth().find(contacts({{0, 1}, {1, 2}}), {}, 3, kMost), 0);
}

/// Four links in a row along x at a height; returns their bodies.
std::vector<BodyId> add_chain(World& world, double y) {
  std::vector<BodyId> ids;
  for (int i = 0; i < 4; ++i) {
    BodyDef def;
    def.shape = box({0.5, 0.1, 0.1}), def.position = {0.25 + 0.5 * i, y, 0};
    ids.push_back(world.add_body(def));
    const JointPlacement at{{0.5 * i, y, 0}, Vec3{0, 0, 1}, {}};
    if (i > 0) world.add_joint(make_joint(world, "ball", ids[ids.size() - 2], ids.back(), at));
  }
  return ids;
}

TEST(ContactDepth, ATreeCountsAsOneBody) {
  World world;
  const std::vector<BodyId> low = add_chain(world, 0), high = add_chain(world, 0.1);
  ContactList none;
  ConstraintList list;
  list.collect(world, none);
  JointTrees trees;
  ASSERT_TRUE(trees.find(world, list));
  EXPECT_TRUE(trees.has_all());
  const auto slot = [&](BodyId id) { return world.slot(id); };
  list.contacts = {{nullptr, kGround, slot(low[0])}, {nullptr, slot(low[3]), slot(high[3])}};
  EXPECT_EQ(ContactDepth().find(list, trees, world.state().awake(), kMost), 2);
}

/// Where a chain and a column of boxes have come to after a while.
std::vector<Vec3> settled(int boxes, double count, double shallow) {
  World world;
  for (int i = 0; i < boxes; ++i) {
    BodyDef def;
    def.shape = box({1, 1, 1}), def.position = {5, 0.5 + i, 0};
    world.add_body(def);
  }
  const std::vector<BodyId> chain = add_chain(world, 0.2);
  Method m = preset("soft-step");
  m.sleep.name = "never";
  m.stepping.settings["count"] = count, m.stepping.settings["shallow"] = shallow;
  Simulation sim(std::move(world), m);
  for (int i = 0; i < 30; ++i) sim.step(1.0 / 60);
  std::vector<Vec3> places;
  for (const BodyId id : chain) places.push_back(sim.world().state().position[sim.world().slot(id)]);
  return places;
}

TEST(ContactDepth, ShallowHeapsOfTreesTakeHalfOfTheSubSteps) {
  EXPECT_EQ(settled(2, 4, 0.5), settled(2, 2, 1));
  EXPECT_NE(settled(2, 4, 0.5), settled(2, 4, 1));
}

TEST(ContactDepth, DeepOnesTakeAll) { EXPECT_EQ(settled(12, 4, 0.5), settled(12, 4, 1)); }

}  // namespace
}  // namespace rigor::test
