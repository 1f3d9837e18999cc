// The pair cache while pairs begin and end.
#include "narrowphase/contact_pairs.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace rigor::test {
namespace {

/// Pairs by a number of their own, in ascending order.
struct Numbered {
  PairPool memory;
  std::vector<std::uint32_t> numbers;

  void follow(const std::vector<std::uint32_t>& next) {
    std::vector<std::uint32_t> before;
    for (const std::uint32_t n : next) {
      const auto old = std::lower_bound(numbers.begin(), numbers.end(), n);
      before.push_back(old != numbers.end() && *old == n ? static_cast<std::uint32_t>(old - numbers.begin())
                                                         : PairPool::kNew);
    }
    memory.follow(before);
    numbers = next;
  }
};

TEST(PairPool, WhatIsKnownFollowsItsPair) {
  std::mt19937 random(1);
  Numbered pairs;
  std::map<std::uint32_t, double> known;  // what was written for each number that is there
  for (int round = 0; round < 200; ++round) {
    const unsigned part =
        round % 50 == 0 ? 1000 : 10 + static_cast<unsigned>(random() % 300);  // of a thousand, that come or go
    std::vector<std::uint32_t> next;
    for (std::uint32_t n = 0; n < 500; ++n)
      if (known.contains(n) != (random() % 1000 < part)) next.push_back(n);
    pairs.follow(next);
    ASSERT_EQ(pairs.memory.size(), next.size());
    std::map<std::uint32_t, double> now;
    for (std::size_t k = 0; k < next.size(); ++k) {
      CachedPair& pair = pairs.memory[k];
      const auto old = known.find(next[k]);
      ASSERT_EQ(pair.within, old == known.end() ? 0 : old->second) << round;
      if (old != known.end()) {
        ASSERT_EQ(pairs.memory.normal(k).x, old->second) << round;
      }
      now[next[k]] = pair.within = pairs.memory.normal(k).x = 1 + 1000.0 * round + next[k];
    }
    known = now;
  }
}

TEST(PairPool, ForgetsCachesAndKeepsPairs) {
  PairPool memory;
  memory.add(), memory.add();
  memory[1].a = {3, 7}, memory[1].contacts = 2, memory[1].within = 1, memory[1].cache.feature = 5;
  memory.forget_caches();
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory[1].a, (BodyId{3, 7}));
  EXPECT_EQ(memory[1].contacts, 2u);
  EXPECT_EQ(memory[1].within, 0);
  EXPECT_EQ(memory[1].cache.feature, 0u);
  memory.clear();
  EXPECT_EQ(memory.size(), 0u);
}

}  // namespace
}  // namespace rigor::test
