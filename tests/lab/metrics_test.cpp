#include "lab/metrics.h"

#include <cmath>
#include <limits>

#include "support.h"

namespace rigor {
namespace {

Sample sample(double kinetic, double potential) {
  Sample s;
  s.kinetic = kinetic;
  s.potential = potential;
  return s;
}

TEST(Metrics, ReferenceIsTheEnergyAtTheStart) {
  EXPECT_EQ(reference_energy({sample(3, 5), sample(4, 4)}), 8);
  EXPECT_EQ(reference_energy({}), 0);
}

TEST(Metrics, ReferenceIsTheExchangeWhereTheEnergyIsZero) {
  // A pendulum let go at the height where P = 0.
  EXPECT_EQ(reference_energy({sample(0, 0), sample(10, -10), sample(4, -4)}), 10);
  EXPECT_EQ(reference_energy({sample(7, -7), sample(1, -1)}), 7);
}

TEST(Metrics, GrowthDoesNotHideItself) {
  // K and P both grow a hundredfold: the exchange is as large as the error and must not become the reference.
  EXPECT_EQ(reference_energy({sample(1, 0), sample(90, 110)}), 1);
}

TEST(Metrics, FreeFallHasNoDriftButExchangesEnergy) {
  World world;
  BodyDef def = test::body_with_inertia("ball", 2, {1, 1, 1});
  def.position = {0, 100, 0};
  world.add_body(def);
  Simulation simulation(std::move(world), preset("free-flight"));
  RunMetrics metrics(60);
  metrics.start(simulation);
  for (int i = 0; i < 60; ++i) {
    simulation.step();
    metrics.step_done(simulation, i == 30 ? 5 : 1);
  }
  EXPECT_EQ(metrics.samples().size(), 61u);
  EXPECT_GT(metrics.samples().back().kinetic, 50);
  EXPECT_LT(metrics.largest_energy_drift(), 1e-12);
  EXPECT_LE(std::abs(metrics.final_energy_drift()), metrics.largest_energy_drift());
  EXPECT_EQ(metrics.step_times().median, 1);
  EXPECT_EQ(metrics.step_times().max, 5);
}

TEST(Metrics, WorldAtRestHasNoDrift) {
  Simulation simulation(test::empty_world());
  RunMetrics metrics(3);
  metrics.start(simulation);
  for (int i = 0; i < 3; ++i) simulation.step(), metrics.step_done(simulation, 0.1);
  EXPECT_EQ(metrics.final_energy_drift(), 0);
  EXPECT_EQ(metrics.largest_momentum_drift(), 0);
  EXPECT_EQ(metrics.largest_angular_momentum_drift(), 0);
}

TEST(Metrics, AngularMomentumIsKeptInFreeRotation) {
  World world = test::empty_world();
  BodyDef def = test::body_with_inertia("top", 1, {1, 2, 3});
  def.angular_velocity = {0.01, 2, 0.01};
  world.add_body(def);
  Simulation simulation(std::move(world));
  RunMetrics metrics(600);
  metrics.start(simulation);
  for (int i = 0; i < 600; ++i) simulation.step(), metrics.step_done(simulation, 0.1);
  EXPECT_LT(metrics.largest_angular_momentum_drift(), 1e-9);
  EXPECT_GT(length(metrics.samples().back().angular_momentum), 3.9);
}

TEST(Metrics, LongRunsAreThinnedButEndWithTheLastStep) {
  Simulation simulation(test::empty_world());
  RunMetrics metrics(500'001);
  metrics.start(simulation);
  for (int i = 0; i < 500'001; ++i) metrics.step_done(simulation, 1);
  EXPECT_LE(metrics.samples().size(), 200'002u);
  EXPECT_GT(metrics.samples().size(), 100'000u);
}

TEST(Metrics, NonFiniteStateIsNoticed) {
  World world = test::empty_world();
  world.add_body(test::body_with_inertia("ball", 1, {1, 1, 1}));
  Simulation simulation(std::move(world));
  EXPECT_TRUE(is_finite(simulation));
  simulation.world().state().velocity[0].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_finite(simulation));
  simulation.world().state().velocity[0].y = 1e200;  // its square is infinite
  EXPECT_FALSE(is_finite(simulation));
}

}  // namespace
}  // namespace rigor
