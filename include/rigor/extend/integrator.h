// A custom integrator: it advances the awake bodies over one step.
//
//   ẋ = v,  q̇ = ½ ω q,  m v̇ = F,  L̇ = τ          with ω = R I⁻¹ Rᵀ L
//
//   class MyIntegrator final : public rigor::extend::Integrator {
//     void integrate(rigor::extend::Motion& motion, double time, double h) override { … }
//   };
//
// Rules. integrate() is called once per step (or part of a step), by one thread per simulation. Several simulations may run at
// once, each with an instance of its own. Results have to follow from the arguments and the parameters alone: an instance
// may keep scratch memory, but nothing of the last step may change the next one, because a snapshot does not hold it.
// Declare "order:N" among the capabilities; the conformance tests hold the integrator to it.
// If integrate() throws, or leaves a number that is not finite, Simulation::step() throws an Error that names the integrator.
#pragma once

#include "rigor/extend/bodies.h"
#include "rigor/extend/rotation.h"
#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor::extend {

/// The equations of motion of the awake bodies.
class Motion {
 public:
  virtual ~Motion() = default;
  /// The bodies; the integrator writes position, orientation, velocity and angular velocity.
  virtual const Bodies& bodies() = 0;
  /// Writes force and torque at the present poses and velocities. Kinematic bodies are moved to `time` first.
  virtual void evaluate(double time) = 0;
  /// False if the term ω × Iω is left out: then ω̇ = R I⁻¹ Rᵀ τ.
  virtual bool gyroscopic() const = 0;
};

class Integrator : public Configurable {
 public:
  static constexpr Kind kKind = Kind::integrator;
  /// Moves all awake bodies from `time` to `time + h`.
  virtual void integrate(Motion& motion, double time, double h) = 0;
  /// The time by which velocities lag behind positions, in steps. ½ if positions move with the velocities at
  /// the end of the step, −½ with those at its start, 0 if both belong to one time. Impacts need it.
  virtual double velocity_lag() const { return 0; }
};

}  // namespace rigor::extend
