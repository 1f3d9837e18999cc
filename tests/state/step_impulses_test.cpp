#include "state/step_impulses.h"

#include <gtest/gtest.h>

namespace rigor {
namespace {

PairImpulse entry(std::uint32_t a, std::uint32_t b, double impulse, double speed) {
  PairImpulse pair;
  pair.a = {a, 1}, pair.b = {b, 1}, pair.impulse = impulse, pair.speed = speed;
  return pair;
}

// Events ask for pairs where the list has contacts that the step did not look at.
TEST(StepImpulses, EntriesByContactAreThoseOfPairsToo) {
  StepImpulses impulses;
  const std::span<PairImpulse> entries = impulses.start_by_contact(3);
  entries[0] = entry(1, 2, 0.5, 1), entries[1] = entry(1, 2, 0.25, 3), entries[2] = entry(1, 4, 2, -1);
  const std::span<const PairImpulse> pairs = impulses.pairs();
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].impulse, 0.75);
  EXPECT_EQ(pairs[0].speed, 3);
  EXPECT_EQ(pairs[1].b.index, 4u);
  EXPECT_EQ(pairs[1].impulse, 2);
  impulses.clear();
  EXPECT_TRUE(impulses.pairs().empty());
}

}  // namespace
}  // namespace rigor
