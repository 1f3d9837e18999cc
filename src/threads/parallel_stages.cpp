#include "threads/parallel_stages.h"

#include <atomic>
#include <exception>

#include "threads/patience.h"

namespace rigor {

namespace {

constexpr int kLooks = 50;  // chosen: some microseconds, about as long as a stage

/// One run of the stages, as all threads see it.
struct StageRun {
  std::span<const std::size_t> sizes;
  std::size_t grain, threads;
  const void* body;
  void (*call)(const void* body, std::size_t stage, std::size_t begin, std::size_t end);
  DealtParts& parts;
  std::uint32_t turn;

  std::atomic<bool> has_failed = false;
  std::exception_ptr failure = nullptr;  // the first one; others still wait for what it would have done

  std::size_t begin(std::size_t stage, std::size_t part) const { return part_begin(sizes[stage], part, threads); }
  std::size_t size(std::size_t stage, std::size_t part) const { return begin(stage, part + 1) - begin(stage, part); }

  void call_safely(std::size_t stage, std::size_t first, std::size_t last) {
    try {
      call(body, stage, first, last);
    } catch (...) {
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  }
  void work(std::size_t stage, std::size_t part) {
    DealtPart& dealt = parts[stage * threads + part];
    const std::size_t first = begin(stage, part);
    std::size_t done = 0;
    for (DealtPiece p; !(p = dealt.take(turn, size(stage, part), grain, 2)).empty(); done += p.end - p.begin)
      call_safely(stage, first + p.begin, first + p.end);
    if (done > 0) dealt.finish(turn, done);
  }
  bool is_done(std::size_t stage, std::size_t part) const {
    return parts[stage * threads + part].done(turn) == size(stage, part);
  }
  /// Whether it is so soon. Who has not come, or has lost its processor, is not waited for again in this run.
  bool is_soon_done(std::size_t stage, std::size_t part, bool& trusts) const {
    for (int k = 0; trusts && k < kLooks; ++k) {
      if (is_done(stage, part)) return true;
      Patience::pause();
    }
    trusts = false;
    return is_done(stage, part);
  }
  /// Until the others are done; what they do not get done is taken from them, and with it data that is in their caches.
  void complete(std::size_t stage, std::size_t self, bool& trusts) {
    for (std::size_t k = 1; k < threads; ++k)
      if (const std::size_t part = (self + k) % threads; !is_soon_done(stage, part, trusts)) work(stage, part);
    Patience patience;
    for (std::size_t part = 0; part < threads; ++part)
      while (!is_done(stage, part)) patience.wait();
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
  StageRun run{sizes, grain, count, body, call, parts_, parts_.begin_turn(sizes.size() * count)};
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
