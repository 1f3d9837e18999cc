// Measures the time of a step, stage by stage.
//
//   Profile profile;
//   {
//     const ProfiledThread here(profile);   // steps made by this thread, from now on
//     simulation.step();
//   }
//   profile.seconds(Stage::solve);
//
// Without a profile a stage costs one check of a pointer; results are the same with and without. Times are wall-clock times of the
// thread that makes the step: work on other threads counts as long as the stage waits for it.
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
  broad_phase,   // finding overlapping boxes
  narrow_phase,  // contact points, and matching them with those of the last step
  rows,          // writing constraint rows, storing multipliers in contacts and joints
  solve,         // collisions, contacts, joints
  integration,   // velocities, positions, orientations
  correction,    // correction of position errors by a separate solver
  continuous,    // continuous collision: stopping fast bodies
  sleep,         // waking and falling asleep
  validation,    // validators
  events,        // contact events, listeners
  step,          // everything else in the stepping method
};
inline constexpr int kStageCount = 12;
/// "broad_phase", …
std::string_view stage_name(Stage stage);

class Profile {
 public:
  /// One visit of a stage; nested visits lie inside it.
  struct Span {
    Stage stage;
    double begin, duration;  // s, since the profile was made
  };

  /// Stores spans for take_spans(); off by default, because they need memory.
  void keep_spans(bool keep) { keeps_spans_ = keep; }

  /// Time in a stage since the profile was made or cleared, without nested stages, s.
  double seconds(Stage stage) const { return seconds_[static_cast<std::size_t>(stage)]; }
  std::uint64_t visits(Stage stage) const { return visits_[static_cast<std::size_t>(stage)]; }
  double total() const;
  void clear();
  /// The spans that have ended since the last call, in the order of their ends.
  std::vector<Span> take_spans();

  // For the stages.
  /// The profile of this thread; null: none.
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

/// Profiles the steps that this thread makes during its lifetime.
class ProfiledThread {
 public:
  explicit ProfiledThread(Profile& profile) : before_(Profile::current_) { Profile::current_ = &profile; }
  ~ProfiledThread() { Profile::current_ = before_; }
  ProfiledThread(const ProfiledThread&) = delete;
  ProfiledThread& operator=(const ProfiledThread&) = delete;

 private:
  Profile* before_;
};

/// Measures a stage from here to the end of the scope.
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
