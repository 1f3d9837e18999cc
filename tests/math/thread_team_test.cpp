// Loops of a team of threads that stay awake: everything is done once, whoever comes; what a piece throws arrives.
#include "math/thread_team.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "math/parallel.h"

namespace rigor {
namespace {

TEST(ThreadTeam, ManyShortLoops) {
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

TEST(ThreadTeam, LoopsWithinLoopsAndTwoLeaders) {
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

TEST(ThreadTeam, WhatAPieceThrowsArrives) {
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
