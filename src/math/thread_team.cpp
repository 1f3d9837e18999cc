#include "math/thread_team.h"

#include <algorithm>
#include <thread>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace rigor {

namespace {

/// A little while, and more and more often leave for others to run.
class Patience {
 public:
  void wait() {
    constexpr int kSpins = 2000;  // chosen: some ten microseconds
    if (++spins_ > kSpins) return std::this_thread::yield();
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#endif
  }
  void renew() { spins_ = 0; }

 private:
  int spins_ = 0;
};

}  // namespace

ThreadTeam::~ThreadTeam() {
  Patience patience;
  while (servers_.load(std::memory_order_acquire) > 0) patience.wait();
}

thread_local const ThreadTeam* ThreadTeam::led_ = nullptr;
thread_local bool ThreadTeam::is_working_ = false;

bool ThreadTeam::begin_session() {
  if (led_ || is_working_ || has_leader_.exchange(true)) return false;
  led_ = this;
  session_.fetch_add(1, std::memory_order_release);
  return true;
}

void ThreadTeam::end_session() {
  session_.fetch_add(1, std::memory_order_release);
  led_ = nullptr;
  has_leader_ = false;
}

void ThreadTeam::work() noexcept {
  is_working_ = true;
  try {
    for (std::size_t k; (k = next_.fetch_add(loop_.grain, std::memory_order_relaxed)) < loop_.count;)
      loop_.call(loop_.body, k, std::min(k + loop_.grain, loop_.count));
  } catch (...) {
    next_.store(loop_.count, std::memory_order_relaxed);  // nobody goes on
    const std::lock_guard lock(thrown_mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }
  is_working_ = false;
}

void ThreadTeam::run(std::size_t count, std::size_t grain, const void* body, Call call) {
  if (is_working_) return call(body, 0, count);
  loop_ = {count, grain, body, call};
  next_.store(0, std::memory_order_relaxed);
  epoch_.fetch_add(1);  // opened
  work();
  // Closed; who has come in before is waited for, who comes later sees that it is closed (both orders are sequentially
  // consistent).
  epoch_.fetch_add(1);
  Patience patience;
  while (inside_.load() > 0) patience.wait();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void ThreadTeam::serve(std::uint64_t session) {
  Patience patience;
  std::uint64_t done = 0;  // the loop that this thread has helped with
  while (session_.load(std::memory_order_acquire) == session) {
    const std::uint64_t epoch = epoch_.load(std::memory_order_acquire);
    if (epoch % 2 == 0 || epoch == done) {
      patience.wait();
      continue;
    }
    inside_.fetch_add(1);
    if (epoch_.load() == epoch) work();
    inside_.fetch_sub(1);
    done = epoch;
    patience.renew();
  }
  servers_.fetch_sub(1, std::memory_order_release);
}

}  // namespace rigor
