// Loops one after the other, each over pieces that may run on any thread at once, without a fork and a join for every loop.
//
// Every thread goes through all loops: it takes pieces of the present one, its own part first, until none is left, waits until
// those of the others are done, and goes on. Nobody waits for a thread that has not come: who is there does the work.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "math/parallel.h"

namespace rigor {

class ParallelStages {
 public:
  /// body(stage, begin, end) over pieces of [0, sizes[stage]) of at most `grain` each; all of a stage before any of the next.
  template <class Body>
  void run(const ThreadPool& threads, std::span<const std::size_t> sizes, std::size_t grain, const Body& body) {
    run(threads, sizes, grain, &body, [](const void* b, std::size_t stage, std::size_t begin, std::size_t end) {
      (*static_cast<const Body*>(b))(stage, begin, end);
    });
  }

 private:
  using Call = void (*)(const void* body, std::size_t stage, std::size_t begin, std::size_t end);
  void run(const ThreadPool& threads, std::span<const std::size_t> sizes, std::size_t grain, const void* body,
           Call call);

  /// Of one stage: pieces taken of one thread's part, pieces done of the whole.
  struct alignas(64) Counter {
    std::atomic<std::size_t> taken{0}, done{0};
  };

  std::unique_ptr<Counter[]> counters_;  // stage by stage, one for each thread
  std::size_t capacity_ = 0;
};

}  // namespace rigor
