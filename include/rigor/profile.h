// Where the time of a step goes, stage by stage.
//
//   Profile profile;
//   {
//     const ProfiledThread here(profile);   // steps made by this thread, from now on
//     simulation.step();
//   }
//   profile.seconds(Stage::solve);
//
// Without a profile a stage costs one look at a pointer; results are the same with and without. Times are those on the wall of the
// thread that makes the step: what a stage spreads over other threads counts as long as it waits for them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rigor {

enum class Stage : std::uint8_t {
  forces,        // gravity, springs, drag …
  broad_phase,   // which boxes overlap
  narrow_phase,  // where shapes touch, and matching with the contacts before
  rows,          // constraints as rows, multipliers back to contacts and joints
  solve,         // collisions, contacts, joints
  integration,   // velocities, positions, orientations
  correction,    // position errors, where that is a solver of its own
  continuous,    // fast bodies stopped at what they would pass through
  sleep,         // waking and falling asleep
  validation,    // the method's checks
  events,        // contact events, listeners
  step,          // everything else that a stepping method does itself
};
inline constexpr int kStageCount = 12;
/// "broad_phase", …
std::string_view stage_name(Stage stage);

class Profile {
 public:
  /// One visit of a stage; visits within it lie inside.
  struct Span {
    Stage stage;
    double begin, duration;  // s, from the making of the profile
  };

  /// Keeps spans for take_spans(); off at first, because they need memory.
  void keep_spans(bool keep) { keeps_spans_ = keep; }

  /// Time in a stage since the profile was made or cleared, without that in stages called from it, s.
  double seconds(Stage stage) const { return seconds_[static_cast<std::size_t>(stage)]; }
  std::uint64_t visits(Stage stage) const { return visits_[static_cast<std::size_t>(stage)]; }
  double total() const;
  void clear();
  /// Those that have ended since the last call, in the order of their ends.
  std::vector<Span> take_spans();

  // For the stages.
  /// Of this thread; null: nobody wants to know.
  static Profile* current() { return current_; }
  void enter(Stage stage);
  void leave();

 private:
  friend class ProfiledThread;
  using Clock = std::chrono::steady_clock;
  struct Open {
    Stage stage;
    Clock::time_point begin;
  };
  void charge(Clock::time_point now);

  static thread_local Profile* current_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  std::array<double, kStageCount> seconds_{};
  std::array<std::uint64_t, kStageCount> visits_{};
  std::vector<Open> open_;
  std::vector<Span> spans_;
  bool keeps_spans_ = false;
};

/// As long as it lives, steps that this thread makes are profiled.
class ProfiledThread {
 public:
  explicit ProfiledThread(Profile& profile) : before_(Profile::current_) { Profile::current_ = &profile; }
  ~ProfiledThread() { Profile::current_ = before_; }
  ProfiledThread(const ProfiledThread&) = delete;
  ProfiledThread& operator=(const ProfiledThread&) = delete;

 private:
  Profile* before_;
};

/// A visit of a stage, from here to the end of the scope.
class StageScope {
 public:
  explicit StageScope(Stage stage) : profile_(Profile::current()) {
    if (profile_) profile_->enter(stage);
  }
  ~StageScope() {
    if (profile_) profile_->leave();
  }
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  Profile* profile_;
};

}  // namespace rigor
