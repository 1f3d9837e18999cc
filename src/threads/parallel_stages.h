// Loops one after the other, each over pieces that may run on any thread at once, without a fork and a join for every loop.
//
// Every thread goes through all loops: it takes pieces of the present one, its own part first, until none is left, waits until
// those of the others are done, and goes on. Nobody waits for a thread that has not come: who is there does the work.
#pragma once

#include <cstddef>
#include <span>

#include "threads/dealt_pieces.h"
#include "threads/parallel.h"

namespace rigor {

class ParallelStages {
 public:
  /// body(stage, begin, end) over pieces of [0, sizes[stage]), the smallest of `grain`; all of a stage before any of the next.
  template <class Body>
  void run(const ThreadPool& threads, std::span<const std::size_t> sizes, std::size_t grain, const Body& body) {
    run(threads, sizes, grain, /*in_order=*/true, &body, &call_of<Body>);
  }
  /// The same pieces on the same threads as far as they come, in any order.
  template <class Body>
  void run_in_any_order(const ThreadPool& threads, std::span<const std::size_t> sizes, std::size_t grain,
                        const Body& body) {
    run(threads, sizes, grain, /*in_order=*/false, &body, &call_of<Body>);
  }

 private:
  using Call = void (*)(const void* body, std::size_t stage, std::size_t begin, std::size_t end);
  template <class Body> static void call_of(const void* body, std::size_t stage, std::size_t begin, std::size_t end) {
    (*static_cast<const Body*>(body))(stage, begin, end);
  }
  void run(const ThreadPool& threads, std::span<const std::size_t> sizes, std::size_t grain, bool in_order,
           const void* body, Call call);

  DealtParts parts_;  // stage by stage, one for each thread
};

}  // namespace rigor
