#include "lab/memory_bench.h"

#include <gtest/gtest.h>

#include "rigor/registry.h"
#include "threads/sanitizers.h"

namespace rigor {
namespace {

TEST(MemoryBench, ContactsAndBodiesStaySmall) {
#if defined(RIGOR_ADDRESS_SANITIZER) || defined(RIGOR_THREAD_SANITIZER)
  GTEST_SKIP() << "sanitizers count no allocations";
#endif
  const MemoryBenchRow row = run_memory_bench(default_method(), 200, 20);
  EXPECT_EQ(row.bodies, 600u);
  EXPECT_EQ(row.contacts, 600u);
  // Vectors hold up to twice what they need. A contact has 704 bytes, and a copy in lanes.
  EXPECT_GT(row.per_body, 500);
  EXPECT_LT(row.per_body, 4000);
  EXPECT_GT(row.per_contact, 704);
  EXPECT_LT(row.per_contact, 3000);
}

}  // namespace
}  // namespace rigor
