// Boxes that overlap are found as by looking at all.
#include "stepping/swept_boxes.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace rigor::test {
namespace {

TEST(SweptBoxes, FindsWhatOverlaps) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-10, 10), size(0.1, 1);
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<Aabb> boxes{{{-kFar, -kFar, -kFar}, {kFar, -9, kFar}}, {{-9, -9, -9}, {9, 0, 9}}};
  for (int i = 0; i < 200; ++i) {
    const Vec3 at{place(random), place(random), place(random)};
    boxes.push_back({at, at + size(random) * Vec3{1, 2, 3}});
  }
  SweptBoxes swept;
  EXPECT_TRUE(swept.empty());
  swept.assign(boxes);
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t k = 0; k < boxes.size(); ++k)
      if (k != i && k % 7 && overlap(boxes[i], boxes[k])) expected.push_back(k);
    swept.find_overlapping(
        i, [](std::uint32_t k) { return k % 7 != 0; }, found);
    EXPECT_EQ(found, expected) << i;
  }
}

}  // namespace
}  // namespace rigor::test
