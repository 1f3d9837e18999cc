// Heavy boxes that fall on light ones. A light body between a heavy one and the ground is pressed by impulses thousands of times as large as its
// momentum, so any error of their balance throws it away.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support.h"

namespace rigor::test {
namespace {

double between(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

Quat random_turn(std::mt19937_64& random) {
  for (;;) {
    const Quat q{between(random, -1, 1), between(random, -1, 1), between(random, -1, 1), between(random, -1, 1)};
    const double size = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (size < 1 && size > 0.1) return {q.w / size, q.x / size, q.y / size, q.z / size};
  }
}

Vec3 random_box(std::mt19937_64& random, double low, double high) {
  const auto side = [&] { return std::pow(10, between(random, low, high)); };
  const double x = side(), y = side(), z = side();
  return {x, y, z};
}

struct Drop {
  double fastest = 0;  // m/s, of the light box
  double jump = 0;     // m/s: largest displacement of a step over h, less the speed after it
};

/// A box of 0.1 to 10 kg lies on the ground; one that is 10 to 10 000 times as heavy falls on it from 0.1 to 0.9 m, at 4.2 m/s at most.
Drop drop(std::uint64_t seed, double h) {
  std::mt19937_64 random(seed);
  const Vec3 light_size = random_box(random, -1, -0.3), heavy_size = random_box(random, -0.5, 0.2);
  BodyDef light, heavy;
  light.material.friction = heavy.material.friction = between(random, 0.1, 1);
  light.material.restitution = heavy.material.restitution = random() % 3 == 0 ? 0.3 : 0;
  light.shape = box(light_size.x, light_size.y, light_size.z);
  light.position = {0, light_size.y / 2, 0};
  light.mass = std::pow(10, between(random, -1, 1));
  heavy.shape = box(heavy_size.x, heavy_size.y, heavy_size.z);
  heavy.mass = *light.mass * std::pow(10, between(random, 1, 4));
  heavy.orientation = random_turn(random);
  double reach = 0;  // m, from the center of the heavy box to its lowest corner
  for (const Vec3& axis : {Vec3{heavy_size.x, 0, 0}, Vec3{0, heavy_size.y, 0}, Vec3{0, 0, heavy_size.z}})
    reach += std::abs(rotate(heavy.orientation, axis).y) / 2;
  heavy.position = {0.4 * heavy_size.x * between(random, -1, 1), light_size.y + reach + between(random, 0.1, 0.9),
                    0.4 * heavy_size.z * between(random, -1, 1)};
  World world;
  const BodyId id = world.add_body(light);
  world.add_body(heavy);
  Simulation sim(world, preset("soft-step"));
  Drop result;
  Vec3 last = light.position;
  for (int k = 0; k * h < 1.5; ++k) {
    sim.step(h);
    const double speed = length(sim.world().velocity(id));
    const Vec3 now = sim.world().position(id);
    result.fastest = std::max(result.fastest, speed);
    result.jump = std::max(result.jump, length(now - last) / h - speed);
    last = now;
  }
  return result;
}

/// With normals and friction solved one after the other, 8 of 250 light boxes left at more than 15 m/s, and 68 of 250 were displaced by more than their
/// velocity explains. A lever may throw a light box at several times the speed of the fall, so that a few are allowed at 8 m/s.
TEST(UnlikeDrops, AHeavyBoxDoesNotShootALightOneAway) {
  constexpr int kDrops = 80;
  for (const double h : {1.0 / 60, 1.0 / 240}) {
    int fast = 0, jumps = 0;
    for (std::uint64_t seed = 1; seed <= kDrops; ++seed) {
      const Drop result = drop(seed, h);
      EXPECT_LT(result.fastest, 15) << "m/s, seed " << seed << ", step " << h;
      fast += result.fastest > 8;
      jumps += result.jump > 2;
    }
    EXPECT_LE(fast, kDrops / 40) << "step " << h;
    EXPECT_LE(jumps, kDrops / 20) << "step " << h;
  }
}

}  // namespace
}  // namespace rigor::test
