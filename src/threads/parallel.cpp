// oneTBB behind one door. The thread sanitizer cannot see into Debian's build of the library, so the two synchronisations of
// a loop — its start and its end — are told to it here.
#include "threads/parallel.h"

#include "threads/thread_team.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define RIGOR_TSAN_RELEASE(p) __tsan_release(p)
#define RIGOR_TSAN_ACQUIRE(p) __tsan_acquire(p)
#else
#define RIGOR_TSAN_RELEASE(p) (void)(p)
#define RIGOR_TSAN_ACQUIRE(p) (void)(p)
#endif

namespace rigor {

struct ThreadPool::Arena {
  // More threads than cores need leave, or the library complains on standard error. The smallest of all such controls in the
  // process counts, so there is none where none is needed.
  std::optional<tbb::global_control> more_workers;
  tbb::task_arena arena;
  ThreadTeam team;
  explicit Arena(int threads) : arena(threads), team(threads) {
    if (threads > tbb::info::default_concurrency())
      more_workers.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }
};

ThreadPool::ThreadPool(int threads) : threads_(threads > 0 ? threads : std::max(1, tbb::info::default_concurrency())) {
  if (threads_ > 1) arena_ = std::make_unique<Arena>(threads_);
}
ThreadPool::~ThreadPool() = default;

ThreadPool::Awake::Awake(const ThreadPool& pool, bool wanted) {
  if (!wanted || !pool.arena_ || !pool.arena_->team.begin_session()) return;
  pool_ = &pool;
  ThreadTeam& team = pool.arena_->team;
  [[maybe_unused]] static char handed_over = 0;  // not captured: it is asked before what is captured is read
  for (int i = 1; i < pool.threads_; ++i) {
    if (!team.has_to_be_asked(static_cast<std::size_t>(i))) continue;
    team.expect_server();
    RIGOR_TSAN_RELEASE(&handed_over);
    pool.arena_->arena.enqueue([&team, i] {
      RIGOR_TSAN_ACQUIRE(&handed_over);
      team.serve(static_cast<std::size_t>(i));
    });
  }
}

ThreadPool::Awake::~Awake() {
  if (pool_) pool_->arena_->team.end_session();
}

void ThreadPool::run(std::size_t count, std::size_t grain, const void* body, Call call) const {
  if (arena_->team.is_led_by_this_thread()) return arena_->team.run(count, grain, body, call);
  char started = 0, finished = 0;
  RIGOR_TSAN_RELEASE(&started);
  arena_->arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain), [&](const auto& range) {
      RIGOR_TSAN_ACQUIRE(&started);
      call(body, range.begin(), range.end());
      RIGOR_TSAN_RELEASE(&finished);
    });
  });
  RIGOR_TSAN_ACQUIRE(&finished);
}

}  // namespace rigor
