// A stepping method calls the stages of one time step in its own order (3.8, 7.5.4).
#pragma once

#include "broadphase/broadphase.h"
#include "integrators/integrator.h"
#include "narrowphase/find_contacts.h"
#include "rigor/fields.h"
#include "rigor/simulation.h"
#include "sleep/sleep_stage.h"
#include "stepping/constraint_stage.h"
#include "threads/parallel.h"

namespace rigor {

/// The stages of a search for contacts within a step.
struct SearchStages {
  Broadphase& broadphase;
  const Narrowphase& narrowphase;
  SleepStage& sleep;
  const SleepRule& sleep_rule;
  const Simulation::ContactModifier* modifier = nullptr;  // of the user; null: none
  double step = 0;                                        // s, size of the whole step
  bool may_wake = true;                                   // false once a step may be undone
};

/// What a stepping method works with. Solvers get a SolverContext instead, which leads to rows and bodies only.
struct StepContext {
  World& world;
  Dynamics& dynamics;
  Integrator& integrator;
  ContactFinder& contacts;
  SearchStages search;
  const SolverSet& solvers;
  ConstraintStage& constraints;
  StepSettings settings;
  const ThreadPool& threads;
  double contact_envelope;              // m
  double time;                          // s, at which the step begins
  std::uint64_t step;                   // its number
  std::vector<JointId>& broken_joints;  // overloaded in this step; broken after it
  std::vector<std::string>& reports;    // sentences for the user
  bool corrects_errors = true;          // false: this part of a step leaves errors alone
};

class Stepping : public Configurable {
 public:
  virtual void step(StepContext& context, double h) = 0;
};

}  // namespace rigor
