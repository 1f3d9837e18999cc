// Continuous collision of bodies within each sub-step. A leg is the motion of a body in one sub-step, with one
// velocity.
//
// A body that is set back along its own velocity, x ← x − s v, keeps its momentum m v and its angular momentum x × m v
// about every point. A body that is set back along the chord of a whole step (from its first to its last position) does
// not, if it has collided in that step: the chord and the velocity then have different directions. So every leg is
// checked by itself, right after the motion and before any impulse changes the velocity. A body that has hit something
// stays there until the step ends or its velocity leads away; the next step finds the contact and solves it. Contacts
// that are already known are left to the solver: against their obstacles only the core of the body, a ball about its
// center of mass, is followed.
//
// A body is followed in a leg if at that speed it would move by more than half its width (of a hull or
// cone: than its center of mass is from its surface) in a whole step, or if its
// definition asks for continuous collision. All its other legs of the step together are shorter than half its width.
//
// An obstacle with other sub-steps is taken where it is at the time of the leg: on its chord if it was moved already,
// else along its velocity. Bodies on joints, and obstacles that cannot move, are left to ContinuousCollision; what such
// an obstacle does to momentum comes from outside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/world.h"
#include "state/step_bodies.h"
#include "stepping/continuous.h"
#include "stepping/swept_boxes.h"
#include "threads/parallel.h"

namespace rigor {

class LegCollision {
 public:
  /// Starts a step of h seconds; call it after bodies.begin(). `pace_of` has the pace of each body that moves, by slot:
  /// bodies of the same pace move together, lower paces first. `bodies`, `list` and `pace_of` must not change until the
  /// step is done.
  void begin(const ContinuousCollision& bodies, const World& world, const ConstraintList& list,
             std::span<const std::uint8_t> pace_of, double h, double envelope);
  /// Starts a leg; call it before the awake bodies `slots` of a pace move with the velocities u. `time`: s since the
  /// start of the step.
  void start(const World& world, std::span<const std::uint32_t> slots, const StepBodies& u, double time,
             const ThreadPool& threads);
  /// Ends a leg, after the bodies have moved for `eta` seconds: sets back those that have hit something. Orientations
  /// are set back as well, so that u changes.
  void stop(World& world, double eta, StepBodies& u);
  /// Call it after the last leg: changes the kinetic energy of each body that was set back by the work F·Δx of the
  /// forces from outside, so that its total energy does not grow.
  void account(BodyState& state, std::span<const Vec3> force) const;
  bool has_stopped() const { return has_stopped_; }

 private:
  static constexpr double kMoves = -1;
  struct Stop {
    std::uint32_t slot, obstacle;
    double time;  // s after the start of the leg
    Vec3 normal;  // towards the obstacle
  };
  struct Touching {
    std::uint64_t pair;     // of slots, the smaller one in the upper half
    std::uint32_t contact;  // in the list
    auto operator<=>(const Touching&) const = default;
  };
  static std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
  }
  Stop first_touch(const World& world, std::uint32_t slot);
  bool is_fast(const World& world, std::uint32_t slot, const Vec3& velocity) const;
  MovingPose motion(const World& world, std::uint32_t slot) const;
  Aabb swept_box(const World& world, std::uint32_t slot) const;
  void cover(const World& world, std::uint32_t slot);
  void find_boxes(const World& world);
  void find_touching();
  std::span<const Touching> contacts_of(std::uint32_t a, std::uint32_t b) const;
  bool approaches(const World& world, std::span<const Touching> contacts, double speed) const;
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
  std::vector<Stop> held_by_;       // by slot: what has stopped it
  std::vector<Touching> touching_;  // contacts, sorted by pair; once there is a fast body
};

}  // namespace rigor
