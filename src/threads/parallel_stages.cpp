#include "threads/parallel_stages.h"

#include <atomic>
#include <exception>

#include "threads/spin_wait.h"

namespace rigor {

namespace {

constexpr int kLooks = 50;  // chosen: some microseconds, about as long as a stage

/// One run of the stages, as all threads see it.
struct StageRun {
  std::span<const std::size_t> sizes;
  std::size_t grain, threads;
  const void* body;
  void (*call)(const void* body, std::size_t stage, std::size_t begin, std::size_t end);
  WorkQueues& queues;
  std::uint32_t loop;

  std::atomic<bool> has_failed = false;
  std::exception_ptr failure = nullptr;  // the first one; other threads still wait for the piece that threw

  std::size_t begin(std::size_t stage, std::size_t part) const { return queue_begin(sizes[stage], part, threads); }
  std::size_t size(std::size_t stage, std::size_t part) const { return begin(stage, part + 1) - begin(stage, part); }

  void call_safely(std::size_t stage, std::size_t first, std::size_t last) {
    try {
      call(body, stage, first, last);
    } catch (...) {
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  }
  void work(std::size_t stage, std::size_t part) {
    WorkQueue& queue = queues[stage * threads + part];
    const std::size_t first = begin(stage, part);
    std::size_t done = 0;
    for (WorkRange p; !(p = queue.take(loop, size(stage, part), grain, 2)).empty(); done += p.end - p.begin)
      call_safely(stage, first + p.begin, first + p.end);
    if (done > 0) queue.finish(loop, done);
  }
  bool is_done(std::size_t stage, std::size_t part) const {
    return queues[stage * threads + part].done(loop) == size(stage, part);
  }
  /// Waits briefly. A thread that has not joined, or has lost its processor, is not waited for again in this run.
  bool is_done_soon(std::size_t stage, std::size_t part, bool& trusts) const {
    for (int k = 0; trusts && k < kLooks; ++k) {
      if (is_done(stage, part)) return true;
      SpinWait::pause();
    }
    trusts = false;
    return is_done(stage, part);
  }
  /// Waits until all queues of the stage are done. Steals from slow threads, although the data is in their caches.
  void complete(std::size_t stage, std::size_t self, bool& trusts) {
    for (std::size_t k = 1; k < threads; ++k)
      if (const std::size_t part = (self + k) % threads; !is_done_soon(stage, part, trusts)) work(stage, part);
    SpinWait waiting;
    for (std::size_t part = 0; part < threads; ++part)
      while (!is_done(stage, part)) waiting.wait();
  }
};

}  // namespace

void ParallelStages::run(const ThreadPool& threads, std::span<const std::size_t> sizes, std::size_t grain,
                         bool in_order, const void* body, Call call) {
  const auto count = static_cast<std::size_t>(threads.threads());
  if (count == 1) {
    for (std::size_t stage = 0; stage < sizes.size(); ++stage)
      if (sizes[stage] > 0) call(body, stage, 0, sizes[stage]);
    return;
  }
  StageRun run{sizes, grain, count, body, call, queues_, queues_.begin_loop(sizes.size() * count)};
  threads.for_range(count, 1, [&](std::size_t self, std::size_t) {
    bool trusts = true;
    for (std::size_t stage = 0; stage < sizes.size(); ++stage) {
      run.work(stage, self);
      if (in_order) run.complete(stage, self, trusts);
    }
    if (in_order) return;
    for (std::size_t stage = 0; stage < sizes.size(); ++stage) run.complete(stage, self, trusts);
  });
  if (run.failure) std::rethrow_exception(run.failure);
}

}  // namespace rigor
