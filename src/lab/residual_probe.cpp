#include "lab/residual_probe.h"

#include <numeric>

#include "solvers/velocity_rows.h"
#include "world/stages.h"

namespace rigor {

namespace {

/// Sets `count` iterations in every solver that has them; true if any does.
bool set_iterations(Method& method, int count) {
  bool any = false;
  for (const char* slot : {"solver.collision", "solver.contact", "solver.joint"})
    for (const char* key : {".iterations", ".lcp.iterations"}) {
      Method changed = method;
      try {
        set(changed, slot + std::string(key), std::int64_t{count});
        check(changed);
      } catch (const Error&) {
        continue;  // it has no such parameter
      }
      method = changed;
      any = true;
    }
  return any;
}

/// One step's rows from the present state, solved by the method's own solvers; negative if there is no residual.
double residual_of(World world, const Method& method, double time, double h) {
  Simulation found(world, method);
  found.find_contacts();
  ContactList contacts = found.contacts();
  const SolverSet solvers = make_solvers(method);
  const ThreadPool threads(1);
  world.evaluate_forces(time);
  ConstraintStage stage;
  const StepSettings settings{method.restitution_threshold, method.stick_speed};
  stage.prepare(world, contacts, solvers, settings, 0, h, threads);
  if (stage.rows().blocks.empty()) return -1;
  stage.solve_constraints(method.gyroscopic, {}, [] {});
  std::vector<int> blocks(stage.rows().blocks.size());
  std::iota(blocks.begin(), blocks.end(), 0);
  const SolverContext context{stage.rows(),
                              blocks,
                              stage.bodies(),
                              world.state(),
                              stage.list(),
                              stage.row_settings(),
                              solvers.correction->correction(),
                              0,
                              threads};
  return velocity_residual(context);
}

bool solves_velocities(const Method& method) {
  const Entry& stepping = entry(Kind::stepping, method.stepping.name, "stepping");
  if (has_capability(stepping, "solves-constraints")) return false;
  const SolverSet solvers = make_solvers(method);
  return solvers.contact->level() == SolverLevel::velocity && solvers.joint->level() == SolverLevel::velocity;
}

}  // namespace

std::vector<double> residuals_over_iterations(const World& world, const Method& method, double time, double h,
                                              int most) {
  std::vector<double> residuals;
  if (!solves_velocities(method)) return residuals;
  for (int k = 1; k <= most; ++k) {
    Method limited = method;
    const bool iterates = set_iterations(limited, k);
    const double residual = residual_of(world, limited, time, h);
    if (residual < 0 || !std::isfinite(residual)) break;
    residuals.push_back(residual);
    if (!iterates) break;
  }
  return residuals;
}

}  // namespace rigor
