// What an application may get wrong gives an Error with a sentence, never a crash.
#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 1.0 / 60;

World one_box() {
  World world;
  BodyDef def;
  def.name = "box";
  def.shape = box(1, 1, 1);
  def.position = {0, 0.5, 0};
  world.add_body(def);
  return world;
}

TEST(MovedFrom, SimulationsRefuseEverything) {
  Simulation sim(one_box());
  sim.step(kStep);
  const BodyId id = sim.world().find_body("box");
  const Snapshot saved = sim.save();
  Simulation other(std::move(sim));
  const std::string sentence = "moved from";
  const auto refuses = [&](auto f) { return error_of(f).find(sentence) != std::string::npos; };
  EXPECT_TRUE(refuses([&] { sim.step(kStep); }));
  EXPECT_TRUE(refuses([&] { sim.contacts(); }));
  EXPECT_TRUE(refuses([&] { sim.save(); }));
  EXPECT_TRUE(refuses([&] { sim.restore(saved); }));
  EXPECT_TRUE(refuses([&] { sim.hash(); }));
  EXPECT_TRUE(refuses([&] { sim.statistics(); }));
  EXPECT_TRUE(refuses([&] { sim.find_contacts(); }));
  EXPECT_TRUE(refuses([&] { sim.broadphase_tree(); }));
  EXPECT_TRUE(refuses([&] { sim.record_impulses(true); }));
  EXPECT_TRUE(refuses([&] { sim.impulses(); }));
  EXPECT_TRUE(refuses([&] { sim.set_method(default_method()); }));
  EXPECT_TRUE(refuses([&] { sim.set_threads(2); }));
  EXPECT_TRUE(refuses([&] { sim.reset(); }));
  EXPECT_TRUE(refuses([&] { sim.queries(); }));
  EXPECT_TRUE(refuses([&] { sim.sensor_overlaps(); }));
  EXPECT_TRUE(refuses([&] { sim.keep_previous_poses(true); }));
  EXPECT_TRUE(refuses([&] { sim.pose_at(id, 0); }));
  EXPECT_TRUE(refuses([&] { sim.sleep_state(id); }));
  EXPECT_TRUE(refuses([&] { sim.why_awake(id); }));
  EXPECT_TRUE(refuses([&] { sim.set_contact_modifier(nullptr); }));
  EXPECT_TRUE(refuses([&] { const Simulation copy(sim); }));
  EXPECT_NE(error_of([&] { sim.put_to_sleep(id); }), "");
  EXPECT_NE(error_of([&] { sim.contacts_of(id); }), "");
  EXPECT_NE(error_of([&] {
              sim.advance(1);
              sim.step(kStep);
            }),
            "");
  EXPECT_EQ(sim.energy().kinetic, 0);
  other.step(kStep);
  sim = std::move(other);
  sim.step(kStep);
  EXPECT_EQ(sim.steps(), 3U);
}

TEST(MovedFrom, WorldsAreEmpty) {
  World world = one_box();
  const BodyId id = world.find_body("box");
  const World other = std::move(world);
  EXPECT_EQ(world.body_count(), 0U);
  EXPECT_FALSE(world.contains(id));
  EXPECT_NE(error_of([&] { world.position(id); }), "");
  EXPECT_TRUE(world.bodies().empty());
  world.evaluate_forces(0);
  EXPECT_EQ(world.kinetic_energy(), 0);
  EXPECT_EQ(world.potential_energy(0), 0);
  world.hash();
  const Queries queries(world);
  EXPECT_FALSE(queries.ray_cast({0, 5, 0}, {0, -9, 0}));
  world.reset();
  EXPECT_EQ(world.body_count(), 2U);
  EXPECT_TRUE(other.contains(id));
  World third;
  third = World(other);
  EXPECT_TRUE(third.contains(id));
}

TEST(MovedFrom, QueriesRefuse) {
  Queries queries{one_box()};
  const Queries other = std::move(queries);
  EXPECT_NE(error_of([&] { queries.ray_cast({}, {1, 0, 0}); }).find("moved from"), std::string::npos);
  queries.update(one_box());
  EXPECT_TRUE(queries.ray_cast({0, 5, 0}, {0, -9, 0}));
}

TEST(Callbacks, MayReplaceThemselves) {
  Simulation sim(one_box());
  int first = 0, second = 0;
  const std::string words(100, 'x');
  sim.set_before_step([&, words](Simulation& s) {
    ++first;
    s.set_before_step([&second](Simulation&) { ++second; });
    EXPECT_EQ(words.size(), 100U);  // what it has captured is still there
  });
  sim.set_after_step([&, words](Simulation& s) {
    s.set_after_step(nullptr);
    EXPECT_EQ(words, std::string(100, 'x'));
    ++first;
  });
  for (int i = 0; i < 3; ++i) sim.step(kStep);
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 2);

  int heard = 0;
  sim.set_listener([&heard, words](Simulation& s, const Event&) {
    s.set_listener(nullptr);
    heard += static_cast<int>(words.size());
  });
  sim.world().set_pose(sim.world().find_body("box"), {0, 5, 0}, {});
  for (int i = 0; i < 120; ++i) sim.step(kStep);
  EXPECT_EQ(heard, 100) << "a listener that took itself away hears no more";

  int validated = 0;
  sim.add_validator([&, words](World&, double, std::vector<std::string>&) {
    sim.clear_validators();
    sim.add_validator([&](World&, double, std::vector<std::string>&) { ++validated; });
    validated += static_cast<int>(words.size());
  });
  sim.step(kStep);
  EXPECT_EQ(validated, 100);
  sim.step(kStep);
  EXPECT_EQ(validated, 101);

  sim.set_contact_modifier([&, words](const World&, ContactChange&) {
    sim.set_contact_modifier(nullptr);
    EXPECT_EQ(words.size(), 100U);
  });
  sim.world().wake(sim.world().find_body("box"));
  sim.step(kStep), sim.step(kStep);
}

TEST(Callbacks, KeepTheirOwnState) {
  Simulation sim(one_box());
  std::vector<int> seen;
  sim.set_before_step([n = 0, &seen](Simulation&) mutable { seen.push_back(++n); });
  for (int i = 0; i < 3; ++i) sim.step(kStep);
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
  Simulation copy(sim);
  copy.step(kStep), sim.step(kStep);
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4, 4})) << "a copy counts for itself";
}

TEST(Callbacks, CannotMakeSteps) {
  const std::string sentence = "callbacks cannot make another one";
  Simulation sim(one_box());
  int refused = 0;
  const auto try_step = [&](Simulation& s) {
    if (error_of([&] { s.step(kStep); }).find(sentence) != std::string::npos) ++refused;
  };
  sim.set_before_step([&](Simulation& s) { try_step(s); });
  sim.set_after_step([&](Simulation& s) { try_step(s); });
  sim.add_validator([&](World&, double, std::vector<std::string>&) { try_step(sim); });
  sim.set_contact_modifier([&, done = false](const World&, ContactChange&) mutable {
    if (!std::exchange(done, true)) try_step(sim);
  });
  sim.step(kStep);
  EXPECT_EQ(refused, 4);
  EXPECT_EQ(sim.steps(), 1U);
  sim.set_before_step([&](Simulation& s) { s.advance(1); });
  EXPECT_NE(error_of([&] { sim.step(kStep); }).find(sentence), std::string::npos);
  sim.set_before_step(nullptr);
  sim.step(kStep);
}

TEST(Callbacks, WithinAStepCannotReplaceItsParts) {
  Simulation sim(one_box());
  const Snapshot saved = sim.save();
  int refused = 0;
  const auto count = [&](auto f) { refused += error_of(f).find("a step is being made") != std::string::npos; };
  sim.set_contact_modifier([&, done = false](const World&, ContactChange&) mutable {
    if (std::exchange(done, true)) return;
    count([&] { sim.set_method(default_method()); });
    count([&] { sim.restore(saved); });
    count([&] { sim.reset(); });
    count([&] { sim.set_threads(2); });
    count([&] { sim.find_contacts(); });
    count([&] { sim.put_to_sleep(sim.world().find_body("box")); });
    count([&] { sim = Simulation(saved).world().body_count() > 0 ? sim : sim; });
  });
  sim.step(kStep);
  EXPECT_EQ(refused, 7);
  // Before and after a step they may.
  sim.set_contact_modifier(nullptr);
  sim.set_after_step([&](Simulation& s) { s.restore(saved); });
  sim.step(kStep);
  EXPECT_EQ(sim.time(), 0);
}

/// Tries every kind of change of the world; the number of those that are refused.
int refused_changes(World& world) {
  const BodyId box = world.find_body("box");
  BodyDef another;
  another.shape = sphere(1);
  int refused = 0;
  const auto count = [&](auto f) { refused += error_of(f).find("cannot change the world") != std::string::npos; };
  count([&] { world.add_body(another); });
  count([&] { world.remove_body(box); });
  count([&] { world.set_active(box, false); });
  count([&] { world.set_fixed(box, true); });
  count([&] { world.set_pose(box, {0, 3, 0}, {}); });
  count([&] { world.set_velocity(box, {1, 0, 0}, {}); });
  count([&] { world.set_user_force(box, {1, 0, 0}); });
  count([&] { world.set_shape(box, sphere(1)); });
  count([&] { world.add_force(Gravity{}, {}, "more gravity"); });
  count([&] { world.remove_force(world.gravity()); });
  count([&] { world.set_gravity({}); });
  count([&] { world.add_joint(ball_joint(world, world.world_body(), box, {0, 1, 0})); });
  count([&] { world.ignore_collisions(box, world.ground()); });
  count([&] { world.set_material_rules({}); });
  count([&] { world.reset(); });
  return refused;
}
constexpr int kChanges = 15;

TEST(Callbacks, ForcesFiltersAndModifiersCannotChangeTheirWorld) {
  for (const char* preset_name : {"soft-step", "garstenauer", "featherstone", "xpbd"}) {
    Simulation sim(one_box(), preset(preset_name));
    World& world = sim.world();
    int by_force = 0, by_filter = 0, by_modifier = 0;
    world.add_force(CustomForce([&](const ForceContext&) { by_force = refused_changes(world); }), {}, "meddler");
    world.set_collision_filter([&](const World&, BodyId, BodyId) { return by_filter = refused_changes(world), true; });
    sim.set_contact_modifier([&](const World&, ContactChange&) { by_modifier = refused_changes(world); });
    for (int k = 0; k < 3; ++k) sim.step(kStep);
    EXPECT_EQ(by_force, kChanges) << preset_name;
    EXPECT_EQ(by_filter, kChanges) << preset_name;
    EXPECT_EQ(by_modifier, kChanges) << preset_name;
    EXPECT_NEAR(world.position(world.find_body("box")).y, 0.5, 1e-2) << preset_name;
    world.set_velocity(world.find_body("box"), {1, 0, 0}, {});  // between steps it may change
  }
}

TEST(Callbacks, AForceMayStepAnotherWorld) {
  Simulation inner(one_box());
  Simulation outer(one_box());
  outer.world().add_force(CustomForce([&](const ForceContext&) {
    inner.world().set_velocity(inner.world().find_body("box"), {}, {});
    inner.step(kStep);
  }));
  outer.step(kStep);
  EXPECT_GT(inner.steps(), 0U);
}

TEST(Callbacks, ThatThrowLeaveTheSimulationUsable) {
  Simulation sim(one_box());
  sim.set_after_step([](Simulation&) { throw Error("of the application"); });
  EXPECT_NE(error_of([&] { sim.step(kStep); }), "");
  sim.set_after_step(nullptr);
  sim.step(kStep);
  EXPECT_EQ(sim.steps(), 2U);
}

}  // namespace
}  // namespace rigor::test
