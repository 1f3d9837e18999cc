#include "threads/worker_pool.h"

#include <algorithm>
#include <utility>

#include "threads/spin_wait.h"

namespace rigor {

WorkerPool::WorkerPool(int threads)
    : threads_(static_cast<std::size_t>(threads)), slots_(std::make_unique<WorkerSlot[]>(threads_)) {}

WorkerPool::~WorkerPool() {
  closing_ = true;
  SpinWait waiting;
  while (workers_.load(std::memory_order_acquire) > 0) waiting.wait();
}

thread_local const WorkerPool* WorkerPool::session_here_ = nullptr;
thread_local bool WorkerPool::is_working_ = false;

bool WorkerPool::begin_session() {
  if (session_here_ || is_working_ || has_owner_.exchange(true)) return false;
  session_here_ = this;
  session_.fetch_add(1);
  return true;
}

void WorkerPool::end_session() {
  session_.fetch_add(1, std::memory_order_release);
  session_here_ = nullptr;
  has_owner_ = false;
}

void WorkerPool::work(std::size_t self) noexcept {
  is_working_ = true;
  try {
    for (std::size_t k = 0; k < threads_ && !failed_.load(std::memory_order_relaxed); ++k)
      work_on_queue((self + k) % threads_);
  } catch (...) {
    const std::lock_guard lock(thrown_mutex_);
    if (!thrown_) thrown_ = std::current_exception();
    failed_.store(true, std::memory_order_relaxed);  // stops all threads
  }
  is_working_ = false;
}

void WorkerPool::work_on_queue(std::size_t part) {
  const std::size_t pieces = (loop_.count + loop_.grain - 1) / loop_.grain;
  const std::size_t first = queue_begin(pieces, part, threads_), size = queue_begin(pieces, part + 1, threads_) - first;
  for (WorkRange p; !(p = queues_[part].take(loop_.number, size, 1, 8)).empty();)
    for (std::size_t k = first + p.begin; k < first + p.end; ++k) {
      if (failed_.load(std::memory_order_relaxed)) return;
      loop_.call(loop_.body, k * loop_.grain, std::min((k + 1) * loop_.grain, loop_.count));
    }
}

void WorkerPool::run(std::size_t count, std::size_t grain, const void* body, Call call) {
  if (is_working_) return call(body, 0, count);
  loop_ = {count, grain, body, call, queues_.begin_loop(threads_)};
  epoch_.fetch_add(1);  // opened
  work(0);
  // Closed. The owner waits for workers that entered before; later ones see that the loop is closed (both orders are
  // sequentially consistent).
  epoch_.fetch_add(1);
  SpinWait waiting;
  while (inside_.load() > 0) waiting.wait();
  failed_ = false;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

/// Waits a short time for the next session. A worker that leaves frees its slot first and then checks again: either the owner
/// sees the free slot, or the worker sees the new session (sequentially consistent on both sides).
bool WorkerPool::wait_for_session(std::size_t self) {
  constexpr int kLooks = 1000;  // chosen: some ten microseconds
  for (int k = 0; k < kLooks && !closing_.load(std::memory_order_relaxed); ++k) {
    if (session_.load(std::memory_order_acquire) % 2 == 1) return true;
    SpinWait::pause();
  }
  slots_[self].is_occupied.store(false);
  return session_.load() % 2 == 1 && !slots_[self].is_occupied.exchange(true);
}

void WorkerPool::run_worker(std::size_t self) {
  SpinWait waiting;
  std::uint64_t done = 0;  // the last loop that this worker worked on
  slots_[self].is_requested.store(false);
  for (bool stays = session_.load() % 2 == 1 && !slots_[self].is_occupied.exchange(true); stays;) {
    const std::uint64_t epoch = epoch_.load(std::memory_order_acquire);
    if (epoch % 2 == 1 && epoch != done) {
      inside_.fetch_add(1);
      if (epoch_.load() == epoch) work(self);
      inside_.fetch_sub(1);
      done = epoch;
      waiting.reset();
    } else if (session_.load(std::memory_order_acquire) % 2 == 0) {
      stays = wait_for_session(self);
      waiting.reset();
    } else {
      waiting.wait();
    }
  }
  workers_.fetch_sub(1, std::memory_order_release);
}

}  // namespace rigor
