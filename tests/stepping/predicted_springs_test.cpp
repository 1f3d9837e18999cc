// Springs of joints under the steps of Bender and Schmitt: of second order, without damping of their own, at rest at rest.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/rigor.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kG = 9.81, kMass = 2;

/// A weight on a vertical slider with a spring along it, at its rest without gravity.
struct Weight {
  World world;
  BodyId id;

  Weight(double stiffness, double damping, double gravity) {
    world.set_gravity({0, -gravity, 0});
    BodyDef def;
    def.shape = box({1, 1, 1}), def.mass = kMass, def.position = {0, 5, 0}, def.can_collide = false;
    id = world.add_body(def);
    world.add_joint(slider_joint(world, world.world_body(), id, {0, 5, 0}, {0, 1, 0},
                                 {{"spring_stiffness", stiffness}, {"spring_damping", damping}}));
  }
};

const char* const kPresets[] = {"bender", "bender-schmitt"};

TEST(PredictedSprings, UndampedOnesKeepTheirEnergy) {
  for (const char* name : kPresets)
    for (const double stiffness : {5.0, 200.0, 2000.0, 15000.0})  // ω h of 0.016, 0.1, 0.32, 0.87
      for (const double gravity : {0.0, kG}) {
        Weight weight(stiffness, 0, gravity);
        weight.world.set_velocity(weight.id, {0, 1, 0}, {});
        Simulation sim(weight.world, preset(name));
        const double start = sim.energy().total() - kMass * gravity * 5,
                     swing = 1 + kMass * gravity * gravity / stiffness;
        for (int i = 0; i < 1000; ++i) sim.step(0.01);
        EXPECT_NEAR(sim.energy().total() - kMass * gravity * 5, start, 0.01 * swing)
            << name << ' ' << stiffness << ' ' << gravity;
        EXPECT_TRUE(sim.take_reports().empty());
      }
}

TEST(PredictedSprings, AreOfSecondOrder) {
  constexpr double kStiffness = 50, kDamping = 1;
  const double decay = kDamping / (2 * kMass), omega = std::sqrt(kStiffness / kMass - decay * decay);
  for (const char* name : kPresets) {
    double error[2];
    for (const int k : {0, 1}) {
      Weight weight(kStiffness, kDamping, 0);
      weight.world.set_velocity(weight.id, {0, 1, 0}, {});
      Simulation sim(weight.world, preset(name));
      const double h = k == 0 ? 0.02 : 0.01;
      for (int i = 0; i < (k == 0 ? 100 : 200); ++i) sim.step(h);
      const double exact = std::exp(-decay * 2) * std::sin(omega * 2) / omega;
      error[k] = std::abs(sim.world().position(weight.id).y - 5 - exact);
    }
    EXPECT_GT(error[0] / error[1], 3.5) << name << ' ' << error[0] << ' ' << error[1];
    EXPECT_LT(error[0] / error[1], 4.5) << name;
  }
}

TEST(PredictedSprings, ABodyAtRestOnOneHasNoVelocity) {
  for (const char* name : kPresets)
    for (const double h : {0.02, 0.01, 0.004}) {
      Weight weight(1000, 0, kG);
      weight.world.set_pose(weight.id, {0, 5 - kMass * kG / 1000, 0}, {});
      Simulation sim(weight.world, preset(name));
      for (int i = 0; i < 200; ++i) {
        sim.step(h);
        ASSERT_LT(length(sim.world().velocity(weight.id)), 1e-4) << name << ' ' << h;  // it was g h / 2
      }
    }
}

/// Springs that a step does not resolve do not ring: they take their place within a few steps.
TEST(PredictedSprings, UnresolvedOnesAreStable) {
  for (const char* name : kPresets) {
    Weight weight(1e7, 0, kG);
    weight.world.set_velocity(weight.id, {0, 1, 0}, {});
    Simulation sim(weight.world, preset(name));
    for (int i = 0; i < 100; ++i) sim.step(0.01);
    EXPECT_NEAR(sim.world().position(weight.id).y, 5, 1e-4) << name;
  }
}

}  // namespace
}  // namespace rigor::test
