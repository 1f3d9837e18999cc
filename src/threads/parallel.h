// Parallel loops whose results do not depend on the number of threads: every iteration writes to its own elements only.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

namespace rigor {

class ThreadPool {
 public:
  /// 0: one thread per core.
  explicit ThreadPool(int threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  /// Calls body(begin, end) for pieces of [0, count) of about `grain` iterations each, on any thread, in any order. A loop of
  /// fewer than `few` iterations runs on the calling thread, which is done before other threads wake up.
  template <class Body>
  void for_range(std::size_t count, std::size_t grain, const Body& body, std::size_t few = 0) const {
    if (count == 0) return;
    if (!arena_ || count <= grain || count < few) return body(std::size_t{0}, count);
    run(count, grain, &body,
        [](const void* b, std::size_t begin, std::size_t end) { (*static_cast<const Body*>(b))(begin, end); });
  }

  /// The same for a short computation per body. Few bodies run on one thread, whose cache holds them.
  template <class Body> void for_bodies(std::size_t count, const Body& body) const {
    for_range(count, kBodiesPerPiece, body, kFewBodies);
  }
  static constexpr std::size_t kBodiesPerPiece = 128, kFewBodies = 1000;
  /// Σ term(begin, end) over pieces of kBodiesPerPiece: the same bits for any number of threads.
  template <class Term>
  double sum_over_bodies(std::size_t count, std::vector<double>& scratch, const Term& term) const {
    scratch.resize((count + kBodiesPerPiece - 1) / kBodiesPerPiece);
    const auto sum_pieces = [&](std::size_t begin, std::size_t end) {  // whole pieces, wherever the loop is split
      for (std::size_t k = begin; k < end; ++k)
        scratch[k] = term(k * kBodiesPerPiece, std::min((k + 1) * kBodiesPerPiece, count));
    };
    for_range(scratch.size(), 1, sum_pieces, kFewBodies / kBodiesPerPiece + 1);
    return std::accumulate(scratch.begin(), scratch.end(), 0.0);
  }

  /// Keeps the other threads awake, waiting for the next loop, as long as it lives: for a step that consists of many short loops.
  /// Only the thread that made it may start loops, one after the other. No loop waits for a worker that has not joined it.
  class Awake {
   public:
    /// Does nothing if `wanted` is false.
    Awake(const ThreadPool& pool, bool wanted);
    ~Awake();
    Awake(const Awake&) = delete;
    Awake& operator=(const Awake&) = delete;

   private:
    const ThreadPool* pool_ = nullptr;  // null: disabled
  };

 private:
  using Call = void (*)(const void* body, std::size_t begin, std::size_t end);
  void run(std::size_t count, std::size_t grain, const void* body, Call call) const;

  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;  // null: this thread alone
};

/// True if `is_true(k)` holds for all k < count. It should be cheap: it may be called after the answer is known.
template <class Predicate> bool all_of(const ThreadPool& threads, std::size_t count, const Predicate& is_true) {
  std::atomic<bool> all = true;
  threads.for_range(
      count, 512,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
          if (!is_true(k)) return all.store(false, std::memory_order_relaxed);
      },
      4096);
  return all;
}

}  // namespace rigor
