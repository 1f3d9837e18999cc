// The state of one browser's session: one to four simulations of a scene in lock-step, their past, and edits by the user. Independent of
// threads and the network.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rigor/interruption.h"
#include "rigor/profile.h"
#include "rigor/scene.h"
#include "viewer/history.h"
#include "viewer/measure.h"
#include "viewer/mouse_spring.h"
#include "viewer/run_recording.h"

namespace rigor::viewer {

/// When to stop by itself.
struct StopRules {
  bool non_finite = true;
  bool penetration = false;
  double depth = 0.1;  // m
  bool energy = false;
  double jump = 0.1;  // relative to the energy before the step
};

class Session {
 public:
  static constexpr std::size_t kMaxRuns = 4;
  static constexpr std::size_t kMaxSamples = 20'000;
  static constexpr std::size_t kMaxImpacts = 64;
  static constexpr std::size_t kMaxUndos = 50;

  explicit Session(Scene scene) { open(std::move(scene)); }

  // Scenes.
  void open(Scene scene);
  /// Goes back to the beginning with the present methods.
  void reset();
  const Scene& scene() const { return scene_; }
  /// The first simulation as a scene.
  Scene edited_scene() const;

  // Simulations.
  const Runs& runs() const { return runs_; }
  const Simulation& run(std::size_t i) const { return runs_[i]; }
  /// Error for a run that does not exist or a method that cannot work; nothing is changed then.
  void set_method(std::size_t run, const Method& method);
  /// Continues with one simulation per method, all from the present state of the first.
  void compare(const std::vector<Method>& methods);
  void set_step(double seconds);

  // Time.
  bool playing() const { return playing_; }
  void play();
  /// A frame says whether the session plays, so pausing calls for another one.
  void pause() { playing_ = false, wanted_steps_ = 0, ++state_version_, ++motion_version_; }
  /// Pauses, and requests a number of steps, which the session's thread makes one by one.
  void want_steps(std::uint64_t count) { pause(), wanted_steps_ = count; }
  std::uint64_t wanted_steps() const { return wanted_steps_; }
  /// One step of all simulations. Pauses and reports the reason in reports() if a stop rule applies. False if it was interrupted: the
  /// step is then undone.
  bool step();
  const Interruption* interruption = nullptr;  // of steps; may be set from other threads
  std::uint64_t steps() const { return runs_.front().steps(); }
  double time() const { return runs_.front().time(); }
  /// Goes to the nearest stored state at or before `step`; pauses.
  void seek(std::uint64_t step);
  const History& history() const { return history_; }
  StopRules rules;

  // Edits by the user. An edit is made in every simulation or in none.
  template <class F> void edit(F change) { edit(std::move(change), scene_.materials); }
  /// The scene has these materials afterwards.
  template <class F> void edit(F change, std::map<std::string, Material> materials) {
    Runs changed = runs_;
    for (Simulation& s : changed) change(s.world());
    remember();
    runs_ = std::move(changed);
    scene_.materials = std::move(materials);
    edited();
  }
  void grab(int who, const MouseSpring& spring) { hands_on(), remember(), springs_[who] = spring; }
  void drag(int who, const Vec3& target);
  /// The page is notified at once, also while paused.
  void release(int who) { motion_version_ += springs_.erase(who); }
  const std::map<int, MouseSpring>& springs() const { return springs_; }

  // Undo. The simulations go back to the moment before the last edit or pull, and forward again. False when there is none.
  bool undo() { return exchange(undo_, redo_); }
  bool redo() { return exchange(redo_, undo_); }
  std::size_t undos() const { return undo_.size(); }
  std::size_t redos() const { return redo_.size(); }

  // Recording. Starts the simulation anew from the present state, as a replay will. Error when several are compared.
  void start_recording();
  /// The recording; null if there is none.
  const RunRecording* recording() const { return recording_.get(); }
  /// The recording as a file; Error if there is none.
  std::string take_recording();

  // Versions that grow with every change, so that pages can detect changes.
  std::uint64_t scene_version() const { return scene_version_; }    // bodies
  std::uint64_t method_version() const { return method_version_; }  // methods
  std::uint64_t state_version() const { return state_version_; }    // everything else but motion
  std::uint64_t motion_version() const { return motion_version_; }
  std::uint64_t opened() const { return opened_; }  // scenes opened so far
  void touch() { ++state_version_; }

  const std::deque<SampleRow>& samples() const { return samples_; }
  /// Impacts of contacts that began in the first simulation since the last call.
  struct Impact {
    Vec3 point;
    double speed, impulse;  // m/s of approach, N s
    BodyId a, b;
  };
  std::vector<Impact> take_impacts() { return std::exchange(impacts_, {}); }
  /// Reports since the last call.
  std::vector<std::string> take_reports() { return std::exchange(reports_, {}); }

 private:
  /// What undo() goes back to.
  struct Moment {
    std::vector<Snapshot> runs;
    World start;
    std::map<std::string, Material> materials;  // of the scene
  };
  Moment present() const;
  void remember();
  bool exchange(std::deque<Moment>& from, std::deque<Moment>& to);
  void edited();
  /// Call this before a change that a replay cannot repeat.
  void hands_on();
  void start_over();
  void take_events();
  void take_sample(const std::vector<Profile>& profiles, const std::vector<StepTruth>& truth);
  void check_rules(const std::vector<double>& energy_before, std::uint32_t inactive_before);
  void stop(const std::string& why);

  Scene scene_;
  World start_;  // the target of reset(): the scene with the edits at time zero
  Runs runs_;
  History history_;
  std::map<int, MouseSpring> springs_;  // by client
  std::deque<Moment> undo_, redo_;      // the last one is the next to take
  std::deque<SampleRow> samples_;
  std::vector<std::string> reports_;
  std::vector<Impact> impacts_;
  std::unique_ptr<RunRecording> recording_;
  bool playing_ = false;
  std::uint64_t wanted_steps_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t scene_version_ = 1, method_version_ = 1, state_version_ = 1, motion_version_ = 1, opened_ = 0;
};

}  // namespace rigor::viewer
