// What a method does not honour it says when it is configured; and what an application can read of contacts and sleep.
#include <gtest/gtest.h>

#include "rigor/rigor.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

World world_of(const Material& material, BodyId* id = nullptr, double height = 0.2) {
  World world;
  world.set_material(world.ground(), material);
  BodyDef def;
  def.name = "crate", def.shape = box({1, 0.4, 1}), def.position = {0, height, 0}, def.material = material;
  const BodyId made = world.add_body(def);
  if (id) *id = made;
  return world;
}

Material slippery() {
  Material m;
  m.friction = 0.3, m.static_friction = 0.6;
  return m;
}

bool mentions(const std::vector<std::string>& reports, const std::string& word) {
  return std::any_of(reports.begin(), reports.end(),
                     [&](const std::string& r) { return r.find(word) != std::string::npos; });
}

TEST(Features, StaticFrictionThatIsNotHonouredIsReportedOnceWhenConfigured) {
  Simulation sim(world_of(slippery()), preset("moore-wilhelms"));
  const std::vector<std::string> reports = sim.take_reports();
  EXPECT_TRUE(mentions(reports, "does not honour static-friction"));
  EXPECT_TRUE(mentions(reports, "'penalty'"));
  for (int i = 0; i < 10; ++i) sim.step(0.01);
  EXPECT_FALSE(mentions(sim.take_reports(), "static-friction"));
  sim.set_method(preset("garstenauer"));
  EXPECT_TRUE(sim.take_reports().empty());
  sim.set_method(preset("baltman-radeztsky"));
  EXPECT_TRUE(mentions(sim.take_reports(), "static-friction"));
}

TEST(Features, NothingIsReportedOfWhatTheWorldDoesNotHave) {
  Simulation sim(world_of({}), preset("moore-wilhelms"));
  EXPECT_TRUE(sim.take_reports().empty());
}

TEST(Features, LimitsUnderLagrangeAreReported) {
  const Scene scene = open_scene("ragdoll");
  Method method = preset("garstenauer");
  method.joint_solver = {"lagrange", {}}, method.correction = {"none", {}};
  EXPECT_FALSE(honours(method, "limits"));
  EXPECT_TRUE(mentions(features_not_honoured(scene.world, method), "limits"));
}

TEST(Features, MassesAndSizesBeyondSinglePrecisionAreReported) {
  const auto reports = [](double side, double mass) {
    World world;
    BodyDef def;
    def.name = "crate", def.shape = box(side, side, side), def.mass = mass, def.position = {0, side, 0};
    world.add_body(def);
    return Simulation(std::move(world), preset("soft-step")).take_reports();
  };
  EXPECT_TRUE(reports(1, 1).empty());
  EXPECT_TRUE(reports(1e-3, 1e-9).empty());
  EXPECT_TRUE(mentions(reports(1, 1e40), "1e24 kg"));
  EXPECT_TRUE(mentions(reports(3e-9, 1e-15), "'crate'"));
  EXPECT_TRUE(mentions(reports(1e10, 1e20), "extreme-bodies"));
  World world = world_of({});
  BodyDef heavy;
  heavy.name = "anvil", heavy.shape = sphere(1), heavy.mass = 1e9, heavy.position = {0, 5, 0};
  world.add_body(heavy);
  EXPECT_TRUE(mentions(Simulation(std::move(world), preset("soft-step")).take_reports(), "'anvil'"));
}

/// Without anything fixed, a body is squeezed between two others at most.
TEST(Features, HeavyBodiesThatLieOnNothingAreNotReported) {
  const auto reports = [](const std::vector<double>& masses) {
    World world;
    world.remove_body(world.ground());
    for (std::size_t i = 0; i < masses.size(); ++i) {
      BodyDef def;
      def.name = "planet" + std::to_string(i), def.shape = sphere(1), def.mass = masses[i];
      def.position = {5.0 * static_cast<double>(i), 0, 0};
      world.add_body(def);
    }
    return features_not_honoured(world, preset("soft-step"));
  };
  EXPECT_TRUE(reports({1e6, 1, 2, 3}).empty());
  EXPECT_TRUE(mentions(reports({1e6, 1, 2e5, 3}), "'planet2'"));
  EXPECT_TRUE(features_not_honoured(open_scene("planets").world, preset("soft-step")).empty());
}

/// An anvil that a joint holds in the world supports what a ram presses on it, as a fixed one does.
TEST(Features, HeavyBodiesAboveOneThatAJointHoldsAreReported) {
  const auto reports = [](bool is_held, double anvil, double ram) {
    World world;
    world.remove_body(world.ground());
    const auto add = [&](const char* name, double mass, double height) {
      BodyDef def;
      def.name = name, def.shape = box({1, 1, 1}), def.mass = mass, def.position = {0, height, 0};
      return world.add_body(def);
    };
    const BodyId support = add("anvil", anvil, 0);
    add("nut", 1, 1), add("ram", ram, 2);
    if (is_held) world.add_joint(fixed_joint(world, world.world_body(), support));
    return features_not_honoured(world, preset("soft-step"));
  };
  EXPECT_TRUE(mentions(reports(true, 10, 1e6), "'ram'"));
  EXPECT_TRUE(reports(false, 10, 1e6).empty());
  EXPECT_TRUE(mentions(reports(false, 2e6, 1e6), "'ram'"));
  EXPECT_TRUE(mentions(reports(true, 2e6, 1e6), "'ram'"));
  EXPECT_TRUE(reports(true, 1e6, 1).empty());  // its own joint carries the anvil
}

TEST(Features, UnknownOnesAreRefused) { EXPECT_THROW(honours(preset("tgs"), "magic"), Error); }

TEST(MaterialRules, APairWithTheLargerNameFirstCounts) {
  Material ice, wood;
  ice.name = "ice", wood.name = "wood";
  World world;
  world.set_material(world.ground(), ice);
  MaterialRules rules;
  rules.pairs[{"wood", "ice"}] = {0.01, -1, -1};
  world.set_material_rules(rules);
  BodyDef def;
  def.shape = sphere(0.5), def.position = {0, 0.5, 0}, def.material = wood;
  world.add_body(def);
  Simulation sim(world, preset("garstenauer"));
  sim.step(0.01);
  ASSERT_EQ(sim.contacts().size(), 1u);
  EXPECT_EQ(sim.contacts()[0].friction, 0.01);
}

TEST(World, TheWorldBodyCannotBeMadeToCollide) {
  World world;
  EXPECT_THROW(world.set_can_collide(world.world_body(), true), Error);
  EXPECT_THROW(world.set_groups(world.world_body(), 1, 1), Error);
}

TEST(Simulation, ResetBeginsAtTimeZero) {
  Simulation sim(world_of({}), preset("garstenauer"));
  for (int i = 0; i < 5; ++i) sim.step(0.01);
  sim.reset();
  EXPECT_EQ(sim.time(), 0);
  EXPECT_EQ(sim.steps(), 0u);
  EXPECT_EQ(sim.world().body_count(), World().body_count());
  sim.step(0.01);
  EXPECT_EQ(sim.time(), 0.01);
}

TEST(Scene, AMaterialCalledDefaultIsThatOfBodiesThatNameNone) {
  const Scene scene = parse_scene(R"({"rigor": 1, "world": {
      "materials": {"default": {"friction": 0.11, "density": 500}, "ice": {"friction": 0.02}},
      "bodies": [{"name": "plain", "shape": {"sphere": 1}},
                 {"name": "cold", "shape": {"sphere": 1}, "material": "ice"}]}})");
  const World& w = scene.world;
  EXPECT_EQ(w.body_def(w.find_body("plain")).material.friction, 0.11);
  EXPECT_EQ(w.body_def(w.find_body("plain")).material.density, 500);
  EXPECT_EQ(w.body_def(w.find_body("cold")).material.friction, 0.02);
  EXPECT_EQ(w.body_def(w.ground()).material.friction, 0.11);
}

TEST(Contacts, WhichFeaturesMeet) {
  const auto kinds = [](const ShapePtr& shape, double height, const Quat& q) {
    World world;
    BodyDef def;
    def.shape = shape, def.position = {0, height, 0}, def.orientation = q;
    world.add_body(def);
    Simulation sim(world, preset("garstenauer"));
    sim.step(1e-4);
    EXPECT_FALSE(sim.contacts().empty());
    return meeting_features(sim.world(), sim.contacts()[0], 0);
  };
  EXPECT_EQ(kinds(sphere(0.5), 0.5, {}).a, SurfaceKind::face);
  EXPECT_EQ(kinds(sphere(0.5), 0.5, {}).b, SurfaceKind::round);
  EXPECT_EQ(kinds(box({1, 1, 1}), 0.5, {}).b, SurfaceKind::vertex);
}

Method sleepy(const char* name) {
  Method m = preset(name);
  m.sleep.name = "velocity";
  return m;
}

void sleep_until(Simulation& sim, BodyId id) {
  for (int i = 0; i < 300 && !sim.sleep_state(id).asleep; ++i) sim.step(0.01);
  ASSERT_TRUE(sim.sleep_state(id).asleep);
}

constexpr const char* kSleepers[] = {"soft-step", "garstenauer", "guendelman", "tgs", "xpbd", "avbd", "servin"};

TEST(Sleep, TimesAreReadable) {
  BodyId id;
  Simulation sim(world_of({}, &id), sleepy("garstenauer"));
  for (int i = 0; i < 20; ++i) sim.step(0.01);
  EXPECT_FALSE(sim.sleep_state(id).asleep);
  EXPECT_NEAR(sim.sleep_state(id).idle_time, 0.2, 0.02);
  sleep_until(sim, id);
  const double idle = sim.sleep_state(id).idle_time;
  for (int i = 0; i < 100; ++i) sim.step(0.01);
  EXPECT_NEAR(sim.sleep_state(id).sleep_time, 1, 0.02);
  EXPECT_NEAR(sim.sleep_state(id).idle_time, idle + 1, 0.02);
}

TEST(Sleep, ABeltSwitchedOnWakesItsLoad) {
  for (const char* name : kSleepers) {
    BodyId id;
    Simulation sim(world_of({}, &id), sleepy(name));
    sleep_until(sim, id);
    Material belt;
    belt.surface_velocity = {1, 0, 0};
    sim.world().set_material(sim.world().ground(), belt);
    for (int i = 0; i < 100; ++i) sim.step(0.01);
    EXPECT_NEAR(sim.world().velocity(id).x, 1, 0.02) << name;
  }
}

TEST(Sleep, ASlopeTurnedToIceWakesWhatRestsOnIt) {
  for (const char* name : kSleepers) {
    BodyId id;
    World world = world_of({}, &id);
    world.set_gravity({2, -9.6, 0});
    Simulation sim(world, sleepy(name));
    sleep_until(sim, id);
    Material ice;
    ice.name = "ice", ice.friction = 0;
    MaterialRules rules;
    rules.friction = Combine::minimum;
    sim.world().set_material_rules(rules);
    sim.world().set_material(sim.world().ground(), ice);
    for (int i = 0; i < 50; ++i) sim.step(0.01);
    EXPECT_GT(sim.world().velocity(id).x, 0.9) << name;
  }
}

TEST(Sleep, AFloorThatNoLongerCollidesLetsItsSleepersFall) {
  for (const char* name : kSleepers) {
    BodyId id;
    Simulation sim(world_of({}, &id), sleepy(name));
    sleep_until(sim, id);
    sim.world().set_can_collide(sim.world().ground(), false);
    for (int i = 0; i < 50; ++i) sim.step(0.01);
    EXPECT_LT(sim.world().position(id).y, -0.5) << name;
  }
}

TEST(Sleep, ASlowBeltDoesNotLoseItsLoadToSleep) {
  for (const char* name : kSleepers) {
    BodyId id;
    World world = world_of({}, &id);
    Material belt;
    belt.surface_velocity = {0.02, 0, 0};
    world.set_material(world.ground(), belt);
    Simulation sim(world, sleepy(name));
    for (int i = 0; i < 1000; ++i) sim.step(0.01);
    EXPECT_NEAR(sim.world().position(id).x, 0.2, 0.005) << name;
  }
}

}  // namespace
}  // namespace rigor::test
