// Names, user data, ids as keys; shape and mass that change after a body was added; sleep by the user.
#include <gtest/gtest.h>

#include <unordered_map>
#include <unordered_set>

#include "rigor/snapshot_file.h"
#include "support.h"

namespace rigor::test {
namespace {

BodyDef crate(const std::string& name, const Vec3& at) {
  BodyDef def;
  def.name = name;
  def.shape = box(1, 1, 1);
  def.position = at;
  return def;
}

void run(Simulation& sim, int steps) {
  for (int i = 0; i < steps; ++i) sim.step();
}

TEST(Ids, AreKeysOfHashTables) {
  World world;
  std::unordered_map<BodyId, int> numbers;
  for (int i = 0; i < 100; ++i) numbers[world.add_body(crate("", {2.0 * i, 0.5, 0}))] = i;
  EXPECT_EQ(numbers.size(), 100U);
  for (const auto& [id, i] : numbers) EXPECT_EQ(world.position(id).x, 2.0 * i);
  std::unordered_set<JointId> joints{JointId{}, JointId{1, 2}};
  EXPECT_TRUE(joints.contains(JointId{1, 2}));
  EXPECT_FALSE(joints.contains(JointId{2, 1}));
}

TEST(Ids, ThatAWorldDoesNotHaveGiveAnError) {
  World one, other;
  const BodyId a = one.add_body(crate("a", {0, 0.5, 0}));
  const std::string sentence = "there is no body with this id";
  EXPECT_NE(error_of([&] { other.position(a); }).find(sentence), std::string::npos);
  EXPECT_NE(error_of([&] { other.set_user_data(a, 1); }).find(sentence), std::string::npos);
  EXPECT_NE(error_of([&] { other.apply_force(a, {1, 0, 0}); }).find(sentence), std::string::npos);
  EXPECT_NE(error_of([&] { other.set_kinematic_target(BodyId{}, {}, {}, 1); }).find(sentence), std::string::npos);
  EXPECT_NE(error_of([&] { Simulation(other).contacts_of(a); }).find(sentence), std::string::npos);
  EXPECT_NE(error_of([&] { Simulation(other).put_to_sleep(a); }).find(sentence), std::string::npos);
  EXPECT_NE(error_of([&] { other.user_data(JointId{3, 4}); }).find("there is no joint"), std::string::npos);
  const World copy = one;
  EXPECT_TRUE(copy.contains(a));
  one.reset();
  one.add_body(crate("b", {0, 0.5, 0}));
  EXPECT_FALSE(one.contains(a));
}

TEST(UserData, StaysWithBodiesAndJoints) {
  World world;
  BodyDef def = crate("a", {0, 3, 0});
  def.user_data = 7;
  const BodyId a = world.add_body(def), b = world.add_body(crate("b", {0, 1, 0}));
  JointDef hinge = ball_joint(world, a, b, {0, 2, 0});
  hinge.user_data = 11;
  const JointId j = world.add_joint(hinge);
  EXPECT_EQ(world.user_data(a), 7U);
  EXPECT_EQ(world.user_data(b), 0U);
  EXPECT_EQ(world.user_data(j), 11U);
  world.set_user_data(b, ~0ULL);
  world.set_user_data(j, 12);
  const World copy = world;
  EXPECT_EQ(copy.user_data(b), ~0ULL);
  EXPECT_EQ(copy.user_data(j), 12U);
}

TEST(UserData, AndNamesAreSavedAndChangeNoBit) {
  const auto make = [] {
    World world;
    for (int i = 0; i < 4; ++i) world.add_body(crate("box" + std::to_string(i), {0.01 * i, 0.5 + 1.01 * i, 0}));
    return Simulation(world);
  };
  Simulation plain = make(), labelled = make();
  const BodyId id = labelled.world().find_body("box2");
  for (int i = 0; i < 60; ++i) {
    labelled.world().set_user_data(id, static_cast<std::uint64_t>(i));
    labelled.world().set_name(id, "name" + std::to_string(i));
    plain.step(), labelled.step();
  }
  EXPECT_EQ(plain.hash(), labelled.hash());
  EXPECT_EQ(labelled.world().find_body("name59"), id);
  EXPECT_FALSE(labelled.world().find_body("box2"));

  const Snapshot saved = labelled.save();
  const SavedRun read = read_snapshot(write_snapshot({saved, "", "", 1}));
  EXPECT_EQ(Simulation(read.snapshot).world().user_data(id), 59U);
  labelled.world().set_user_data(id, 1000);
  labelled.world().set_name(id, "later");
  labelled.restore(saved);
  EXPECT_EQ(labelled.world().user_data(id), 59U);
  EXPECT_EQ(labelled.world().find_body("name59"), id);
  EXPECT_FALSE(labelled.world().find_body("later"));
}

TEST(Names, AreUnique) {
  World world;
  const BodyId a = world.add_body(crate("a", {0, 3, 0}));
  world.add_body(crate("b", {0, 1, 0}));
  EXPECT_NE(error_of([&] { world.set_name(a, "b"); }).find("named 'b' already"), std::string::npos);
  EXPECT_NE(error_of([&] { world.set_name(a, ""); }).find("not empty"), std::string::npos);
  EXPECT_NE(error_of([&] { world.set_name(world.world_body(), "x"); }), "");
  world.set_name(a, "a");
  EXPECT_EQ(world.find_body("a"), a);
}

TEST(SetMass, KeepsPoseAndMotion) {
  World world = empty_world();
  BodyDef def = crate("a", {1, 2, 3});
  def.velocity = {1, 0, 0}, def.angular_velocity = {0, 0, 2};
  const BodyId id = world.add_body(def);
  const Vec3 corner = world.to_world(id, {0.5, 0.5, 0.5});
  const auto velocity_at = [&](const Vec3& p) {
    return world.velocity(id) + cross(world.angular_velocity(id), p - world.center_of_mass(id));
  };
  const Vec3 before = velocity_at(corner);
  world.set_mass(id, 5, {}, Vec3{0.2, 0, 0});
  EXPECT_EQ(world.mass_properties(id).mass, 5);
  EXPECT_LT(distance(world.position(id), {1, 2, 3}), 1e-14);
  EXPECT_LT(distance(velocity_at(corner), before), 1e-14);
  world.set_mass(id, {});
  EXPECT_NEAR(world.mass_properties(id).mass, 1000, 1e-9);
  EXPECT_NE(error_of([&] { world.set_mass(id, -1); }).find("positive"), std::string::npos);
  EXPECT_NEAR(world.mass_properties(id).mass, 1000, 1e-9);
}

TEST(SetShape, ChangesMassContactsAndWakesWhatRestsOnIt) {
  World world;
  const BodyId low = world.add_body(crate("low", {0, 0.5, 0})), high = world.add_body(crate("high", {0, 1.5, 0}));
  Simulation sim(world);
  run(sim, 120);
  ASSERT_TRUE(sim.world().is_asleep(high));
  sim.world().set_shape(low, box(1, 0.5, 1));
  EXPECT_NEAR(sim.world().mass_properties(low).mass, 500, 1e-9);
  run(sim, 240);
  EXPECT_NEAR(sim.world().position(low).y, 0.25, 5e-3);
  EXPECT_NEAR(sim.world().position(high).y, 1.0, 1e-2);
  EXPECT_NE(error_of([&] { sim.world().set_shape(low, nullptr); }).find("shape"), std::string::npos);
  EXPECT_NE(error_of([&] { sim.world().set_shape(low, plane()); }).find("volume"), std::string::npos);
  EXPECT_NEAR(sim.world().mass_properties(low).mass, 500, 1e-9) << "a refused shape changes nothing";
}

TEST(SetShape, OfTheGroundWakes) {
  World world;
  BodyDef floor = crate("floor", {0, -0.5, 0});
  floor.fixed = true;
  const BodyId ground = world.add_body(floor);
  world.remove_body(world.ground());
  const BodyId id = world.add_body(crate("box", {0, 0.5, 0}));
  Simulation sim(world);
  run(sim, 120);
  ASSERT_TRUE(sim.world().is_asleep(id));
  sim.world().set_shape(ground, box(1, 0.5, 1));
  run(sim, 120);
  EXPECT_NEAR(sim.world().position(id).y, 0.25, 1e-2);
}

/// Shapes of any kind may follow each other: the cache of a pair belongs to the shapes that it had.
TEST(SetShape, InAHeapContinuesFromSnapshotsBitForBit) {
  World world;
  std::vector<BodyId> ids;
  for (int i = 0; i < 12; ++i)
    ids.push_back(world.add_body(crate("", {0.3 * (i % 3), 0.6 + 1.1 * (i / 3), 0.2 * (i % 2)})));
  Simulation sim(world);
  const std::vector<ShapePtr> shapes{sphere(0.5), capsule(0.3, 0.4), cylinder(0.4, 0.8), box(0.7, 0.9, 0.8)};
  for (int round = 0; round < 8; ++round) {
    run(sim, 7);
    const auto k = static_cast<std::size_t>(round);
    sim.world().set_shape(ids[k], shapes[k % shapes.size()]);
    const Snapshot saved = sim.save();
    const SavedRun file = read_snapshot(write_snapshot({saved, "", "", 1}));
    Simulation other(file.snapshot);
    run(sim, 20), run(other, 20);
    EXPECT_EQ(sim.hash(), other.hash()) << "round " << round;
    sim.restore(saved);
    run(sim, 20);
    EXPECT_EQ(sim.hash(), other.hash()) << "round " << round;
  }
}

TEST(PutToSleep, TakesTheWholeIsland) {
  World world;
  const BodyId low = world.add_body(crate("low", {0, 0.5, 0})), high = world.add_body(crate("high", {0, 1.5, 0})),
               far = world.add_body(crate("far", {5, 0.5, 0}));
  Simulation sim(world);
  run(sim, 5);
  EXPECT_FALSE(sim.world().is_asleep(low));
  sim.put_to_sleep(low);
  EXPECT_TRUE(sim.world().is_asleep(low) && sim.world().is_asleep(high));
  EXPECT_FALSE(sim.world().is_asleep(far));
  sim.step();
  EXPECT_TRUE(sim.world().is_asleep(low) && sim.world().is_asleep(high));
  EXPECT_TRUE(std::any_of(sim.events().begin(), sim.events().end(),
                          [&](const Event& e) { return e.kind == Event::Kind::body_asleep && e.a == low; }));
  EXPECT_EQ(sim.sleep_state(low).asleep, true);
  sim.world().wake(high);
  sim.step();
  EXPECT_FALSE(sim.world().is_asleep(low));
  EXPECT_FALSE(sim.world().is_asleep(high));
}

TEST(PutToSleep, HoldsABodyInMidAirUntilSomethingTouchesIt) {
  World world;
  const BodyId id = world.add_body(crate("box", {0, 5, 0}));
  Simulation sim(world);
  sim.put_to_sleep(id);
  run(sim, 30);
  EXPECT_EQ(sim.world().position(id).y, 5);
  const Snapshot saved = sim.save();
  sim.world().apply_impulse(id, {0, 0, 1});
  sim.step();
  EXPECT_FALSE(sim.world().is_asleep(id));
  sim.restore(saved);
  EXPECT_TRUE(sim.world().is_asleep(id));
}

TEST(PutToSleep, IsRefusedWhereNothingSleeps) {
  World world;
  const BodyId id = world.add_body(crate("box", {0, 5, 0}));
  Method method = default_method();
  method.sleep = {"never", {}};
  Simulation sim(world, method);
  EXPECT_NE(error_of([&] { sim.put_to_sleep(id); }).find("has no sleep"), std::string::npos);
  EXPECT_NE(error_of([&] { sim.put_to_sleep(world.ground()); }).find("not fixed"), std::string::npos);
}

}  // namespace
}  // namespace rigor::test
