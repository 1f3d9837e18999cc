// Work queues of a parallel loop: one queue of consecutive pieces per thread. A thread empties its own queue, then steals from others.
//
//Each thread meets the same data in every loop over the same objects, and the counters of its queue stay in its own
//cache: other threads read them only after their own queues are empty. The counters hold the number of their loop, so that they need
//not be cleared between loops.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace rigor {

/// The first piece in queue `part` of `parts` over `count` pieces. It ends where the next queue begins.
inline std::size_t queue_begin(std::size_t count, std::size_t part, std::size_t parts) { return count * part / parts; }

struct WorkRange {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

class WorkQueue {
 public:
  /// Takes a range of [0, size) that no thread has taken in this loop: an n-th of the remaining pieces, so that the last ranges are
  /// small, but at least `least` pieces. Returns an empty range if none remain. `size` is below 2³².
  WorkRange take(std::uint32_t loop, std::size_t size, std::size_t least, std::size_t n) {
    std::uint64_t seen = taken_.load(std::memory_order_relaxed);
    for (;;) {
      const std::size_t begin = count_of(seen, loop);
      if (begin >= size) return {};
      const std::size_t end = std::min(size, begin + std::max(least, (size - begin) / n));
      if (taken_.compare_exchange_weak(seen, with_loop(loop, end), std::memory_order_relaxed)) return {begin, end};
    }
  }
  /// Reports that `pieces` of the taken ones are done. A thread that reads done() afterwards sees what they wrote.
  void finish(std::uint32_t loop, std::size_t pieces) {
    std::uint64_t seen = done_.load(std::memory_order_relaxed);
    while (!done_.compare_exchange_weak(seen, with_loop(loop, count_of(seen, loop) + pieces), std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {}
  }
  std::size_t done(std::uint32_t loop) const { return count_of(done_.load(std::memory_order_acquire), loop); }

 private:
  static std::size_t count_of(std::uint64_t counter, std::uint32_t loop) {
    return counter >> 32 == loop ? counter & 0xffffffff : 0;
  }
  static std::uint64_t with_loop(std::uint32_t loop, std::size_t count) { return std::uint64_t{loop} << 32 | count; }

  // Two cache lines: other threads poll `done_` while the owner updates `taken_`.
  alignas(64) std::atomic<std::uint64_t> taken_{0};
  alignas(64) std::atomic<std::uint64_t> done_{0};
};

/// The queues of loops that run one after the other.
class WorkQueues {
 public:
  /// Returns the number of a new loop with `count` queues. Call it while no loop runs.
  std::uint32_t begin_loop(std::size_t count) {
    if (capacity_ < count || loop_ == 0xffffffff) {
      capacity_ = std::max(capacity_, count);
      queues_ = std::make_unique<WorkQueue[]>(capacity_);
      loop_ = 0;
    }
    return ++loop_;
  }
  WorkQueue& operator[](std::size_t k) { return queues_[k]; }

 private:
  std::unique_ptr<WorkQueue[]> queues_;
  std::size_t capacity_ = 0;
  std::uint32_t loop_ = 0;
};

}  // namespace rigor
