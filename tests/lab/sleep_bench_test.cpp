#include "lab/sleep_bench.h"

#include <gtest/gtest.h>

namespace rigor {
namespace {

/// With 1000 bodies it is 0.3 %; with a hundred a fixed cost weighs more, so the 2 % that 1000 have to keep to are 5 here.
TEST(SleepBench, SleepingBodiesCostNearlyNothing) {
  const SleepBenchResult r = run_sleep_bench(default_method(), 100, 20);
  EXPECT_EQ(r.asleep, 100);
  EXPECT_GT(r.awake, 0);
  EXPECT_LT(r.share(), 0.05);
}

}  // namespace
}  // namespace rigor
