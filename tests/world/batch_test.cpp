#include "rigor/batch.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cmath>
#include <limits>

#include "rigor/joint_types.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

BodyDef solid(ShapePtr shape, double mass, const Vec3& position = {}) {
  BodyDef def;
  def.shape = std::move(shape), def.mass = mass, def.position = position;
  return def;
}

TimeSettings at_step(double step) {
  TimeSettings settings;
  settings.step = step;
  return settings;
}

/// A cart on a slider with a pole on a hinge.
struct CartPole {
  World world;
  BodyId cart, pole;
  JointId slide, swing;

  CartPole() {
    world.remove_body(world.ground());
    cart = world.add_body(solid(box(0.4, 0.2, 0.2), 1));
    pole = world.add_body(solid(box(0.05, 1, 0.05), 0.1, {0, 0.5, 0}));
    slide = world.add_joint(slider_joint(world, world.world_body(), cart, {}, {1, 0, 0}));
    swing = world.add_joint(hinge_joint(world, cart, pole, {}, {0, 0, 1}));
  }
};

TEST(Batch, WorldsDependNeitherOnTheirNumberNorOnThreads) {
  const CartPole model;
  std::vector<std::uint64_t> expected;
  for (const auto& [count, threads] : {std::pair{std::size_t{33}, 1}, {std::size_t{33}, 2}, {std::size_t{7}, 4}}) {
    Batch batch(Simulation(model.world), count, threads);
    batch.drive({{model.slide, 0}});
    std::vector<double> forces(count);
    for (std::size_t k = 0; k < count; ++k) forces[k] = 0.3 * static_cast<double>(k) - 2;
    for (int i = 0; i < 10; ++i) batch.set_forces(forces), batch.step(3);
    if (expected.empty())
      for (std::size_t k = 0; k < count; ++k) expected.push_back(batch.at(k).hash());
    for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(batch.at(k).hash(), expected[k]) << k;
  }
}

TEST(Batch, AWorldIsWhatASimulationAloneIs) {
  const CartPole model;
  Batch batch(Simulation(model.world), 4);
  batch.drive({{model.slide, 0}});
  batch.set_forces(std::array{1.0, 2.0, 3.0, 4.0});
  batch.step(50);
  Simulation alone(model.world);
  alone.world().add_joint_force(model.slide, 0, 3.0);
  for (int i = 0; i < 50; ++i) alone.step();
  EXPECT_EQ(batch.at(2).hash(), alone.hash());
}

TEST(Batch, ReadsCoordinatesAndMotion) {
  const CartPole model;
  Batch batch(Simulation(model.world), 2);
  batch.observe({{model.slide, 0}, {model.swing, 3}});
  batch.at(1).world().set_velocity(model.cart, {2, 0, 0}, {});
  std::vector<double> positions(4), velocities(4), motion(2 * Batch::kMotionColumns);
  batch.read(positions, velocities);
  EXPECT_DOUBLE_EQ(velocities[0], 0);
  EXPECT_DOUBLE_EQ(velocities[2], 2);
  batch.read_motion(model.pole, motion);
  EXPECT_DOUBLE_EQ(motion[1], 0.5);
  EXPECT_DOUBLE_EQ(motion[3], 1);
}

TEST(Batch, ResetsSomeWorlds) {
  const CartPole model;
  Batch batch(Simulation(model.world), 3);
  batch.drive({{model.slide, 0}});
  const std::uint64_t start = batch.at(0).hash();
  batch.set_forces(std::array{1.0, 1.0, 1.0});
  batch.step(10);
  batch.reset(std::array<std::size_t, 1>{1});
  EXPECT_NE(batch.at(0).hash(), start);
  EXPECT_EQ(batch.at(1).hash(), start);
  EXPECT_EQ(batch.at(1).time(), 0);
  batch.reset();
  EXPECT_EQ(batch.at(2).hash(), start);
}

TEST(Batch, MistakesAreErrors) {
  const CartPole model;
  EXPECT_THROW(Batch(Simulation(model.world), 0), Error);
  Batch batch(Simulation(model.world), 2);
  EXPECT_THROW(batch.at(2), Error);
  EXPECT_THROW(batch.drive({{model.slide, 6}}), Error);
  EXPECT_THROW(batch.drive({{JointId{}, 0}}), Error);
  batch.drive({{model.slide, 0}});
  EXPECT_THROW(batch.set_forces(std::array{1.0}), Error);
  EXPECT_THROW(batch.set_forces(std::array{1.0, std::numeric_limits<double>::infinity()}), Error);
  EXPECT_THROW(batch.reset(std::array<std::size_t, 1>{5}), Error);
  EXPECT_THROW(batch.step(-1), Error);
}

TEST(Batch, NamesTheWorldWhoseStepFails) {
  const CartPole model;
  Batch batch(Simulation(model.world), 5);
  batch.at(3).set_before_step([](Simulation&) { throw Error("no more"); });
  try {
    batch.step(2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "world 3: no more");
  }
  EXPECT_EQ(batch.at(4).steps(), 2u);
}

/// A force along any free coordinate does the work force · displacement, whatever the joint is.
TEST(JointForce, AcceleratesAsTheMassMatrixSays) {
  World world;
  world.remove_body(world.ground());
  world.set_gravity({});
  const BodyId a = world.add_body(solid(box(0.3, 0.2, 0.4), 2));
  const BodyId b = world.add_body(solid(box(0.5, 0.1, 0.2), 3, {0.3, 0.4, -0.2}));
  const JointId hinge = world.add_joint(hinge_joint(world, a, b, {0.1, 0.2, -0.1}, {1, 2, 3}));
  Simulation simulation(world, preset("featherstone"), at_step(1e-4));
  simulation.world().add_joint_force(hinge, 3, 0.7);
  double work = 0;
  for (int i = 0; i < 1000; ++i) {
    const double before = simulation.world().joint_position(hinge, 3);
    simulation.world().set_user_force(a, {}, {});
    simulation.world().set_user_force(b, {}, {});
    simulation.world().add_joint_force(hinge, 3, 0.7);
    simulation.step();
    work += 0.7 * (simulation.world().joint_position(hinge, 3) - before);
  }
  EXPECT_GT(work, 0.01);
  EXPECT_NEAR(simulation.energy().kinetic, work, 2e-3 * work);
  EXPECT_LT(length(simulation.world().momentum()), 1e-12);
  EXPECT_LT(length(simulation.world().angular_momentum()), 1e-6);
  EXPECT_THROW(simulation.world().add_joint_force(hinge, 3, std::nan("")), Error);
}

TEST(Batch, OneThatWasMovedFromIsRefused) {
  const CartPole model;
  Batch batch(Simulation(model.world), 3);
  batch.drive({{model.slide, 0}});
  Batch other = std::move(batch);
  EXPECT_EQ(other.size(), 3u);
  const auto expect_refused = [](const auto& use) {
    try {
      use();
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("moved from"), std::string::npos) << error.what();
    }
  };
  expect_refused([&] { batch.step(); });
  expect_refused([&] { batch.reset(); });
  expect_refused([&] { batch.reset(std::vector<std::size_t>{}); });
  expect_refused([&] { batch.at(0); });
  expect_refused([&] { batch.drive({}); });
  expect_refused([&] { batch.observe({}); });
  expect_refused([&] { batch.set_forces({}); });
  expect_refused([&] { batch.read({}, {}); });
  expect_refused([&] { batch.read_motion(model.cart, {}); });
  batch = std::move(other);
  batch.step();
  EXPECT_EQ(batch.at(2).steps(), 1u);
}

/// A leak of one byte a step would be 20 000 bytes. Lists may still grow to their final size.
TEST(Batch, StepsKeepTheirMemory) {
  const CartPole model;
  World boxes;
  for (int i = 0; i < 2; ++i) boxes.add_body(solid(box(1, 1, 1), 1, {0.01 * i, 0.5 + i, 0}));
  const auto allocated = [] { return static_cast<std::ptrdiff_t>(mallinfo2().uordblks); };
  for (const char* name : {"featherstone", "soft-step"})
    for (const World* world : {&model.world, static_cast<const World*>(&boxes)}) {
      Method method = preset(name);
      method.sleep = {"never", {}};
      Batch batch(Simulation(*world, method), 2, 1);
      batch.step(500);
      const std::ptrdiff_t before = allocated();
      batch.step(10'000);
      EXPECT_LT(allocated() - before, 4096) << name;
    }
}

}  // namespace
}  // namespace rigor
