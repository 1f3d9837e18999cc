// Continuous collision of bodies that move in legs: sub-steps in which each body has one velocity.
//
// A body that is set back along its own velocity, x ← x − s v, keeps its momentum m v and its angular momentum x × m v about every
// point. Set back along the chord of a step in which it has collided, it would not: the chord and the velocity have different
// directions then. So every leg is followed by itself, as soon as it was made and before any impulse changes the velocity. A
// body that has met something stays there until the step ends or its velocity leads away; the next step finds the contact and answers it.
// Contacts that are known are answered by the solver: of such a body only the core is followed.
//
// A body is followed in a leg if it would move by more than half of its width in a whole step at that speed, or asks for it. What it
// moves in all other legs of a step together is less than half of its width.
//
// Bodies that take other sub-steps are where they are at that time: along their chord if they have been moved already, along their
// velocity if not. Bodies that hang on joints, and obstacles that cannot move, are left to ContinuousCollision: what such an obstacle does
// to momentum comes from outside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "math/parallel.h"
#include "rigor/world.h"
#include "state/step_bodies.h"
#include "stepping/continuous.h"
#include "stepping/swept_boxes.h"

namespace rigor {

class LegCollision {
 public:
  /// Once a step of h seconds, after `bodies` has begun it. `pace_of`, by slot of bodies that move: bodies with the same number move at the
  /// same time, the lowest number first. `bodies`, `list` and `pace_of` stay as they are until the step is done.
  void begin(const ContinuousCollision& bodies, const World& world, const ConstraintList& list,
             std::span<const std::uint8_t> pace_of, double h, double envelope);
  /// Before the awake bodies `slots` of a pace move with the velocities u, `time` seconds after the start of the step.
  void start(const World& world, std::span<const std::uint32_t> slots, const StepBodies& u, double time,
             const ThreadPool& threads);
  /// After they have moved for `eta` seconds: sets back those that have met something. Their orientations go back, too, so that u changes.
  void stop(World& world, double eta, StepBodies& u);
  /// After the last leg: the kinetic energy of a body that was set back changes by the work F·Δx of the forces from outside, so that it
  /// gains nothing.
  void account(BodyState& state, std::span<const Vec3> force) const;
  bool has_stopped() const { return has_stopped_; }

 private:
  static constexpr double kMoves = -1;
  struct Stop {
    std::uint32_t slot, obstacle;
    double time;  // s after the start of the leg
    Vec3 normal;  // towards the obstacle
  };
  Stop first_touch(const World& world, std::uint32_t slot);
  bool is_fast(const World& world, std::uint32_t slot, const Vec3& velocity) const;
  MovingPose motion(const World& world, std::uint32_t slot) const;
  Aabb swept_box(const World& world, std::uint32_t slot) const;
  void cover(const World& world, std::uint32_t slot);
  void find_boxes(const World& world);
  void find_touching();
  bool touches(std::uint32_t a, std::uint32_t b) const;
  bool is_held_back(const World& world, std::uint32_t slot) const;
  void set_back(BodyState& state, std::uint32_t slot, double back, StepBodies& u);

  const ContinuousCollision* bodies_ = nullptr;
  const ConstraintList* list_ = nullptr;
  std::span<const std::uint8_t> pace_of_;
  double h_ = 0, envelope_ = 0;           // s, m
  std::span<const std::uint32_t> slots_;  // of this leg
  double time_ = 0, eta_ = 0;             // s: when it begins, how long it is
  bool is_watched_ = false;               // some body is to be followed or held
  bool has_stopped_ = false;
  std::vector<Vec3> x_;  // m, by slot: positions when the leg began
  std::vector<Quat> q_;
  std::vector<double> stopped_at_;  // s, by slot: time since the start of the step, or kMoves
  std::vector<Vec3> undone_;        // m, by slot: displacement that was taken back, in all legs
  std::vector<Aabb> boxes_;         // by slot: the space that bodies are expected to pass in the step
  SweptBoxes swept_;                // the same, once there is a fast body
  bool boxes_are_new_ = false;
  std::vector<std::uint32_t> near_;
  std::vector<Stop> stops_;
  std::vector<Stop> held_by_;            // by slot: what has stopped it
  std::vector<std::uint64_t> touching_;  // pairs of slots with contacts, sorted; once there is a fast body
};

}  // namespace rigor
