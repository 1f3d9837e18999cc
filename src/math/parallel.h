// Loops over many threads whose result does not depend on how many there are: every iteration writes its own places only.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace rigor {

class ThreadPool {
 public:
  /// 0: as many as the machine has.
  explicit ThreadPool(int threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  /// Calls body(begin, end) for pieces of [0, count) of about `grain` iterations each, on any thread, in any order.
  void for_range(std::size_t count, std::size_t grain,
                 const std::function<void(std::size_t begin, std::size_t end)>& body) const;

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;  // null with one thread
};

}  // namespace rigor
