// Integrators advance positions, orientations and velocities of all bodies over one step (3.4, 7.5.1).
//
//   ẋ = v,  q̇ = ½ ω q,  m v̇ = F,  L̇ = τ          with ω = R I⁻¹ Rᵀ L                         (7.1)
//
// The angular momentum L is the state, not ω: the gyroscopic term ω × Iω is then part of the coordinates and exact. Without
// it (Dynamics::gyroscopic() == false) the equation is ω̇ = R I⁻¹ Rᵀ τ, or L̇ = τ + ω × L.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rigor/fields.h"
#include "rigor/world.h"
#include "threads/parallel.h"

namespace rigor {

/// The state of an integrator from step to step: plain numbers that are saved and copied with the simulation.
struct IntegratorMemory {
  double step_size = 0;         // s, last accepted inner step of an adaptive method; 0: none yet
  std::vector<double> numbers;  // of integrators with keeps_numbers(), in their own layout
};

/// Forces that are not in the world's effects: those of the constraints.
class ConstraintForces {
 public:
  virtual ~ConstraintForces() = default;
  /// Adds them at the present state to the forces in the arrays.
  virtual void add_to(BodyState& state) = 0;
};

/// The system of differential equations that an integrator solves: its state and the derivative function of 7.5.1.
class Dynamics {
 public:
  /// `threads` null: only the calling thread.
  Dynamics(World& world, bool gyroscopic, IntegratorMemory& memory, const ThreadPool* threads = nullptr)
      : world_(world), gyroscopic_(gyroscopic), memory_(memory), threads_(threads) {}

  BodyState& state() { return world_.state(); }
  bool gyroscopic() const { return gyroscopic_; }
  /// Calls move(begin, end) for slots of awake bodies that move independently of each other.
  template <class Move> void for_awake(const Move& move) {
    if (!threads_) return move(0, state().awake());
    threads_->for_bodies(state().awake(), [&](std::size_t begin, std::size_t end) {
      move(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
    });
  }
  IntegratorMemory& memory() { return memory_; }
  /// Writes the forces and torques at the present state and the given time into the arrays.
  void evaluate(double time) {
    ++evaluations_;
    if (force_free_) return clear_forces();
    // The result of evaluate_outside() is still valid for the first call in the same step, at the same time: integrators that
    // begin elsewhere, such as implicit Euler at the end of the step, need the forces there.
    if (!has_outside_forces_ || time != outside_time_) world_.evaluate_forces(time);
    has_outside_forces_ = false;
    if (constraints_) constraints_->add_to(world_.state());
  }
  /// Evaluates only the external forces, at the state and time at which the integrator will begin.
  void evaluate_outside(double time) {
    world_.evaluate_forces(time);
    has_outside_forces_ = true;
    outside_time_ = time;
  }
  void set_constraints(ConstraintForces* constraints) { constraints_ = constraints; }
  /// With `force_free` the integrator moves bodies by their velocities only: the position update of 3.8.1.
  void set_force_free(bool force_free) { force_free_ = force_free, has_outside_forces_ = false; }
  /// Set by the step if forces and torques do not change until the integrator is done, so that one evaluation is enough.
  void set_constant(bool constant) { constant_ = constant; }
  bool forces_are_constant() const { return constant_; }
  bool is_force_free() const { return force_free_; }
  /// Forces of constraints depend on velocities.
  bool has_constraint_forces() const { return constraints_ && !force_free_; }
  void clear_forces() {
    for (Vec3& f : world_.state().force) f = {};
    for (Vec3& t : world_.state().torque) t = {};
  }
  bool forces_depend_on_velocity(double time) const { return world_.forces_depend_on_velocity(time); }
  int evaluations() const { return evaluations_; }

 private:
  World& world_;
  bool gyroscopic_;
  IntegratorMemory& memory_;
  const ThreadPool* threads_;
  ConstraintForces* constraints_ = nullptr;
  bool has_outside_forces_ = false, force_free_ = false, constant_ = false;
  double outside_time_ = 0;  // s, of evaluate_outside()
  int evaluations_ = 0;
};

/// A Runge–Kutta method by its numbers: kᵢ = f(t + cᵢ h, y + h Σ aᵢⱼ kⱼ), y₁ = y + h Σ bᵢ kᵢ. Row i of `a` has i entries.
struct CoordinateRule {
  std::span<const double> c, a, b;
  bool velocities_first = false;  // positions then move with the velocities at the end of the step
};

class Integrator : public Configurable {
 public:
  /// For steps that move other coordinates than those of bodies; those with the capability "any-coordinates" have one.
  virtual std::optional<CoordinateRule> coordinate_rule() const { return std::nullopt; }
  /// Whether it uses IntegratorMemory::numbers, which are then saved and hashed.
  virtual bool keeps_numbers() const { return false; }
  /// How long before the positions' time the velocities belong, in steps: ½ where positions move with the velocities at the
  /// end of a step, −½ with those at its start, 0 where both are of one time. Matters to impacts; see contact_rows.cpp.
  virtual double velocity_lag() const { return 0; }
  /// Moves some awake bodies for the time h by their velocities only, with the same bits as integrate() without
  /// forces. Returns false and does nothing if it is not supported. Several threads may move different bodies.
  virtual bool move_freely(Dynamics&, std::span<const std::uint32_t>, double) { return false; }
  /// Moves all bodies from `time` to `time + h`: the awake ones by their equations of motion, the kinematic ones by the
  /// velocity that the user gave them.
  virtual void integrate(Dynamics& dynamics, double time, double h) = 0;
};

}  // namespace rigor
