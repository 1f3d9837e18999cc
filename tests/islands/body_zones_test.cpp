#include "islands/body_zones.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rigor {
namespace {

std::vector<Vec3> scattered(std::size_t count, const Vec3& extent) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(0, 1);
  std::vector<Vec3> positions;
  for (std::size_t i = 0; i < count; ++i)
    positions.push_back({extent.x * part(random), extent.y * part(random), extent.z * part(random)});
  return positions;
}

TEST(BodyZones, FewBodiesAreOneZone) {
  BodyZones zones;
  EXPECT_FALSE(zones.divide(scattered(100, {1, 1, 1}), 100));
  EXPECT_EQ(zones.count(), 1U);
  EXPECT_FALSE(zones.divide({}, 100));
}

TEST(BodyZones, AreAboutAsLarge) {
  const std::vector<Vec3> positions = scattered(30000, {50, 8, 50});
  BodyZones zones;
  EXPECT_TRUE(zones.divide(positions, 4096));
  ASSERT_EQ(zones.count(), 8U);
  std::vector<int> sizes(zones.count(), 0);
  for (std::size_t i = 0; i < positions.size(); ++i) ++sizes.at(zones[i]);
  // Medians of 256 samples for the smallest halves, the deviation of which is 3 %; three in a row, four deviations.
  EXPECT_GT(*std::min_element(sizes.begin(), sizes.end()), 0.75 * 30000 / 8);
  EXPECT_LT(*std::max_element(sizes.begin(), sizes.end()), 1.25 * 30000 / 8);
}

TEST(BodyZones, NeighboursAreMostlyInOneZone) {
  std::vector<Vec3> positions;
  for (int i = 0; i < 20000; ++i) positions.push_back({1.0 * (i % 100), 0, 1.0 * (i / 100)});
  BodyZones zones;
  zones.divide(positions, 5000);
  int across = 0;
  for (std::size_t i = 0; i + 1 < positions.size(); ++i)
    across += positions[i + 1].x > positions[i].x && zones[i] != zones[i + 1] ? 1 : 0;
  EXPECT_LE(across, 200);  // one cut along z at most, of 200 rows
}

TEST(BodyZones, AreNewWhenABodyChangesSides) {
  std::vector<Vec3> positions = scattered(1000, {10, 1, 1});
  BodyZones zones;
  EXPECT_TRUE(zones.divide(positions, 500));
  EXPECT_FALSE(zones.divide(positions, 500));
  positions[1].x = positions[1].x < 5 ? 10 : 0;
  EXPECT_TRUE(zones.divide(positions, 500));
  EXPECT_TRUE(zones.divide(positions, 1000));
  EXPECT_EQ(zones.count(), 1U);
}

TEST(BodyZones, BodiesInOnePlaceMayBeInOneZone) {
  BodyZones zones;
  zones.divide(std::vector<Vec3>(1000, Vec3{1, 2, 3}), 100);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(zones[i], zones[0]);
}

}  // namespace
}  // namespace rigor
