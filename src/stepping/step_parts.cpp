#include "stepping/step_parts.h"

#include <algorithm>

#include "integrators/motion.h"
#include "integrators/rotation.h"
#include "rigor/interruption.h"
#include "rigor/profile.h"
#include "state/callback_scope.h"
#include "stepping/continuous.h"

namespace rigor {

void StepOptionFields::fields(FieldVisitor& v) {
  v.flag("shock_propagation", shock_propagation_,
         "a second contact pass from the ground upwards, with all bodies below immovable");
  v.choice("evaluation", evaluation_, {"automatic", "lazy", "moderate", "eager"},
           "constraints inside multi-stage integrators: forces at every stage and impulses once (automatic), all once "
           "(lazy), all at every stage (moderate), or with contact detection (eager)");
}

StepOptions StepOptionFields::options() const {
  StepOptions o;
  o.shock_propagation = shock_propagation_;
  o.evaluation = evaluation_ == "lazy"       ? Evaluation::lazy
                 : evaluation_ == "moderate" ? Evaluation::moderate
                 : evaluation_ == "eager"    ? Evaluation::eager
                                             : Evaluation::automatic;
  return o;
}

void find_contacts(StepContext& c, double keep_within, double ahead) {
  throw_if_interrupted();
  const auto find = [&] {
    c.contacts.find(c.world, c.search.broadphase, c.search.narrowphase, c.contact_envelope, c.threads, keep_within,
                    ahead);
  };
  find();
  // Contacts within an island that has just woken are missing: both bodies of each were asleep.
  if (c.search.may_wake &&
      c.search.sleep.wake_touched(c.world, c.search.sleep_rule, c.contacts.contacts(), c.search.step))
    find();
  if (c.search.modifier)
    c.contacts.modify(c.world, [&](Contact& contact) {
      ContactChange change(contact);
      const CallbackScope callback(c.world);
      (*c.search.modifier)(c.world, change);
    });
}

void KeepField::fields(FieldVisitor& v) {
  v.number("keep", keep_,
           {"1", 0, 1,
            "contacts of polyhedra are reused while the bodies move relative to each other by less than this fraction "
            "of the contact envelope; with velocity-level contact solvers"});
}

void KeepField::find_contacts(StepContext& c) const {
  const bool may_keep = keep_ > 0 && c.solvers.contact->level() == SolverLevel::velocity;
  rigor::find_contacts(c, may_keep ? keep_ * c.contact_envelope : 0);
  if (may_keep) measure_separations(c.contacts.contacts(), c.world);
}

void find_contacts_ahead(StepContext& c, double h, bool with_forces) {
  BodyState& s = c.world.state();
  if (c.search.may_wake && s.begin(BodySet::sleeping) != s.end(BodySet::sleeping))
    find_contacts(c);  // waking changes slots
  if (with_forces) c.dynamics.evaluate_outside(c.time);
  std::vector<Vec3> position = s.position;
  std::vector<Quat> orientation = s.orientation;
  for (std::uint32_t i = 0; i < s.end(BodySet::kinematic); ++i) {
    Vec3 v = s.velocity[i], w = s.angular_velocity[i];
    if (with_forces && i < s.awake()) {
      v += (h * s.inverse_mass[i]) * s.force[i];
      w += h * angular_velocity_of(s.orientation[i], s.inverse_inertia[i], s.torque[i]);
    }
    position[i] += h * v;
    orientation[i] = turned(orientation[i], w, h);
  }
  find_contacts_at(c, position, orientation);
}

namespace {

/// A point of a surface as found at the orientation `ahead`, in the frame of a body that is still at `now`.
///
/// A wheel touches the ground below its center, not at the material point that will touch later: the lever arm r is kept as
/// found. Only the effect of the rotation θ on the gap is undone, −(θ × r)·n, to first order as in the rows. So a
/// corner has its present distance, and a ball, for which that term vanishes, gets no torque from its own weight.
Vec3 brought_back(const Vec3& local, const Vec3& n, const Quat& ahead, const Quat& now) {
  const Vec3 r = rotate(ahead, local), turn = rotation_vector(ahead * conjugate(now));
  return rotate_inverse(now, r - dot(cross(turn, r), n) * n);
}

/// The two points coincide at the predicted poses and are separated along the surfaces now, by the motion of the bodies: a wheel's point on the ground is
/// still below the wheel. The point of the moving body is used, or else that of the body that is rounder there, whose lever arm is
/// closer to the normal.
void bring_together(const BodyState& s, std::uint32_t a, std::uint32_t b, const Vec3& n, ContactPoint& p) {
  const Vec3 r_a = rotate(s.orientation[a], p.local_a), r_b = rotate(s.orientation[b], p.local_b);
  const Vec3 apart = (s.position[b] + r_b) - (s.position[a] + r_a), along = apart - dot(apart, n) * n;
  const bool follows_b = a >= s.awake() || (b < s.awake() && length(cross(r_b, n)) < length(cross(r_a, n)));
  if (follows_b)
    p.local_a = rotate_inverse(s.orientation[a], r_a + along);
  else
    p.local_b = rotate_inverse(s.orientation[b], r_b - along);
}

/// Converts contacts that were found at the orientations `ahead` to the present poses.
void bring_back(StepContext& c, const std::vector<Quat>& ahead) {
  const BodyState& s = c.world.state();
  for (Contact& contact : c.contacts.contacts()) {
    const std::uint32_t a = c.world.slot(contact.a), b = c.world.slot(contact.b);
    for (int i = 0; i < contact.count; ++i) {
      ContactPoint& p = contact.points[static_cast<std::size_t>(i)];
      if (ahead[a] != s.orientation[a]) p.local_a = brought_back(p.local_a, contact.normal, ahead[a], s.orientation[a]);
      if (ahead[b] != s.orientation[b]) p.local_b = brought_back(p.local_b, contact.normal, ahead[b], s.orientation[b]);
      bring_together(s, a, b, contact.normal, p);
    }
  }
}

}  // namespace

void find_contacts_at(StepContext& c, const std::vector<Vec3>& position, const std::vector<Quat>& orientation) {
  BodyState& s = c.world.state();
  const bool may_wake = std::exchange(c.search.may_wake, false);
  const std::vector<Vec3> present_position = s.position;
  const std::vector<Quat> present_orientation = s.orientation;
  for (std::uint32_t i = 0; i < s.end(BodySet::kinematic); ++i) {
    // The predicted position of a body that is fast for its size may be behind its obstacle: its present position is used.
    if (length(position[i] - s.position[i]) > half_width(*c.world.collision_shape(i))) continue;
    s.position[i] = position[i], s.orientation[i] = orientation[i];
  }
  find_contacts(c);
  const std::vector<Quat> ahead = s.orientation;
  s.position = present_position, s.orientation = present_orientation;
  bring_back(c, ahead);
  c.search.may_wake = may_wake;
}

void solve_and_move(StepContext& c, double h, const StepOptions& options) {
  ContinuousCollision fast_bodies(c.world);
  if (c.solvers.is_off()) {
    integrate(c, h);
    return;
  }
  ConstraintStage& constraints = c.constraints;
  c.settings.velocity_lag = c.integrator.velocity_lag();
  c.dynamics.evaluate_outside(c.time);
  constraints.prepare(c.world, c.contacts.contacts(), c.solvers, c.settings, c.step, h, c.threads);
  const bool velocities_jumped = constraints.solve_collisions();
  // A discrete change: the integrator's state from the motion before is no longer valid.
  if (velocities_jumped) c.dynamics.memory().step_size = 0;
  if (velocities_jumped && c.dynamics.forces_depend_on_velocity(c.time)) c.dynamics.evaluate_outside(c.time);
  const auto find_again = [&c] {
    const bool may_wake = std::exchange(c.search.may_wake, false);  // the integrator's arrays are by slot
    find_contacts(c);
    c.search.may_wake = may_wake;
  };
  StepOptions evaluated = options;
  evaluated.correct_errors = options.correct_errors && c.corrects_errors;
  if (options.evaluation == Evaluation::automatic && c.settings.velocity_lag == 0 && constraints.turns_with_joints())
    evaluated.evaluation = Evaluation::moderate;
  constraints.solve_constraints(c.dynamics.gyroscopic(), evaluated, find_again);
  c.dynamics.set_constraints(&constraints);
  integrate(c, h);
  c.dynamics.set_constraints(nullptr);
  if (options.continuous) fast_bodies.stop_at_obstacles(c.world, h, c.contact_envelope, c.time);
  if (evaluated.correct_errors) constraints.correct_errors();
  constraints.report_open_joints(c.reports);
  constraints.report_trouble(c.reports);
  constraints.sum_impulses();
  constraints.finish(c.world, c.broken_joints, h);
}

void integrate(StepContext& c, double h) {
  const StageScope scope(Stage::integration);
  c.integrator.integrate(c.dynamics, c.time, h);
}

void move_some(StepContext& c, std::span<const std::uint32_t> slots, double h) {
  if (c.integrator.move_freely(c.dynamics, slots, h)) return;
  // Moves all bodies, and moves the others back.
  BodyState& s = c.world.state();
  std::vector<Vec3> x = s.position, v = s.velocity, w = s.angular_velocity;
  std::vector<Quat> q = s.orientation;
  const IntegratorMemory memory = c.dynamics.memory();
  c.dynamics.set_force_free(true);
  integrate(c, h);
  c.dynamics.set_force_free(false);
  c.dynamics.memory() = memory;
  for (const std::uint32_t i : slots) {
    x[i] = s.position[i], v[i] = s.velocity[i];
    q[i] = s.orientation[i], w[i] = s.angular_velocity[i];
  }
  s.position = std::move(x), s.velocity = std::move(v);
  s.orientation = std::move(q), s.angular_velocity = std::move(w);
}

void update_velocities(StepContext& c, double h) {
  const StageScope scope(Stage::integration);
  c.dynamics.evaluate_outside(c.time);
  push_bodies(c.world.state(), h);
}

void push_bodies(BodyState& s, double h) { push_bodies(s, 0, s.awake(), h); }

void push_bodies(BodyState& s, std::uint32_t begin, std::uint32_t end, double h) {
  for (std::uint32_t i = begin; i < end; ++i) {
    s.velocity[i] += (h * s.inverse_mass[i]) * s.force[i];
    if (s.torque[i] == Vec3{}) continue;
    s.angular_velocity[i] += h * angular_velocity_of(s.orientation[i], s.inverse_inertia[i], s.torque[i]);
  }
}

StepSave::StepSave(StepContext& c)
    : state_(c.world.state()),
      contacts_(c.contacts),
      memory_(c.dynamics.memory()),
      impulses_(c.constraints.impulses()),
      reports_(c.reports.size()),
      broken_joints_(c.broken_joints.size()),
      reported_(c.constraints.reported()) {
  c.search.may_wake = false;  // a body that woke would have changed its slot
  c.world.for_each_joint([&](JointId, const JointDef&, JointState& s) { joints_.push_back(s); });
}

void StepSave::restore(StepContext& c) const {
  c.world.state() = state_;
  c.contacts = contacts_;
  c.dynamics.memory() = memory_;
  c.constraints.impulses() = impulses_;
  c.reports.resize(reports_);
  c.broken_joints.resize(broken_joints_);
  c.constraints.reported() = reported_;
  std::size_t k = 0;
  c.world.for_each_joint([&](JointId, const JointDef&, JointState& s) { s = joints_[k++]; });
}

double deepest(const ContactList& contacts) {
  double depth = -std::numeric_limits<double>::infinity();
  for (const Contact& contact : contacts)
    for (int i = 0; i < contact.count; ++i)
      depth = std::max(depth, -contact.points[static_cast<std::size_t>(i)].separation);
  return depth;
}

}  // namespace rigor
