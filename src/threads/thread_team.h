// Threads that stay awake between short loops. One thread leads: it opens a loop, works on it, closes it and waits for those that
// are still inside. The others, who serve, look for an open loop, and offer the processor to others while there is none. After a
// session they stay for a little while: the next one often follows at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

#include "threads/dealt_pieces.h"

namespace rigor {

class ThreadTeam {
 public:
  using Call = void (*)(const void* body, std::size_t begin, std::size_t end);

  /// Of so many threads, the leader among them.
  explicit ThreadTeam(int threads);
  /// Waits until nobody serves.
  ~ThreadTeam();

  // Of the thread that leads.
  bool is_led_by_this_thread() const { return led_ == this; }
  /// False: this thread leads one already, or the team has another leader.
  bool begin_session();
  /// Whether somebody has to be asked to serve under that number in the session that has begun: nobody is here, or on the way.
  bool has_to_be_asked(std::size_t server) {
    return !seats_[server].is_taken.load() && !seats_[server].is_asked.exchange(true);
  }
  void end_session();
  /// Within a piece of another loop it is this thread's alone.
  void run(std::size_t count, std::size_t grain, const void* body, Call call);

  // Of the others.
  /// Before a thread is asked to serve; it is expected to come some time.
  void expect_server() { servers_.fetch_add(1, std::memory_order_relaxed); }
  /// Until no session follows any more. `self`: its own number, from 1 on; loops are dealt out by it.
  void serve(std::size_t self);

 private:
  struct Loop {
    std::size_t count = 0, grain = 1;
    const void* body = nullptr;
    Call call = nullptr;
    std::uint32_t turn = 0;
  };
  struct alignas(64) Seat {
    std::atomic<bool> is_taken{false}, is_asked{false};
  };
  bool may_stay(std::size_t self);
  void work(std::size_t self) noexcept;
  void work_on_part(std::size_t part);

  std::size_t threads_;
  Loop loop_;
  DealtParts parts_;               // one for each thread
  std::unique_ptr<Seat[]> seats_;  // of those who serve, by number
  static thread_local const ThreadTeam* led_;
  static thread_local bool is_working_;
  std::atomic<bool> has_leader_{false};
  std::exception_ptr thrown_;  // by the first piece that threw
  std::mutex thrown_mutex_;
  std::atomic<bool> failed_{false}, closing_{false};
  alignas(64) std::atomic<std::uint64_t> epoch_{0};  // odd: a loop is open
  std::atomic<std::uint64_t> session_{0};            // odd: there is one
  alignas(64) std::atomic<int> inside_{0};           // servers that may look at the loop
  std::atomic<int> servers_{0};
};

}  // namespace rigor
