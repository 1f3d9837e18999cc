// The stages that the method of a simulation names, and their state from step to step.
#pragma once

#include <array>
#include <optional>

#include "integrators/integrator.h"
#include "registry/entry.h"
#include "rigor/profile.h"
#include "rigor/queries.h"
#include "rigor/simulation.h"
#include "stepping/stepping.h"
#include "validate/validator.h"
#include "world/contact_index.h"
#include "world/missing_solvers.h"
#include "world/previous_poses.h"
#include "world/step_events.h"

namespace rigor {

/// One solver per distinct choice: slots with equal choices share a solver.
inline SolverSet make_solvers(const Method& m) {
  const auto make = [](const Choice& choice, const char* place) {
    return std::shared_ptr<Solver>(create<Solver>(Kind::solver, choice, place));
  };
  SolverSet set;
  set.contact = make(m.contact_solver, "solver.contact");
  set.collision = m.collision_solver == m.contact_solver ? set.contact : make(m.collision_solver, "solver.collision");
  set.joint = m.joint_solver == m.contact_solver ? set.contact : make(m.joint_solver, "solver.joint");
  set.correction = make(m.correction, "solver.correction");
  return set;
}

/// The stages that the method names, made by the registry.
struct Simulation::Stages {
  std::unique_ptr<Stepping> stepping;
  std::unique_ptr<Integrator> integrator;
  std::unique_ptr<Broadphase> broadphase;
  std::unique_ptr<Narrowphase> narrowphase;
  SolverSet solvers;
  ConstraintStage constraints;
  std::unique_ptr<SleepRule> sleep_rule;
  SleepStage sleep;
  ContactEvents contact_events;
  Sensors sensors;
  PreviousPoses previous_poses;
  bool keeps_poses = false;
  ContactIndex contact_index;
  std::optional<Queries> queries;
  std::array<std::uint64_t, 3> queries_version{};  // of the world at their last update
  std::uint64_t poses_version = 0;                 // changes with every step and restored snapshot
  std::vector<std::unique_ptr<Validator>> validators;
  std::vector<ValidatorMemory> validator_memory;  // one for each
  IntegratorMemory memory;
  ContactFinder contacts;
  MissingSolvers missing_solvers;
  bool is_half_done = false;  // the last step was interrupted
  std::shared_ptr<const ThreadPool> threads = std::make_shared<const ThreadPool>(1);

  explicit Stages(const Method& method)
      : stepping(create<Stepping>(Kind::stepping, method.stepping, "stepping")),
        integrator(create<Integrator>(Kind::integrator, method.integrator, "integrator")),
        broadphase(create<Broadphase>(Kind::broadphase, method.broadphase, "broadphase")),
        narrowphase(create<Narrowphase>(Kind::narrowphase, method.narrowphase, "narrowphase")),
        solvers(make_solvers(method)),
        sleep_rule(create<SleepRule>(Kind::sleep, method.sleep, "sleep")),
        missing_solvers(method) {
    for (const Choice& choice : method.validators)
      validators.push_back(create<Validator>(Kind::validator, choice, "validators"));
    validator_memory.resize(validators.size());
  }

  /// Call this before a step changes poses.
  void begin_poses(const World& world) {
    ++poses_version;
    contact_index.clear();
    if (keeps_poses) previous_poses.take(world);
  }

  void begin_validation(World& world, double time, double h, std::vector<std::string>& reports) {
    const StageScope scope(Stage::validation);
    step_ = h;
    for (std::size_t i = 0; i < validators.size(); ++i) {
      ValidatorContext context{world, contacts.contacts(), time, step_, validator_memory[i], reports};
      validators[i]->begin(context);
    }
  }
  void end_validation(World& world, double time, std::vector<std::string>& reports) {
    for (std::size_t i = 0; i < validators.size(); ++i) {
      ValidatorContext context{world, contacts.contacts(), time, step_, validator_memory[i], reports};
      validators[i]->validate(context);
    }
  }

 private:
  double step_ = 0;  // s, of the current step
};

}  // namespace rigor
