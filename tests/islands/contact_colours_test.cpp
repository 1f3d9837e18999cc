#include "islands/contact_colours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rigor {
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
