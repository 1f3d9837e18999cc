#include "state/step_impulses.h"

#include <gtest/gtest.h>

namespace rigor {
namespace {

Contact contact(std::uint32_t a, std::uint32_t b) {
  Contact c;
  c.a = {a, 1}, c.b = {b, 1};
  return c;
}

// Events ask for pairs where the list has contacts that the step did not look at.
TEST(StepImpulses, EntriesByContactAreThoseOfPairsToo) {
  StepImpulses impulses;
  impulses.add(contact(1, 2), ContactImpulse{0.5, 1, {}, true});
  impulses.add(contact(1, 2), ContactImpulse{0.25, 3, {}, true});
  impulses.add(contact(1, 4), ContactImpulse{2, -1, {}, true});
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
