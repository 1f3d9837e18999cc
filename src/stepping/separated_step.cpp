// The collision–contact-separated step (3.8.1; Guendelman, Bridson, Fedkiw 2003): velocities and positions are updated separately,
// collisions before the velocity update, resting contacts after it. So bouncing and resting need no threshold: a body at rest
// meets its contact with the velocity of one step of gravity, after the collisions are solved.
//
// Contacts are found at the predicted positions. The position update is the integrator's force-free motion, so that every
// integrator works; those of higher order gain nothing here.
#include "registry/entry.h"
#include "stepping/continuous.h"
#include "stepping/max_step.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class SeparatedStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    options_.fields(v);
    max_step_.fields(v);
  }

  void step(StepContext& c, double h) override {
    const int parts = max_step_.parts(h);
    const double start = c.time;
    for (int i = 0; i < parts; ++i) {
      step_once(c, h / parts);
      if (parts > 1) c.time = start + h * (i + 1) / parts;
    }
  }

 private:
  void step_once(StepContext& c, double h) {
    collide(c, h);
    update_velocities(c, h);
    resist(c, h);
    const ContinuousCollision fast_bodies(c.world);
    c.dynamics.set_force_free(true);
    integrate(c, h);
    c.dynamics.set_force_free(false);
    fast_bodies.stop_at_obstacles(c.world, h, c.contact_envelope, c.time);
    if (c.corrects_errors) c.constraints.correct_errors();
    c.constraints.report_open_joints(c.reports);
    c.constraints.report_trouble(c.reports);
    c.constraints.sum_impulses();
    c.constraints.finish(c.world, c.broken_joints, h);
  }

  static void collide(StepContext& c, double h) {
    find_contacts_ahead(c, h, /*with_forces=*/true);
    StepSettings settings = c.settings;
    settings.impacts_at_once = true;
    c.constraints.prepare(c.world, c.contacts.contacts(), c.solvers, settings, c.step, h, c.threads);
    if (c.constraints.solve_collisions()) c.dynamics.memory().step_size = 0;
  }

  void resist(StepContext& c, double h) {
    find_contacts_ahead(c, h, /*with_forces=*/false);
    StepSettings settings = c.settings;
    settings.impacts = false;  // collisions are solved
    settings.forces_acted = h;
    c.constraints.prepare(c.world, c.contacts.contacts(), c.solvers, settings, c.step, h, c.threads);
    c.dynamics.clear_forces();  // they have acted
    StepOptions options = options_.options();
    options.evaluation = Evaluation::lazy;  // there is one evaluation only
    options.correct_errors = c.corrects_errors;
    c.constraints.solve_constraints(/*gyroscopic=*/false, options, [] {});
    c.constraints.apply_velocities();
  }

  StepOptionFields options_;
  MaxStepField max_step_;
};

}  // namespace

Entry register_separated_step() {
  return {Kind::stepping,
          "collision-contact-separated",
          "collisions, velocities, resting contacts, positions",
          "Guendelman, Bridson, Fedkiw 2003; Garstenauer 2006, 3.8.1",
          {"impulses-only"},
          make_default<SeparatedStep>,
          {}};
}

}  // namespace rigor
