// Free motion in lanes: the bits of the plain twin, the invariants of a free body, and the scheme of one body.
#include "integrators/free_drift_lanes.h"

#include <gtest/gtest.h>

#include <random>

#include "integrators/energy_momentum.h"
#include "rigor/world.h"

namespace rigor {
namespace {

/// Boxes with three equal moments, two equal ones about each axis and three different ones; slow, fast and at rest. 61: no
/// multiple of any lane width.
World spinning_bodies() {
  World world;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> symmetric(-1, 1);
  const auto vector = [&] { return Vec3{symmetric(random), symmetric(random), symmetric(random)}; };
  const Vec3 sizes[] = {{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {1, 1, 0.5}, {1, 2, 3}};
  for (int i = 0; i < 61; ++i) {
    BodyDef body;
    body.shape = box(sizes[i % 5]);
    body.position = 10.0 * vector(), body.velocity = vector();
    body.orientation = normalized(Quat{1, symmetric(random), symmetric(random), symmetric(random)});
    body.angular_velocity = (i % 7 == 0 ? 0.0 : i % 7 == 1 ? 60.0 : 5.0) * vector();
    world.add_body(body);
  }
  return world;
}

constexpr double kStep = 0.02;

TEST(FreeDriftLanes, SameBitsAsOneByOne) {
  World lanes = spinning_bodies(), one = lanes;
  for (int k = 0; k < 100; ++k) drift_lanes(lanes.state(), kStep), drift_lanes_scalar(one.state(), kStep);
  EXPECT_EQ(lanes.hash(), one.hash());
}

TEST(FreeDriftLanes, SomeBodiesGetTheBitsOfAll) {
  World all = spinning_bodies(), some = all;
  std::vector<std::uint32_t> chosen, others;
  for (std::uint32_t i = 0; i < all.state().awake(); ++i) (i % 3 ? chosen : others).push_back(i);
  for (int k = 0; k < 100; ++k) {
    drift_lanes(all.state(), kStep);
    drift_lanes(some.state(), others, kStep), drift_lanes(some.state(), chosen, kStep);
  }
  EXPECT_EQ(all.hash(), some.hash());
}

TEST(FreeDriftLanes, KeepsEnergyAndMomentum) {
  World world = spinning_bodies();
  const World start = world;
  constexpr int kSteps = 1000;
  for (int k = 0; k < kSteps; ++k) drift_lanes(world.state(), kStep);
  const BodyState &s = world.state(), &s0 = start.state();
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const Vec3 L = angular_momentum(s, i), L0 = angular_momentum(s0, i);
    // Every step rounds a few times, to either side.
    EXPECT_LE(length(L - L0), 1e-13 * length(L0)) << i;
    EXPECT_NEAR(dot(L, s.angular_velocity[i]), dot(L0, s0.angular_velocity[i]), 1e-13 * dot(L0, s0.angular_velocity[i]))
        << i;
  }
}

TEST(FreeDriftLanes, TurnsAsTheSchemeOfOneBody) {
  World world = spinning_bodies();
  const World start = world;
  drift_lanes(world.state(), kStep);
  const BodyState &s = world.state(), &s0 = start.state();
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    Spin spin{s0.orientation[i], angular_momentum(s0, i)};
    drift_energy_momentum(spin, s0.inertia[i], s0.inverse_inertia[i], kStep);
    // Rounding of a turn.
    EXPECT_LE(length(rotation_vector(s.orientation[i] * conjugate(spin.q))), 1e-14) << i;
    EXPECT_EQ(s.position[i], s0.position[i] + kStep * s0.velocity[i]) << i;
    if (s0.angular_velocity[i] == Vec3{}) {
      EXPECT_EQ(s.orientation[i], s0.orientation[i]) << i;
    }
  }
}

}  // namespace
}  // namespace rigor
