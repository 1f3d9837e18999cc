#include "math/parallel_stages.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace rigor {

namespace {

constexpr int kSpins = 2000;  // chosen: some microseconds; then the processor is offered to others

/// The pieces of a stage are dealt out to the threads in runs, so that a thread meets the same data in every stage.
struct Deal {
  std::size_t pieces, threads;
  std::size_t begin(std::size_t part) const { return pieces * part / threads; }
};

}  // namespace

void ParallelStages::run(const ThreadPool& threads, std::span<const std::size_t> sizes, std::size_t grain,
                         const void* body, Call call) {
  const auto count = static_cast<std::size_t>(threads.threads());
  if (count == 1) {
    for (std::size_t stage = 0; stage < sizes.size(); ++stage)
      if (sizes[stage] > 0) call(body, stage, 0, sizes[stage]);
    return;
  }
  if (capacity_ < sizes.size() * count) {
    capacity_ = sizes.size() * count;
    counters_ = std::make_unique<Counter[]>(capacity_);
  }
  for (std::size_t i = 0; i < sizes.size() * count; ++i) counters_[i].taken = counters_[i].done = 0;

  std::atomic<bool> has_failed = false;
  std::exception_ptr failure;  // the first one; others still wait for what it would have done
  const auto call_safely = [&](std::size_t stage, std::size_t begin, std::size_t end) {
    try {
      call(body, stage, begin, end);
    } catch (...) {
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  };
  const auto work = [&](std::size_t stage, std::size_t part, const Deal& deal) {
    Counter& counter = counters_[stage * count + part];
    const std::size_t first = deal.begin(part), size = deal.begin(part + 1) - first;
    for (std::size_t k = 0; (k = counter.taken.fetch_add(1, std::memory_order_relaxed)) < size;) {
      call_safely(stage, (first + k) * grain, std::min((first + k + 1) * grain, sizes[stage]));
      counters_[stage * count].done.fetch_add(1, std::memory_order_release);
    }
  };
  threads.for_range(count, 1, [&](std::size_t begin, std::size_t) {
    for (std::size_t stage = 0; stage < sizes.size(); ++stage) {
      const Deal deal{(sizes[stage] + grain - 1) / grain, count};
      for (std::size_t k = 0; k < count; ++k) work(stage, (begin + k) % count, deal);
      for (int spins = 0; counters_[stage * count].done.load(std::memory_order_acquire) < deal.pieces;)
        spins < kSpins ? static_cast<void>(++spins) : std::this_thread::yield();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace rigor
