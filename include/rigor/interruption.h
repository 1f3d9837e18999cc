// Ends a step that takes too long: on request from another thread or a signal handler, or by the clock.
//
//   Interruption interruption;
//   const Snapshot before = simulation.save();
//   try {
//     const InterruptibleThread here(&interruption);  // steps made by this thread, from now on
//     simulation.step();                              // meanwhile, elsewhere: interruption.request()
//   } catch (const Interrupted&) {
//     simulation.restore(before);                     // the step was never made
//   }
//
// Solvers check it at every pivot or sweep, steps in each of their parts. Without one, or before it is due, results are the
// same and a check costs next to nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <limits>

namespace rigor {

class Interruption {
 public:
  using Clock = std::chrono::steady_clock;

  /// From any thread, also from a signal handler.
  void request() noexcept { requested_ = true; }
  /// From any thread. A later call replaces the time of an earlier one.
  void request_at(Clock::time_point when) noexcept { when_ = when.time_since_epoch().count(); }
  void clear() noexcept { requested_ = false, when_ = kNever; }
  bool is_due() const noexcept {
    if (requested_) return true;
    const Clock::rep when = when_;
    return when != kNever && Clock::now().time_since_epoch().count() >= when;
  }

 private:
  static constexpr Clock::rep kNever = std::numeric_limits<Clock::rep>::max();
  std::atomic<bool> requested_{false};
  std::atomic<Clock::rep> when_{kNever};
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<Clock::rep>::is_always_lock_free,
                "a signal handler may call request()");
};

/// Thrown by Simulation::step() and advance(). The step is half done: restore a snapshot, or discard the simulation.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "the step was interrupted"; }
};

/// During its lifetime, steps that this thread makes, of any simulation, throw Interrupted when `interruption` is due. Null
/// has no effect.
class InterruptibleThread {
 public:
  explicit InterruptibleThread(const Interruption* interruption) : interruption_(interruption), outer_(innermost_) {
    innermost_ = this;
  }
  ~InterruptibleThread() { innermost_ = outer_; }
  InterruptibleThread(const InterruptibleThread&) = delete;
  InterruptibleThread& operator=(const InterruptibleThread&) = delete;

 private:
  friend void throw_if_interrupted();
  static thread_local const InterruptibleThread* innermost_;
  const Interruption* interruption_;
  const InterruptibleThread* outer_;
};

/// For loops that may take long, on the thread that makes the step.
void throw_if_interrupted();

}  // namespace rigor
