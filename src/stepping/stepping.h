// A stepping method calls the stages of one time step in its own order (3.8, 7.5.4).
#pragma once

#include "broadphase/broadphase.h"
#include "integrators/integrator.h"
#include "math/parallel.h"
#include "narrowphase/find_contacts.h"
#include "rigor/fields.h"
#include "stepping/constraint_stage.h"

namespace rigor {

/// The stages that a simulation has set up, and when the step begins.
struct StepContext {
  World& world;
  Dynamics& dynamics;
  Integrator& integrator;
  Broadphase& broadphase;
  const Narrowphase& narrowphase;
  ContactFinder& contacts;
  const ThreadPool& threads;
  double contact_envelope;  // m
  double time;              // s
  const SolverSet& solvers;
  ConstraintStage& constraints;
  StepSettings settings;
  std::uint64_t step;                 // its number
  std::vector<std::string>& reports;  // sentences for the user
};

/// Broad phase, narrow phase, manifolds: `context.contacts` holds those of the present state afterwards.
inline void find_contacts(StepContext& c) {
  c.contacts.find(c.world, c.broadphase, c.narrowphase, c.contact_envelope, c.threads);
}

class Stepping : public Configurable {
 public:
  virtual void step(StepContext& context, double h) = 0;
};

}  // namespace rigor
