#include "threads/parallel_stages.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace rigor {
namespace {

/// Every stage sees all of the one before, and every element is visited once.
TEST(ParallelStages, StagesFollowEachOther) {
  const std::vector<std::size_t> sizes = {1000, 0, 7, 1000, 333};
  for (const int count : {1, 2, 5}) {
    const ThreadPool threads(count);
    ParallelStages stages;
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<int> value(1000, 0);
      stages.run(threads, sizes, 8, [&](std::size_t stage, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) value[i] = 10 * value[i] + static_cast<int>(stage) + 1;
      });
      for (std::size_t i = 0; i < value.size(); ++i)
        ASSERT_EQ(value[i], i < 7 ? 1345 : i < 333 ? 145 : 14) << "element " << i << " of " << count << " threads";
    }
  }
}

/// In any order: every element of every stage once.
TEST(ParallelStages, AnyOrderVisitsEverythingOnce) {
  const std::vector<std::size_t> sizes = {1000, 0, 7, 333};
  for (const int count : {1, 2, 5}) {
    const ThreadPool threads(count);
    ParallelStages stages;
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<std::vector<int>> visits;
      for (const std::size_t size : sizes) visits.emplace_back(size, 0);
      stages.run_in_any_order(threads, sizes, 8, [&](std::size_t stage, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++visits[stage][i];
      });
      for (const std::vector<int>& stage : visits)
        for (const int n : stage) ASSERT_EQ(n, 1) << count << " threads";
    }
  }
}

TEST(ParallelStages, AnExceptionEndsThemAll) {
  const std::vector<std::size_t> sizes = {100, 100};
  for (const int count : {1, 2, 5}) {
    ParallelStages stages;
    const auto fails = [&](std::size_t, std::size_t begin, std::size_t end) {
      if (begin <= 50 && 50 < end) throw std::runtime_error("no");
    };
    EXPECT_THROW(stages.run(ThreadPool(count), sizes, 8, fails), std::runtime_error) << count;
  }
}

TEST(ParallelStages, NothingToDo) {
  ParallelStages stages;
  int calls = 0;
  stages.run(ThreadPool(2), {}, 8, [&](std::size_t, std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace rigor
