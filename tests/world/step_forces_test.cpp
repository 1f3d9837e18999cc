// Forces for one step, damping and gravity factors, under every preset.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/scene.h"
#include "rigor/snapshot_file.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 1.0 / 60;

BodyDef ball(const std::string& name, const Vec3& at = {}) {
  BodyDef def;
  def.name = name;
  def.shape = sphere(0.5);
  def.mass = 2;
  def.position = at;
  return def;
}

void run(Simulation& sim, int steps) {
  for (int i = 0; i < steps; ++i) sim.step(kStep);
}

class EveryPresetPushes : public testing::TestWithParam<std::string> {
 protected:
  static Method method() { return preset(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(StepForces, EveryPresetPushes, testing::ValuesIn(names_of(Kind::preset)), method_test_name);

TEST_P(EveryPresetPushes, AForceActsForOneStep) {
  World world = empty_world();
  const BodyId id = world.add_body(ball("a"));
  Simulation sim(world, method());
  sim.world().apply_force(id, {6, 0, 0});
  sim.world().apply_force(id, {6, 0, 0});
  sim.step(kStep);
  EXPECT_NEAR(sim.world().velocity(id).x, 12 * kStep / 2, 1e-9);
  sim.step(kStep);
  EXPECT_NEAR(sim.world().velocity(id).x, 12 * kStep / 2, 1e-9);
  EXPECT_TRUE(sim.world().step_forces().empty());
}

TEST_P(EveryPresetPushes, AForceAtAPointTurns) {
  World world = empty_world();
  const BodyId id = world.add_body(ball("a"));
  Simulation sim(world, method());
  const double inertia = 0.4 * 2 * 0.25;
  sim.world().apply_force(id, {0, 1, 0}, {0.5, 0, 0});
  sim.world().apply_torque(id, {0.1, 0, 0});
  sim.step(kStep);
  EXPECT_NEAR(sim.world().angular_velocity(id).z, 0.5 * kStep / inertia, 1e-6);
  EXPECT_NEAR(sim.world().angular_velocity(id).x, 0.1 * kStep / inertia, 1e-6);
  EXPECT_NEAR(sim.world().velocity(id).y, kStep / 2, 1e-9);
}

TEST_P(EveryPresetPushes, DampingDecaysExponentially) {
  World world = empty_world();
  BodyDef def = ball("a");
  def.velocity = {3, 0, 0}, def.angular_velocity = {0, 2, 0};
  def.linear_damping = 0.5, def.angular_damping = 1;
  const BodyId id = world.add_body(def);
  const BodyId other = world.add_body([] {
    BodyDef free = ball("b", {0, 10, 0});
    free.velocity = {3, 0, 0}, free.angular_velocity = {0, 2, 0};
    return free;
  }());
  Simulation sim(world, method());
  run(sim, 60);
  // Explicit Euler, the least accurate one, misses exp(-c t) by c² t h / 2 of it.
  EXPECT_NEAR(sim.world().velocity(id).x, 3 * std::exp(-0.5), 3 * 0.5 * 0.25 * kStep);
  EXPECT_NEAR(sim.world().angular_velocity(id).y, 2 * std::exp(-1), 2 * 0.5 * kStep);
  EXPECT_NEAR(sim.world().velocity(other).x, 3, 1e-9);
  EXPECT_NEAR(sim.world().angular_velocity(other).y, 2, 1e-6);
}

TEST_P(EveryPresetPushes, DampingOfAnySizeIsStable) {
  for (const double rate : {30.0, 200.0, 1e6}) {
    World world = empty_world();
    BodyDef def = ball("a");
    def.velocity = {3, 0, 0}, def.angular_velocity = {0, 2, 0};
    def.linear_damping = def.angular_damping = rate;
    const BodyId id = world.add_body(def);
    Simulation sim(world, method());
    run(sim, 30);
    EXPECT_LT(std::abs(sim.world().velocity(id).x), 0.02) << rate;
    EXPECT_LT(std::abs(sim.world().angular_velocity(id).y), 0.02) << rate;
    EXPECT_LT(sim.world().position(id).x, 3 / std::min(rate, 1 / kStep) + 3 * kStep) << rate;
  }
}

TEST_P(EveryPresetPushes, GravityFactorsScaleTheFall) {
  World world;
  world.remove_body(world.ground());
  std::vector<BodyId> ids;
  const std::vector<double> factors{1, 0.5, 0, -1};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    BodyDef def = ball("", {3.0 * static_cast<double>(i), 0, 0});
    def.gravity_factor = factors[i];
    ids.push_back(world.add_body(def));
  }
  Simulation sim(world, method());
  const double energy = sim.energy().total();
  run(sim, 30);
  const double v = sim.world().velocity(ids[0]).y;
  EXPECT_NEAR(v, -9.81 * 0.5, 0.01);
  for (std::size_t i = 1; i < ids.size(); ++i) EXPECT_NEAR(sim.world().velocity(ids[i]).y, factors[i] * v, 1e-6);
  EXPECT_NEAR(sim.energy().total(), energy, 0.05 * sim.energy().kinetic + 1e-9);
}

TEST(Damping, ReachesTheTerminalVelocity) {
  World world;
  world.remove_body(world.ground());
  BodyDef def = ball("a");
  def.linear_damping = 2;
  const BodyId id = world.add_body(def);
  Simulation sim(world);
  run(sim, 600);
  EXPECT_NEAR(sim.world().velocity(id).y, -9.81 / 2, 1e-3);
}

TEST(Damping, UnusedChangesNoBit) {
  const auto end = [](bool touches) {
    World world;
    std::vector<BodyId> ids;
    for (int i = 0; i < 5; ++i) {
      BodyDef def = ball("", {0.1 * i, 1 + 1.1 * i, 0});
      ids.push_back(world.add_body(def));
    }
    if (touches) {
      world.set_damping(ids[0], 1, 1), world.set_damping(ids[0], 0, 0);
      world.set_gravity_factor(ids[1], 2), world.set_gravity_factor(ids[1], 1);
    }
    Simulation sim(world);
    run(sim, 60);
    return sim.hash();
  };
  EXPECT_EQ(end(false), end(true));
}

TEST(Damping, WakesAndRefusesNonsense) {
  World world;
  const BodyId id = world.add_body(ball("a", {0, 0.5, 0}));
  Simulation sim(world);
  sim.step(kStep);
  sim.put_to_sleep(id);
  sim.world().set_gravity_factor(id, -1);
  run(sim, 30);
  EXPECT_GT(sim.world().position(id).y, 1);
  World& w = sim.world();
  EXPECT_NE(error_of([&] { w.set_damping(id, -1, 0); }).find("linear_damping"), std::string::npos);
  EXPECT_NE(error_of([&] { w.set_damping(id, 0, NAN); }).find("angular_damping"), std::string::npos);
  EXPECT_NE(error_of([&] { w.set_gravity_factor(id, INFINITY); }).find("gravity_factor"), std::string::npos);
  EXPECT_NE(error_of([&] { w.apply_force(id, {NAN, 0, 0}); }).find("finite"), std::string::npos);
  BodyDef bad = ball("bad");
  bad.linear_damping = -1;
  EXPECT_NE(error_of([&] { w.add_body(bad); }).find("linear_damping"), std::string::npos);
}

TEST(StepForces, AreSavedWithASnapshot) {
  World world = empty_world();
  const BodyId id = world.add_body(ball("a"));
  Simulation sim(world);
  const std::uint64_t without = sim.hash();
  sim.world().apply_force(id, {1, 2, 3}, {0, 0.1, 0});
  EXPECT_NE(sim.hash(), without);
  const Snapshot saved = sim.save();
  Simulation other(read_snapshot(write_snapshot({saved, "", "", 1})).snapshot);
  run(sim, 3), run(other, 3);
  EXPECT_EQ(sim.hash(), other.hash());
  EXPECT_GT(sim.world().velocity(id).x, 0);
  sim.restore(saved);
  sim.world().remove_body(id);
  run(sim, 1);
}

TEST(StepForces, WakeASleepingBodyAndLeaveFixedOnesAlone) {
  World world;
  const BodyId id = world.add_body(ball("a", {0, 0.5, 0}));
  BodyDef def = ball("f", {5, 5, 0});
  def.fixed = true;
  const BodyId fixed = world.add_body(def);
  Simulation sim(world);
  run(sim, 5);
  sim.put_to_sleep(id);
  sim.world().apply_force(id, {0, 100, 0});
  sim.world().apply_force(fixed, {0, 100, 0});
  sim.step(kStep);
  EXPECT_FALSE(sim.world().is_asleep(id));
  EXPECT_GT(sim.world().velocity(id).y, 0);
  EXPECT_EQ(sim.world().position(fixed), (Vec3{5, 5, 0}));
}

TEST(AngularImpulse, ChangesTheAngularMomentumAtOnce) {
  World world = empty_world();
  const BodyId id = world.add_body(body_with_inertia("a", 2, {1, 2, 3}));
  world.apply_angular_impulse(id, {0.3, 0.2, 0.1});
  world.apply_impulse(id, {2, 0, 0});
  EXPECT_LT(distance(world.angular_momentum(id), {0.3, 0.2, 0.1}), 1e-15);
  EXPECT_LT(distance(world.velocity(id), {1, 0, 0}), 1e-15);
}

TEST(Damping, IsReadAndWrittenByScenesAndSnapshots) {
  const Scene scene =
      parse_scene(R"({"rigor": 1, "world": {"bodies": [{"name": "a", "shape": {"sphere": 0.5}, "position": [0, 3, 0],
      "linear_damping": 0.25, "angular_damping": 2, "gravity_factor": -0.5, "sensor": true}]}})");
  const auto check = [](const World& world) {
    const BodyDef& def = world.body_def(world.find_body("a"));
    EXPECT_EQ(def.linear_damping, 0.25);
    EXPECT_EQ(def.angular_damping, 2);
    EXPECT_EQ(def.gravity_factor, -0.5);
    EXPECT_TRUE(def.sensor);
  };
  check(scene.world);
  check(parse_scene(write_scene(scene)).world);
  Simulation sim = make_simulation(scene);
  run(sim, 3);
  Simulation other(read_snapshot(write_snapshot({sim.save(), "", "", 1})).snapshot);
  check(other.world());
  run(sim, 10), run(other, 10);
  EXPECT_EQ(sim.hash(), other.hash());
  EXPECT_NE(error_of([] {
              parse_scene(R"({"rigor": 1, "world": {"bodies": [{"shape": {"sphere": 1}, "linear_damping": -1}]}})");
            }).find("linear_damping"),
            std::string::npos);
}

}  // namespace
}  // namespace rigor::test
