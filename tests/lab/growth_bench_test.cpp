#include "lab/growth_bench.h"

#include <gtest/gtest.h>

#include "rigor/registry.h"

namespace rigor {
namespace {

TEST(GrowthBench, MeasuresPilesOfAnySize) {
  const int bodies[] = {30, 90};
  const std::vector<GrowthBenchRow> rows = run_growth_bench(default_method(), bodies, 30, 10);
  ASSERT_EQ(rows.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(rows[i].bodies, bodies[i]);
    EXPECT_GT(rows[i].contacts, 0u);
    EXPECT_GT(rows[i].microseconds_per_body(), 0);
  }
}

}  // namespace
}  // namespace rigor
