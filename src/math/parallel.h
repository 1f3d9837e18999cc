// Loops over many threads whose result does not depend on how many there are: every iteration writes its own places only.
#pragma once

#include <cstddef>
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
  template <class Body> void for_range(std::size_t count, std::size_t grain, const Body& body) const {
    if (count == 0) return;
    if (!arena_ || count <= grain) return body(std::size_t{0}, count);
    run(count, grain, &body,
        [](const void* b, std::size_t begin, std::size_t end) { (*static_cast<const Body*>(b))(begin, end); });
  }

 private:
  using Call = void (*)(const void* body, std::size_t begin, std::size_t end);
  void run(std::size_t count, std::size_t grain, const void* body, Call call) const;

  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;  // null with one thread
};

}  // namespace rigor
