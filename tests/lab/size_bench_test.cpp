#include "lab/size_bench.h"

#include <gtest/gtest.h>

#include "rigor/registry.h"

namespace rigor {
namespace {

TEST(SizeBench, MeasuresEqualAndUnlikeBoxes) {
  const std::vector<SizeBenchRow> rows = run_size_bench(default_method(), 60, 90, 10);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].smallest, rows[0].largest);
  EXPECT_LT(rows[1].smallest, rows[1].largest);
  for (const SizeBenchRow& row : rows) {
    EXPECT_GT(row.contacts, 0u);
    EXPECT_GT(row.microseconds_per_contact(), 0);
  }
}

}  // namespace
}  // namespace rigor
