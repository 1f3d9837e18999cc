// Pieces of a loop, dealt out to the threads in runs: each takes its own first and then what others have left.
//
// A thread that comes meets the same data in every loop over the same things, and the counters of its part stay in its own
// cache: another one looks at them only when it has nothing else to do. They need not be cleared between loops, because they say
// which one they are about.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace rigor {

/// Where a thread's part of `count` pieces begins; that of the next one is its end.
inline std::size_t part_begin(std::size_t count, std::size_t part, std::size_t parts) { return count * part / parts; }

struct DealtPiece {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

class DealtPart {
 public:
  /// Of [0, size) what nobody has taken in this turn: the n-th part of what is left, so that the last pieces are small, but at
  /// least `least`; empty: nothing is left. `size` is below 2³².
  DealtPiece take(std::uint32_t turn, std::size_t size, std::size_t least, std::size_t n) {
    std::uint64_t seen = taken_.load(std::memory_order_relaxed);
    for (;;) {
      const std::size_t begin = count_of(seen, turn);
      if (begin >= size) return {};
      const std::size_t end = std::min(size, begin + std::max(least, (size - begin) / n));
      if (taken_.compare_exchange_weak(seen, with_turn(turn, end), std::memory_order_relaxed)) return {begin, end};
    }
  }
  /// So many that were taken are done; who sees it sees what they wrote.
  void finish(std::uint32_t turn, std::size_t pieces) {
    std::uint64_t seen = done_.load(std::memory_order_relaxed);
    while (!done_.compare_exchange_weak(seen, with_turn(turn, count_of(seen, turn) + pieces), std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {}
  }
  std::size_t done(std::uint32_t turn) const { return count_of(done_.load(std::memory_order_acquire), turn); }

 private:
  static std::size_t count_of(std::uint64_t counter, std::uint32_t turn) {
    return counter >> 32 == turn ? counter & 0xffffffff : 0;
  }
  static std::uint64_t with_turn(std::uint32_t turn, std::size_t count) { return std::uint64_t{turn} << 32 | count; }

  // Others wait for what is done while the owner still takes: lines of their own.
  alignas(64) std::atomic<std::uint64_t> taken_{0};
  alignas(64) std::atomic<std::uint64_t> done_{0};
};

/// Parts for loops one after the other, `parts` for each.
class DealtParts {
 public:
  /// Before a turn begins, while nobody is in one; room for so many.
  std::uint32_t begin_turn(std::size_t count) {
    if (capacity_ < count || turn_ == 0xffffffff) {
      capacity_ = std::max(capacity_, count);
      parts_ = std::make_unique<DealtPart[]>(capacity_);
      turn_ = 0;
    }
    return ++turn_;
  }
  DealtPart& operator[](std::size_t k) { return parts_[k]; }

 private:
  std::unique_ptr<DealtPart[]> parts_;
  std::size_t capacity_ = 0;
  std::uint32_t turn_ = 0;
};

}  // namespace rigor
