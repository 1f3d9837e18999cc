// The step of Bender and Schmitt (2006, 4, fig. 1): joint impulses are computed from a prediction of the joints' state.
//
//   find contacts, write rows
//   contacts            the solvers of the slots, which see the joints' rows too; only the contacts' forces are used
//   joint correction    impulses at the start of the step, until the joints of the predicted state are within `tolerance`
//   move                the last prediction, by any integrator
//   velocity correction impulses at the end of the step
//
// Contacts are held by forces that are constant in a step, so bodies sink in by about g h² per step: a step with contacts that is
// longer than `max_contact_step` is taken in equal parts. Joints alone need no such bound.
//
// There is no drift: every step aims at valid joints. Each prediction is a run of the integrator, so forces that change within a
// step are followed at its order; the joints themselves are of second order (joint_residuals.h).
#include "registry/entry.h"
#include "stepping/continuous.h"
#include "stepping/max_step.h"
#include "stepping/predicted_joints.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class ImpulsePrediction final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.choice("joints", joints_, {"at-once", "one-by-one"},
             "impulses of all joints by one linear system, or joint after joint");
    v.flag("accelerate", accelerate_,
           "joint after joint: iterations of many visits by conjugate gradients, instead of one visit as in the paper");
    v.choice("loops", loops_, {"together", "apart"},
             "joints that close loops: in the linear system, or in a separate one within the iteration");
    v.number("tolerance", settings_.tolerance,
             {"m, rad", kPositive, 1, "largest error of a joint after a step; shrinks with h² below 10 ms"});
    v.number("velocity_tolerance", settings_.velocity_tolerance,
             {"m/s, rad/s", kPositive, 100,
              "largest error of a joint's velocity after a step; shrinks with h² below 10 ms"});
    v.integer("iterations", settings_.iterations, {"1", 1, 1000000, "most iterations of each correction"});
    v.integer("halvings", settings_.halvings,
              {"1", 0, 20, "how often a step may be halved if the joint correction does not converge"});
    v.integer("work", settings_.work,
              {"1", 1, 1000000000, "most iterations of a whole step: both corrections, all halves"});
    v.number("closing_speed", settings_.closing_speed,
             {"m/s, rad/s", kPositive, 1e6, "largest speed at which joints that are far open are closed"});
    v.flag("warm_start", settings_.warm_start,
           "the joint correction begins with the impulses that ended the last step");
    contact_step_.fields(v);
    v.flag("correct_velocities", settings_.correct_velocities, "the velocity correction; off: the next step does it");
  }

  void step(StepContext& c, double h) override {
    find_contacts(c);
    const int parts = c.contacts.contacts().empty() ? 1 : contact_step_.parts(h);
    const double start = c.time;
    for (int i = 0; i < parts; ++i) {
      if (i > 0) find_contacts(c);
      move(c, h / parts);
      if (parts > 1) c.time = start + h * (i + 1) / parts;
    }
  }

 private:
  /// One part of the step, with the contacts that were found.
  void move(StepContext& c, double h) {
    const ContinuousCollision fast_bodies(c.world);
    c.dynamics.evaluate_outside(c.time);
    c.settings.velocity_lag = c.integrator.velocity_lag();
    c.settings.keeps_rows = impulses().at_once();  // joint after joint needs prepared rows
    c.constraints.prepare(c.world, c.contacts.contacts(), c.solvers, c.settings, c.step, h, c.threads);
    if (c.constraints.has_contacts()) resist(c);
    c.dynamics.set_force_free(false);  // forces are evaluated for every prediction
    c.dynamics.set_constant(c.world.forces_are_constant(c.time));
    if (c.constraints.has_contacts()) c.dynamics.set_constraints(&c.constraints);
    motion_.move(c, h, settings_, impulses());
    c.dynamics.set_constraints(nullptr);
    fast_bodies.stop_at_obstacles(c.world, h, c.contact_envelope, c.time);
    c.constraints.correct_errors();
    std::string trouble = motion_.take_trouble();
    if (trouble.empty()) trouble = c.constraints.reports().joint.trouble;
    c.constraints.report_trouble(c.reports, trouble);
    c.constraints.sum_impulses();
    c.constraints.finish(c.world, c.broken_joints, h);
    motion_.remember(c);
  }

  /// Forces of the contacts, for the whole step.
  static void resist(StepContext& c) {
    if (c.constraints.solve_collisions()) {
      c.dynamics.memory().step_size = 0;
      if (c.dynamics.forces_depend_on_velocity(c.time)) c.dynamics.evaluate_outside(c.time);
    }
    StepOptions options;
    options.evaluation = Evaluation::lazy;
    options.joint_forces = false;
    c.constraints.solve_constraints(c.dynamics.gyroscopic(), options, [] {});
  }

  JointImpulses& impulses() {
    const std::string wanted = joints_ + loops_ + (accelerate_ ? "+" : "");
    if (!impulses_ || made_ != wanted) {
      impulses_ = joints_ == "one-by-one"
                      ? impulses_one_by_one(accelerate_)
                      : impulses_at_once(loops_ == "apart" ? LoopMethod::apart : LoopMethod::together);
      made_ = wanted;
    }
    return *impulses_;
  }

  std::string joints_ = "at-once", loops_ = "together";
  bool accelerate_ = true;
  PredictionSettings settings_;
  MaxStepField contact_step_{"max_contact_step", "longer steps with contacts are taken in equal parts, 1000 at most"};

  PredictedJoints motion_;
  std::unique_ptr<JointImpulses> impulses_;
  std::string made_;
};

}  // namespace

Entry register_impulse_prediction() {
  return {Kind::stepping,
          "impulse-prediction",
          "joints by impulses from a prediction of their state, to a tolerance; contacts by the solvers of the slots",
          "Bender, Schmitt 2006; Bender, Finkenzeller, Schmitt 2005",
          {"impulses-only", "solves-joints", "order:2", "lacks:error-reduction"},
          make_default<ImpulsePrediction>,
          {}};
}

}  // namespace rigor
