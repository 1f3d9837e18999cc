// Workers that stay awake between short loops. The thread that begins a session owns it: it opens a loop, works on it, closes it and
// waits for the workers that are still inside. Workers poll for an open loop and yield the processor while there is none. After a
// session they stay for a short time, because the next one often follows at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

#include "threads/work_queue.h"

namespace rigor {

class WorkerPool {
 public:
  using Call = void (*)(const void* body, std::size_t begin, std::size_t end);

  /// `threads` counts the owner of the session.
  explicit WorkerPool(int threads);
  /// Waits until all workers have left.
  ~WorkerPool();

  // For the owner of the session.
  bool is_session_of_this_thread() const { return session_here_ == this; }
  /// False if this thread owns a session already, or another thread owns this one.
  bool begin_session();
  /// True if this worker slot is free and no worker has been requested for it. Marks it as requested.
  bool request_worker(std::size_t slot) {
    return !slots_[slot].is_occupied.load() && !slots_[slot].is_requested.exchange(true);
  }
  void end_session();
  /// Calls `call` for all pieces of [0, count). Runs on this thread alone inside a piece of another loop.
  void run(std::size_t count, std::size_t grain, const void* body, Call call);

  // For the workers.
  /// Counts a worker that has been requested. Call it before the request.
  void expect_worker() { workers_.fetch_add(1, std::memory_order_relaxed); }
  /// Works on loops until no session follows. `self` is the worker slot, from 1; it is also the index of the worker's own queue.
  void run_worker(std::size_t self);

 private:
  struct Loop {
    std::size_t count = 0, grain = 1;
    const void* body = nullptr;
    Call call = nullptr;
    std::uint32_t number = 0;
  };
  struct alignas(64) WorkerSlot {
    std::atomic<bool> is_occupied{false}, is_requested{false};
  };
  bool wait_for_session(std::size_t self);
  void work(std::size_t self) noexcept;
  void work_on_queue(std::size_t part);

  std::size_t threads_;
  Loop loop_;
  WorkQueues queues_;                    // one per thread
  std::unique_ptr<WorkerSlot[]> slots_;  // by worker
  static thread_local const WorkerPool* session_here_;
  static thread_local bool is_working_;
  std::atomic<bool> has_owner_{false};
  std::exception_ptr thrown_;  // from the first piece that threw
  std::mutex thrown_mutex_;
  std::atomic<bool> failed_{false}, closing_{false};
  alignas(64) std::atomic<std::uint64_t> epoch_{0};  // odd: a loop is open
  std::atomic<std::uint64_t> session_{0};            // odd: a session is running
  alignas(64) std::atomic<int> inside_{0};           // workers that may read the loop
  std::atomic<int> workers_{0};
};

}  // namespace rigor
