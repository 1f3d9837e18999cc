// Tests that each island of the default step chooses its sub-steps by itself, and that other bodies do not change the choice.
#include "soft_step/soft_islands.h"

#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

/// Four links in a row along x at a height; returns their bodies.
std::vector<BodyId> add_chain(World& world, double x, double y) {
  std::vector<BodyId> ids;
  for (int i = 0; i < 4; ++i) {
    BodyDef def;
    def.shape = box({0.5, 0.1, 0.1}), def.position = {x + 0.25 + 0.5 * i, y, 0};
    ids.push_back(world.add_body(def));
    const JointPlacement at{{x + 0.5 * i, y, 0}, Vec3{0, 0, 1}, {}};
    if (i > 0) world.add_joint(make_joint(world, "ball", ids[ids.size() - 2], ids.back(), at));
  }
  return ids;
}

BodyId add_box(World& world, const Vec3& position) {
  BodyDef def;
  def.shape = box({1, 1, 1}), def.position = position;
  return world.add_body(def);
}

/// Contacts and joints of a world, and the islands that they make.
struct Found {
  explicit Found(World of) : world(std::move(of)) {
    list.collect(world, none);
    trees.find(world, list);
  }
  void touch(BodyId a, BodyId b) {
    Contact& contact = *contacts.emplace_back(std::make_unique<Contact>());
    contact.is_plain = true;
    list.contacts.push_back({&contact, world.slot(a), world.slot(b), -1, 1});
  }
  void touch_ground(BodyId id) { touch(world.world_body(), id); }
  const SoftIsland& island_with(BodyId id) {
    islands.find(list, world.state(), trees, options);
    return islands.islands()[islands.island_of()[world.slot(id)]];
  }
  int count_of(BodyId id) {
    const auto pace = static_cast<std::size_t>(island_with(id).pace);
    return islands.paces()[pace].count;
  }

  World world;
  ContactList none;
  ConstraintList list;
  JointTrees trees;
  SoftIslands islands;
  SoftIslands::Options options{4, 0.5, 0.25, 1.0 / 60};
  std::vector<std::unique_ptr<Contact>> contacts;
};

TEST(SoftIslands, ATreeCountsAsOneBodyOfAHeap) {
  World world;
  const std::vector<BodyId> low = add_chain(world, 0, 0), high = add_chain(world, 0, 0.1);
  Found found(std::move(world));
  found.touch_ground(low[0]), found.touch(low[3], high[3]);
  EXPECT_EQ(found.island_with(high[0]).depth, 2);
}

TEST(SoftIslands, TreesThatTouchNothingTakeOneSubStepAndHeapsOfThemAPart) {
  World world;
  const std::vector<BodyId> free = add_chain(world, 0, 3), lies = add_chain(world, 0, 0);
  const BodyId box = add_box(world, {9, 0.5, 0});
  Found found(std::move(world));
  found.touch_ground(lies[0]), found.touch_ground(box);
  EXPECT_EQ(found.count_of(free[0]), 1);
  EXPECT_EQ(found.count_of(lies[0]), 2);
  EXPECT_EQ(found.count_of(box), 4);
}

/// Islands of joints alone are cached from step to step.
TEST(SoftIslands, AreFoundAgainWhenContactsComeAndGoAndWhenOptionsChange) {
  World world;
  const std::vector<BodyId> chain = add_chain(world, 0, 0);
  Found found(std::move(world));
  EXPECT_EQ(found.count_of(chain[0]), 1);
  EXPECT_EQ(found.count_of(chain[0]), 1);
  found.touch_ground(chain[0]);
  EXPECT_EQ(found.count_of(chain[0]), 2);
  found.list.contacts.clear();
  EXPECT_EQ(found.count_of(chain[0]), 1);
  found.options.adapts = false;
  EXPECT_EQ(found.count_of(chain[0]), 4);
}

TEST(SoftIslands, DeepHeapsOfTreesTakeAllSubSteps) {
  World world;
  std::vector<BodyId> column = {add_chain(world, 0, 0)[0]};
  for (int i = 0; i < 12; ++i) column.push_back(add_box(world, {0, 0.5 + i, 0}));
  Found found(std::move(world));
  found.touch_ground(column[0]);
  for (std::size_t i = 0; i + 1 < column.size(); ++i) found.touch(column[i], column[i + 1]);
  EXPECT_EQ(found.count_of(column[0]), 4);
}

TEST(SoftIslands, WhatTurnsFastTakesMoreSubStepsAlone) {
  World world;
  BodyDef pencil;
  pencil.shape = box({0.2, 0.01, 0.01}), pencil.angular_velocity = {0, 0, 100};
  const BodyId fast = world.add_body(pencil), slow = add_box(world, {9, 0.5, 0});
  Found found(std::move(world));
  found.touch_ground(fast), found.touch_ground(slow);
  EXPECT_EQ(found.count_of(fast), 8);  // 100 rad/s for 1/60 s in parts of a quarter: 6.7
  EXPECT_EQ(found.count_of(slow), 4);
}

/// The law: a body that touches nothing changes no bit of the others.
TEST(SoftIslands, ABodyFarAwayChangesNoBit) {
  const auto make = [](bool with_far) {
    World world;
    for (int i = 0; i < 6; ++i) add_box(world, {0.07 * i, 0.6 + 1.05 * i, 0.05 * i});
    add_chain(world, 4, 0.3);
    if (with_far) {
      BodyDef far;
      far.shape = box({1, 2, 3}), far.position = {7000, 3, 0}, far.angular_velocity = {40, 3, 1};
      world.add_body(far);
    }
    Method m = preset("soft-step");
    m.sleep.name = "never";
    return Simulation(std::move(world), m);
  };
  Simulation alone = make(false), among = make(true);
  for (int i = 0; i < 120; ++i) alone.step(1.0 / 60), among.step(1.0 / 60);
  for (std::uint32_t i = 0; i < alone.world().state().awake(); ++i)
    EXPECT_EQ(alone.world().state().position[i], among.world().state().position[i]) << i;
}

}  // namespace
}  // namespace rigor::test
