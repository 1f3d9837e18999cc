#include "threads/thread_team.h"

#include <algorithm>
#include <utility>

#include "threads/patience.h"

namespace rigor {

ThreadTeam::ThreadTeam(int threads)
    : threads_(static_cast<std::size_t>(threads)), seats_(std::make_unique<Seat[]>(threads_)) {}

ThreadTeam::~ThreadTeam() {
  closing_ = true;
  Patience patience;
  while (servers_.load(std::memory_order_acquire) > 0) patience.wait();
}

thread_local const ThreadTeam* ThreadTeam::led_ = nullptr;
thread_local bool ThreadTeam::is_working_ = false;

bool ThreadTeam::begin_session() {
  if (led_ || is_working_ || has_leader_.exchange(true)) return false;
  led_ = this;
  session_.fetch_add(1);
  return true;
}

void ThreadTeam::end_session() {
  session_.fetch_add(1, std::memory_order_release);
  led_ = nullptr;
  has_leader_ = false;
}

void ThreadTeam::work(std::size_t self) noexcept {
  is_working_ = true;
  try {
    for (std::size_t k = 0; k < threads_ && !failed_.load(std::memory_order_relaxed); ++k)
      work_on_part((self + k) % threads_);
  } catch (...) {
    const std::lock_guard lock(thrown_mutex_);
    if (!thrown_) thrown_ = std::current_exception();
    failed_.store(true, std::memory_order_relaxed);  // nobody goes on
  }
  is_working_ = false;
}

void ThreadTeam::work_on_part(std::size_t part) {
  const std::size_t pieces = (loop_.count + loop_.grain - 1) / loop_.grain;
  const std::size_t first = part_begin(pieces, part, threads_), size = part_begin(pieces, part + 1, threads_) - first;
  for (DealtPiece p; !(p = parts_[part].take(loop_.turn, size, 1, 8)).empty();)
    for (std::size_t k = first + p.begin; k < first + p.end; ++k) {
      if (failed_.load(std::memory_order_relaxed)) return;
      loop_.call(loop_.body, k * loop_.grain, std::min((k + 1) * loop_.grain, loop_.count));
    }
}

void ThreadTeam::run(std::size_t count, std::size_t grain, const void* body, Call call) {
  if (is_working_) return call(body, 0, count);
  loop_ = {count, grain, body, call, parts_.begin_turn(threads_)};
  epoch_.fetch_add(1);  // opened
  work(0);
  // Closed; who has come in before is waited for, who comes later sees that it is closed (both orders are sequentially
  // consistent).
  epoch_.fetch_add(1);
  Patience patience;
  while (inside_.load() > 0) patience.wait();
  failed_ = false;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

/// After a session. Who leaves says so first and looks once more: it is seen to be away, or it sees the session that begins
/// (sequentially consistent on both sides).
bool ThreadTeam::may_stay(std::size_t self) {
  constexpr int kLooks = 1000;  // chosen: some ten microseconds
  for (int k = 0; k < kLooks && !closing_.load(std::memory_order_relaxed); ++k) {
    if (session_.load(std::memory_order_acquire) % 2 == 1) return true;
    Patience::pause();
  }
  seats_[self].is_taken.store(false);
  return session_.load() % 2 == 1 && !seats_[self].is_taken.exchange(true);
}

void ThreadTeam::serve(std::size_t self) {
  Patience patience;
  std::uint64_t done = 0;  // the loop that this thread has helped with
  seats_[self].is_asked.store(false);
  for (bool stays = session_.load() % 2 == 1 && !seats_[self].is_taken.exchange(true); stays;) {
    const std::uint64_t epoch = epoch_.load(std::memory_order_acquire);
    if (epoch % 2 == 1 && epoch != done) {
      inside_.fetch_add(1);
      if (epoch_.load() == epoch) work(self);
      inside_.fetch_sub(1);
      done = epoch;
      patience.renew();
    } else if (session_.load(std::memory_order_acquire) % 2 == 0) {
      stays = may_stay(self);
      patience.renew();
    } else {
      patience.wait();
    }
  }
  servers_.fetch_sub(1, std::memory_order_release);
}

}  // namespace rigor
