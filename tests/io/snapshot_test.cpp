// Snapshots: what they hold, what they share, and files that are damaged.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "golden/golden_scenes.h"
#include "io/snapshot_parts.h"
#include "rigor/snapshot_file.h"
#include "support.h"

namespace rigor::test {
namespace {

Simulation running(const std::string& scene, int steps = 50) {
  Simulation simulation(golden_world(scene), golden_method("garstenauer-sequential"));
  for (int i = 0; i < steps; ++i) simulation.step();
  return simulation;
}

TEST(Snapshot, SharesDefinitionsUntilSomebodyChangesThem) {
  Simulation simulation = running("sleepers");
  const Snapshot first = simulation.save();
  simulation.step();
  const Snapshot second = simulation.save();
  EXPECT_EQ(first.world, second.world);
  EXPECT_EQ(first.method, second.method);
  simulation.world().set_gravity({0, -1, 0});
  const Snapshot third = simulation.save();
  EXPECT_NE(second.world, third.world);
  const std::uint64_t changed = simulation.hash();
  simulation.restore(first);
  const ForceId gravity = simulation.world().gravity();
  EXPECT_EQ(dynamic_cast<const Gravity&>(*simulation.world().force(gravity).effect).acceleration.y, -9.81);
  simulation.restore(third);
  EXPECT_EQ(simulation.hash(), changed);
}

TEST(Snapshot, BringsBackRemovedBodiesBrokenJointsAndForcesThatEnded) {
  Simulation simulation = running("joints", 30);
  World& world = simulation.world();
  const JointId joint = world.joints().front();
  const BodyId body = world.joint(world.joints().back()).b;
  const Snapshot before = simulation.save();
  EXPECT_TRUE(world.find_force("push"));
  while (simulation.time() < 1) simulation.step();
  EXPECT_FALSE(world.find_force("push"));
  world.set_joint_broken(joint, true);
  world.remove_body(body);
  simulation.step();
  simulation.restore(before);
  EXPECT_TRUE(world.find_force("push"));
  EXPECT_TRUE(world.contains(body));
  EXPECT_FALSE(world.joint_state(joint).broken);
  EXPECT_FALSE(world.may_collide(world.joint(joint).a, world.joint(joint).b)) << "joined again";
  EXPECT_EQ(simulation.steps(), 30u);
}

TEST(Snapshot, BringsBackContactsForDisplay) {
  Simulation simulation = running("mixed");
  const ContactList contacts = simulation.contacts();
  ASSERT_FALSE(contacts.empty());
  const Snapshot snapshot = simulation.save();
  for (int i = 0; i < 30; ++i) simulation.step();
  simulation.restore(snapshot);
  ASSERT_EQ(simulation.contacts().size(), contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact &was = contacts[i], &is = simulation.contacts()[i];
    EXPECT_EQ(is.a, was.a);
    EXPECT_EQ(is.normal, was.normal);
    EXPECT_EQ(is.friction, was.friction);
    EXPECT_EQ(is.points[0].normal_impulse, was.points[0].normal_impulse);
    // Points are kept as floats: 24 bits of numbers below 16 m.
    EXPECT_LT(distance(is.points[0].local_a, was.points[0].local_a), 16 * 0x1p-24);
  }
}

TEST(Snapshot, KeepsNumbersThatAreNotFiniteInMemory) {
  Method method = method_with("rk4");
  method.validators.clear();
  World world = empty_world();
  BodyDef def;
  def.shape = sphere(1);
  const BodyId id = world.add_body(def);
  Simulation simulation(world, method);
  simulation.world().state().position[simulation.world().slot(id)].x = std::nan("");
  const Snapshot snapshot = simulation.save();
  simulation.restore(snapshot);
  EXPECT_TRUE(std::isnan(simulation.world().center_of_mass(id).x));
}

TEST(Snapshot, AnEmptyOneIsRefused) {
  Simulation simulation;
  EXPECT_NE(error_of([&] { simulation.restore(Snapshot{}); }).find("nothing was saved"), std::string::npos);
}

TEST(SnapshotFile, KeepsIdsGenerationsAndTheOrderOfFreePlaces) {
  Simulation simulation = running("sleepers");
  simulation.world().remove_body(simulation.world().find_body("body5"));
  const SavedRun saved = read_snapshot(write_snapshot({simulation.save(), "", "", 1}));
  Simulation again(saved.snapshot);
  EXPECT_EQ(again.world().bodies(), simulation.world().bodies());
  BodyDef def;
  def.shape = sphere(1);
  EXPECT_EQ(again.world().add_body(def), simulation.world().add_body(def)) << "the next id is the same, too";
}

TEST(SnapshotFile, AForceOfTheProgramCannotBeWritten) {
  World world;
  world.add_force(CustomForce([](const ForceContext&) {}), {}, "mine");
  const Simulation simulation(world);
  EXPECT_NE(error_of([&] { write_snapshot({simulation.save(), "", "", 1}); }).find("'mine'"), std::string::npos);
}

TEST(SnapshotFile, DamageIsToldInOneSentence) {
  const std::string good = write_snapshot({running("mixed").save(), "", "", 1});
  EXPECT_NE(error_of([&] { read_snapshot("{}"); }).find("not a snapshot"), std::string::npos);
  EXPECT_NE(error_of([&] { read_snapshot(good.substr(0, 15)); }).find("damaged"), std::string::npos);
  std::string other = good;
  other[8] = 9;
  EXPECT_NE(error_of([&] { read_snapshot(other); }).find("version 9"), std::string::npos);
  for (std::size_t i = 12; i < good.size(); i += good.size() / 50) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_NE(error_of([&] { read_snapshot(bad); }).find("damaged"), std::string::npos);
  }
  EXPECT_NE(error_of([] { read_snapshot_file("/no/such.rsnap"); }).find("such.rsnap"), std::string::npos);
}

/// Behind the checksum: every payload is an Error or a snapshot that can be simulated.
TEST(SnapshotFile, DamagedPayloadsAreErrorsOrSnapshots) {
  std::uint64_t random = 1;
  const auto next = [&random] { return (random = random * 6364136223846793005ull + 1442695040888963407ull) >> 33; };
  for (const std::string& scene : golden_scene_names()) {
    const std::string good = write_snapshot_payload({running(scene).save(), "", "", 1});
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
      std::string bad = good;
      if (i % 10 == 0) bad.resize(next() % bad.size());
      for (std::uint64_t k = next() % 3; k > 0 && !bad.empty(); --k)
        bad[next() % bad.size()] = static_cast<char>(next());
      try {
        Simulation simulation(read_snapshot_payload(bad).snapshot);
        simulation.step();
      } catch (const Error&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 30) << "at least those that were cut off";
  }
}

}  // namespace
}  // namespace rigor::test
