// Scenes whose motion is known: belt, gyroscope, top.
#include <gtest/gtest.h>

#include "scenes/scene_helpers.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kGravity = 9.81;

TEST(ConveyorBelt, CarriesAtItsSpeedAndSetsDown) {
  Simulation sim = start("conveyor-belt");
  const double speed = 2, mu = 0.5, begin = position(sim, "box_0").x, h = open_scene("conveyor-belt").time.step;
  while (sim.time() < 2) sim.step(h);
  // It slips for v/(µg) and lags behind by v²/(2µg); a step's length of travel is the error of a first-order step.
  const double expected = begin + speed * sim.time() - speed * speed / (2 * mu * kGravity);
  EXPECT_NEAR(position(sim, "box_0").x, expected, speed * h);
  EXPECT_NEAR(sim.world().velocity(sim.world().find_body("box_0")).x, speed, 1e-3);
  // A sphere that begins to slip rolls without slipping in the end: v = 2/7 of the belt's speed.
  EXPECT_NEAR(sim.world().velocity(sim.world().find_body("ball")).x, 2.0 / 7 * speed, 0.02 * speed);
  // The foremost box leaves the belt after 7 m, at 3.7 s, and stops on the table 0.4 s later; at 4.4 s the next one comes.
  while (sim.time() < 4.3) sim.step(h);
  EXPECT_LT(length(sim.world().velocity(sim.world().find_body("box_3"))), 1e-2);
  EXPECT_GT(position(sim, "box_3").x, 6);
}

TEST(Gyroscope, PrecessesAtTheExactRate) {
  const Scene scene = open_scene("gyroscope");
  Simulation sim(scene.world, scene.method);
  const BodyId wheel = sim.world().find_body("wheel");
  const double l = 0.5, radius = 0.3, spin = 60, exact = kGravity * l / (0.5 * radius * radius * spin);
  double turned = 0, last = 0, lowest = 0;
  const auto steps = static_cast<int>(std::lround(scene.duration / scene.time.step));
  for (int i = 0; i < steps; ++i) {
    sim.step(scene.time.step);
    const Vec3 arm = sim.world().position(wheel) - Vec3{0, 1, 0};
    const double angle = std::atan2(-arm.z, arm.x);
    turned += std::remainder(angle - last, 2 * kPi);
    last = angle, lowest = std::max(lowest, std::abs(arm.y));
  }
  // Steps of first order: the error of the rate is that of the time step relative to the turn in it.
  EXPECT_NEAR(turned / sim.time(), exact, 0.005 * exact);
  EXPECT_LT(lowest, 0.02 * l);
}

TEST(SpinningTop, TheFastOneStaysUp) {
  Simulation sim = start("spinning-top");
  const auto height = [&](const char* name) {
    return rotate(sim.world().orientation(sim.world().find_body(name)), {0, -1, 0}).y;
  };
  const double h = open_scene("spinning-top").time.step;
  double lowest_fast = 1;
  while (sim.time() < 10) {
    sim.step(h);
    lowest_fast = std::min(lowest_fast, height("fast"));
  }
  EXPECT_GT(lowest_fast, std::cos(0.15));  // begins at 0.05 rad; nutation of a top above its critical speed is bounded
  EXPECT_LT(height("slow"), 0.7);          // lies on its side
}

}  // namespace
}  // namespace rigor::test
