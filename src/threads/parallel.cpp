// The only file that uses oneTBB. The thread sanitizer cannot see into Debian's build of the library, so this file annotates the two
// synchronisations of a loop, its start and its end.
#include "threads/parallel.h"

#include "threads/sanitizers.h"
#include "threads/worker_pool.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>

#if defined(RIGOR_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#define RIGOR_TSAN_RELEASE(p) __tsan_release(p)
#define RIGOR_TSAN_ACQUIRE(p) __tsan_acquire(p)
#else
#define RIGOR_TSAN_RELEASE(p) (void)(p)
#define RIGOR_TSAN_ACQUIRE(p) (void)(p)
#endif

namespace rigor {

struct ThreadPool::Arena {
  // oneTBB warns on standard error about more threads than cores unless this control allows them. The smallest of all such controls
  // in the process counts, so it is made only if it is needed.
  std::optional<tbb::global_control> more_workers;
  tbb::task_arena arena;
  WorkerPool workers;
  explicit Arena(int threads) : arena(threads), workers(threads) {
    if (threads > tbb::info::default_concurrency())
      more_workers.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }
};

ThreadPool::ThreadPool(int threads) : threads_(threads > 0 ? threads : std::max(1, tbb::info::default_concurrency())) {
  if (threads_ > 1) arena_ = std::make_unique<Arena>(threads_);
}
ThreadPool::~ThreadPool() = default;

ThreadPool::Awake::Awake(const ThreadPool& pool, bool wanted) {
  if (!wanted || !pool.arena_ || !pool.arena_->workers.begin_session()) return;
  pool_ = &pool;
  WorkerPool& workers = pool.arena_->workers;
  [[maybe_unused]] static char handed_over = 0;  // not captured: the sanitizer needs it before the captures are read
  for (int i = 1; i < pool.threads_; ++i) {
    if (!workers.request_worker(static_cast<std::size_t>(i))) continue;
    workers.expect_worker();
    RIGOR_TSAN_RELEASE(&handed_over);
    pool.arena_->arena.enqueue([&workers, i] {
      RIGOR_TSAN_ACQUIRE(&handed_over);
      workers.run_worker(static_cast<std::size_t>(i));
    });
  }
}

ThreadPool::Awake::~Awake() {
  if (pool_) pool_->arena_->workers.end_session();
}

void ThreadPool::run(std::size_t count, std::size_t grain, const void* body, Call call) const {
  if (arena_->workers.is_session_of_this_thread()) return arena_->workers.run(count, grain, body, call);
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
