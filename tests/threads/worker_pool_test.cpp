// Loops of workers that stay awake: every piece runs once, however many workers join; exceptions of a piece reach the caller.
#include "threads/worker_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "threads/parallel.h"

namespace rigor {
namespace {

TEST(WorkerPool, ManyShortLoops) {
  for (const int count : {1, 2, 5}) {
    const ThreadPool pool(count);
    for (int session = 0; session < 20; ++session) {
      const ThreadPool::Awake awake(pool, true);
      std::vector<int> value(1000, 0);
      for (int loop = 0; loop < 50; ++loop)
        pool.for_range(value.size(), 8, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) ++value[i];
        });
      for (const int v : value) ASSERT_EQ(v, 50);
    }
  }
}

TEST(WorkerPool, LoopsWithinLoopsAndTwoOwners) {
  const ThreadPool pool(3);
  const auto sum = [&pool](std::size_t n) {
    const ThreadPool::Awake awake(pool, true), again(pool, true);
    std::vector<std::size_t> value(n, 0);
    pool.for_range(n, 4, [&](std::size_t begin, std::size_t end) {
      pool.for_range(end - begin, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = begin + first; i < begin + last; ++i) value[i] += i;
      });
    });
    std::size_t total = 0;
    for (const std::size_t v : value) total += v;
    return total;
  };
  std::size_t other = 0;
  std::thread thread([&] {
    for (int k = 0; k < 100; ++k) other += sum(500);
  });
  for (int k = 0; k < 100; ++k) ASSERT_EQ(sum(300), 300u * 299 / 2);
  thread.join();
  EXPECT_EQ(other, 100u * (500u * 499 / 2));
}

/// Workers leave some time after a session and come back for a later one.
TEST(WorkerPool, SessionsWithPausesBetweenThem) {
  const ThreadPool pool(3);
  for (const int pause : {0, 20, 200, 2000}) {
    for (int session = 0; session < 10; ++session) {
      const ThreadPool::Awake awake(pool, true);
      std::vector<int> value(3000, 0);
      pool.for_bodies(value.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++value[i];
      });
      ASSERT_TRUE(all_of(pool, value.size(), [&](std::size_t i) { return value[i] == 1; }));
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
    }
  }
}

TEST(WorkerPool, SumsHaveTheSameBits) {
  const auto sum_with = [](int threads, bool in_session = true) {
    const ThreadPool pool(threads);
    const ThreadPool::Awake awake(pool, in_session);
    std::vector<double> scratch;
    return pool.sum_over_bodies(5000, scratch, [](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += 1.0 / static_cast<double>(i + 1);
      return sum;
    });
  };
  EXPECT_NEAR(sum_with(1), 9.0945088529844, 1e-12);  // the harmonic number of 5000, to the rounding of as many terms
  EXPECT_EQ(sum_with(2), sum_with(1));
  EXPECT_EQ(sum_with(5), sum_with(1));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sum_with(3, false), sum_with(1));  // loops are split anywhere then
}

TEST(WorkerPool, AllOfFindsTheOnlyOneThatIsNot) {
  for (const int threads : {1, 3}) {
    const ThreadPool pool(threads);
    for (const std::size_t odd : {std::size_t{0}, std::size_t{4999}, std::size_t{9999}})
      EXPECT_FALSE(all_of(pool, 10000, [odd](std::size_t k) { return k != odd; }));
    EXPECT_TRUE(all_of(pool, 10000, [](std::size_t) { return true; }));
  }
}

TEST(WorkerPool, WhatAPieceThrowsArrives) {
  const ThreadPool pool(2);
  const ThreadPool::Awake awake(pool, true);
  const auto fail = [&] {
    pool.for_range(100, 1, [](std::size_t begin, std::size_t) {
      if (begin == 37) throw std::runtime_error("piece");
    });
  };
  EXPECT_THROW(fail(), std::runtime_error);
  int calls = 0;
  pool.for_range(3, 8, [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace rigor
