// The plainest step (3.8.1): everything is computed from the state at its start.
#include "registry/entry.h"
#include "stepping/stepping.h"

namespace rigor {

namespace {

class ExplicitStep final : public Stepping {
 public:
  void step(StepContext& c, double h) override {
    ConstraintStage& constraints = c.constraints;
    find_contacts(c);
    if (c.solvers.is_off()) return c.integrator.integrate(c.dynamics, c.time, h);
    c.dynamics.evaluate_outside(c.time);
    constraints.prepare(c.world, c.contacts.contacts(), c.solvers, c.settings, c.step, h, c.threads);
    const bool velocities_changed = constraints.solve_collisions();
    if (velocities_changed && c.dynamics.forces_depend_on_velocity(c.time)) c.dynamics.evaluate_outside(c.time);
    constraints.solve_constraints(c.dynamics.gyroscopic());
    c.dynamics.set_constraints(&constraints);
    c.integrator.integrate(c.dynamics, c.time, h);
    constraints.correct_errors();
    constraints.finish(c.world, c.reports);
  }
};

}  // namespace

Entry register_explicit_step() {
  return {Kind::stepping,
          "explicit",
          "contacts, collisions, forces, constraints, then velocities and positions",
          "Garstenauer 2006, 3.8.1",
          {},
          make_default<ExplicitStep>,
          {}};
}

}  // namespace rigor
