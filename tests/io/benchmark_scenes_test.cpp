// The benchmark scenes are what docs/benchmarks.md says.
#include <gtest/gtest.h>

#include "rigor/scene.h"

namespace rigor {
namespace {

struct Expected {
  const char* name;
  std::size_t moving;
  double mass;  // kg, of all bodies
  double dt, duration;
};

/// Masses: density 1000 times the volumes; a capsule of radius 0.3 and length 1 has pi 0.09 (1 + 0.4).
constexpr double kSphere = kPi / 6, kCapsule = kPi * 0.09 * 1.4;
constexpr Expected kScenes[] = {
    {"a-pyramid", 210, 210e3, 1.0 / 60, 5},
    {"b-pyramid-3d", 1240, 1240e3, 1.0 / 60, 5},
    {"c-column-10", 10, 10e3, 1.0 / 60, 20},
    {"c-column-30", 30, 30e3, 1.0 / 60, 20},
    {"d-pit", 1000, 1000 * (334 * kSphere + 333 + 333 * kCapsule), 1.0 / 60, 10},
    {"e-chains", 1000, 1000e3 * (kPi * 0.01 * 0.3 + 4.0 / 3 * kPi * 0.001), 1.0 / 60, 10},
    {"g-tumbling", 1, 40, 1.0 / 60, 60},
    {"h-mass-ratio", 2, 1001, 1.0 / 60, 10},
    {"i-slope-25", 1, 1000, 1.0 / 60, 10},
    {"i-slope-30", 1, 1000, 1.0 / 60, 2},
    {"j-tree", 127, 127 * 5, 1.0 / 30, 10},
};

TEST(BenchmarkScenes, BodiesMassesAndTimes) {
  for (const Expected& e : kScenes) {
    const Scene scene = open_scene(e.name);
    double mass = 0;
    std::size_t moving = 0;
    for (const BodyId id : scene.world.bodies()) {
      if (scene.world.is_fixed(id)) continue;
      ++moving;
      mass += scene.world.mass_properties(id).mass;
    }
    EXPECT_EQ(moving, e.moving) << e.name;
    EXPECT_NEAR(mass, e.mass, 1e-12 * e.mass * static_cast<double>(e.moving)) << e.name;  // rounding of a sum
    EXPECT_EQ(scene.time.step, e.dt) << e.name;
    EXPECT_EQ(scene.duration, e.duration) << e.name;
  }
}

}  // namespace
}  // namespace rigor
