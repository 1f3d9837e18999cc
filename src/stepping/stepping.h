// A stepping method calls the stages of one time step in its own order (3.8, 7.5.4).
#pragma once

#include "integrators/integrator.h"
#include "rigor/fields.h"

namespace rigor {

/// The stages that a simulation has set up, and when the step begins.
struct StepContext {
  Dynamics& dynamics;
  Integrator& integrator;
  double time;  // s
};

class Stepping : public Configurable {
 public:
  virtual void step(StepContext& context, double h) = 0;
};

}  // namespace rigor
