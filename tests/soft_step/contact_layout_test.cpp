#include <gtest/gtest.h>
#include <algorithm>
#include <random>

#include "soft_step/contact_layout.h"

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

namespace {

TEST(ContactColours, NoTwoContactsOfOneColourShareABodyThatMoves) {
  constexpr std::uint32_t kAwake = 200;
  std::mt19937 random(7);
  std::vector<StepContact> contacts;
  for (int i = 0; i < 3000; ++i) {
    const auto a = static_cast<std::uint32_t>(random() % (kAwake + 20)),
               b = static_cast<std::uint32_t>(random() % kAwake);
    if (a != b) contacts.push_back({nullptr, a, b, -1, 1});
  }
  std::vector<std::uint64_t> used;
  std::vector<std::uint8_t> colour;
  colour_contacts(contacts, kAwake, used, colour);
  std::vector<std::vector<bool>> seen(kColours, std::vector<bool>(kAwake, false));
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    ASSERT_LE(colour[i], kOverflow);
    if (colour[i] == kOverflow) continue;
    for (const std::uint32_t slot : {contacts[i].slot_a, contacts[i].slot_b}) {
      if (slot >= kAwake) continue;
      EXPECT_FALSE(seen[colour[i]][slot]);
      seen[colour[i]][slot] = true;
    }
  }
}

TEST(ContactColours, ABodyWithMoreContactsThanColoursOverflows) {
  std::vector<StepContact> contacts;
  for (std::uint32_t i = 1; i <= 70; ++i) contacts.push_back({nullptr, 0, i, -1, 1});
  std::vector<std::uint64_t> used;
  std::vector<std::uint8_t> colour;
  colour_contacts(contacts, 100, used, colour);
  EXPECT_EQ(std::count(colour.begin(), colour.end(), kOverflow), 70 - kColours);
}

}  // namespace

}  // namespace rigor
