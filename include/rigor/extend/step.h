// A custom time step: the order in which the stages are called, and for how long.
//
//   void step(StepStages& s, double h) override {   // two half steps
//     for (int i = 0; i < 2; ++i) { s.find_contacts(); s.solve_and_move(h / 2); }
//   }
//
// Rules. step() is called by one thread per simulation. The times of all moves have to add up to h, which is checked. Results have
// to follow from the state and the parameters alone. If step() throws, Simulation::step() throws an Error that names it.
#pragma once

#include "rigor/extend/bodies.h"
#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor::extend {

/// The stages of the current method.
class StepStages {
 public:
  virtual ~StepStages() = default;
  /// s, at the present poses.
  virtual double time() const = 0;
  /// The awake bodies. Spans hold until the next call of a stage: bodies may wake.
  virtual Bodies bodies() = 0;
  /// Broad phase and narrow phase at the present poses.
  virtual void find_contacts() = 0;
  /// Collisions, forces, constraints, velocities and positions, error correction, for `h` seconds from the present time on, by the
  /// solvers and the integrator of the method.
  virtual void solve_and_move(double h) = 0;
};

class Step : public Configurable {
 public:
  static constexpr Kind kKind = Kind::stepping;
  virtual void step(StepStages& stages, double h) = 0;
};

}  // namespace rigor::extend
