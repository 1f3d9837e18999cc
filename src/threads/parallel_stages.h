// Parallel loops one after the other (stages), without a fork and a join for every loop.
//
//Every thread goes through all stages: it takes pieces of the current one, from its own queue first, until none remain, waits until
//the other threads have finished theirs, and goes on. No thread waits for a worker that has not joined: the others do its work.
#pragma once

#include <cstddef>
#include <span>

#include "threads/parallel.h"
#include "threads/work_queue.h"

namespace rigor {

class ParallelStages {
 public:
  /// body(stage, begin, end) over pieces of [0, sizes[stage]), at least `grain` each; every stage completes before the next one begins.
  template <class Body>
  void run(const ThreadPool& threads, std::span<const std::size_t> sizes, std::size_t grain, const Body& body) {
    run(threads, sizes, grain, /*in_order=*/true, &body, &call_of<Body>);
  }
  /// The same pieces, preferably on the same threads, in any order.
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

  WorkQueues queues_;  // stage by stage, one per thread
};

}  // namespace rigor
