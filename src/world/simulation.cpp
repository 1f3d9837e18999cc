// Simulates one world by one method: the outer loop of 7.5.7.
#include "rigor/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/clear_list.h"
#include "registry/extension_call.h"
#include "rigor/interruption.h"
#include "rigor/profile.h"
#include "rigor/queries.h"
#include "state/callback_scope.h"
#include "state/object_names.h"
#include "world/doubtful_parts.h"
#include "world/stages.h"

namespace rigor {

namespace {

/// The limit of scene files. Longer steps stay finite, but their snapshots could not be read again.
constexpr double kLongestStep = 1e9;  // s

/// One thread checks fewer of them faster than other threads wake up; chosen.
constexpr std::size_t kManyContacts = 4096;

void check_seconds(double h, const char* place) {
  if (!(h > 0 && h <= kLongestStep)) throw Error(place, "expected a positive number of seconds, at most 1e9");
}

void check(const TimeSettings& t) {
  const auto positive = [](double v, const char* name) {
    if (!(std::isfinite(v) && v > 0)) throw Error(name, "expected a positive number");
  };
  check_seconds(t.step, "step");
  check_seconds(t.min_step, "min_step");
  check_seconds(t.max_step, "max_step");
  positive(t.max_advance, "max_advance");
  positive(t.speed_up, "speed_up");
  if (t.min_step > t.max_step) throw Error("min_step", "it must not be larger than max_step");
}

}  // namespace

thread_local const InterruptibleThread* InterruptibleThread::innermost_ = nullptr;

void throw_if_interrupted() {
  for (const InterruptibleThread* t = InterruptibleThread::innermost_; t; t = t->outer_)
    if (t->interruption_ && t->interruption_->is_due()) throw Interrupted();
}

Simulation::Simulation(World world, Method method, TimeSettings time)
    : world_(std::move(world)), method_(std::move(method)), settings_(time) {
  rigor::check(method_);
  check(settings_);
  stages_ = std::make_unique<Stages>(method_);
  reports_ = doubtful_parts(world_);
  for (std::string& sentence : features_not_honoured(world_, method_)) reports_.push_back(std::move(sentence));
}

Simulation::Simulation(const Simulation& other)
    : world_((static_cast<void>(other.stages()), other.world_)),  // Error if the other one was moved from
      method_(other.method_),
      settings_(other.settings_),
      time_(other.time_),
      target_time_(other.target_time_),
      steps_(other.steps_),
      evaluations_(other.evaluations_),
      threads_(other.threads_),
      reports_(other.reports_),
      events_(other.events_),
      event_settings_(other.event_settings_),
      listener_(other.listener_),
      before_step_(other.before_step_),
      after_step_(other.after_step_),
      user_validators_(other.user_validators_),
      contact_modifier_(other.contact_modifier_),
      stages_(std::make_unique<Stages>(other.method_)),
      saved_world_(other.saved_world_),
      saved_method_(other.saved_method_) {
  const Stages& from = other.stages();
  stages_->memory = from.memory;
  stages_->contacts = from.contacts;
  stages_->sleep = from.sleep;
  stages_->contact_events = from.contact_events;
  stages_->sensors = from.sensors;
  stages_->previous_poses = from.previous_poses;
  stages_->keeps_poses = from.keeps_poses;
  stages_->validator_memory = from.validator_memory;
  stages_->missing_solvers = from.missing_solvers;
  stages_->is_half_done = from.is_half_done;
  set_threads(other.threads_);
}
Simulation& Simulation::operator=(const Simulation& other) {
  refuse_within_step("simulation");
  return *this = Simulation(other);
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Simulation::Stages& Simulation::stages() const {
  if (!stages_) throw Error("simulation", "it was moved from and is empty; assign another one to it");
  return *stages_;
}

void Simulation::refuse_within_step(const char* place) const {
  if (phase_ == Phase::step)
    throw Error(place, "a step is being made; functions that it calls cannot change the simulation");
}

void Simulation::set_listener(Listener listener) { listener_ = Callback<Listener>(std::move(listener)); }
void Simulation::set_before_step(StepCallback callback) { before_step_ = Callback<StepCallback>(std::move(callback)); }
void Simulation::set_after_step(StepCallback callback) { after_step_ = Callback<StepCallback>(std::move(callback)); }
void Simulation::add_validator(UserValidator validator) {
  if (!validator) throw Error("validator", "expected a function");
  user_validators_.emplace_back(std::move(validator));
}
void Simulation::set_contact_modifier(ContactModifier modifier) {
  contact_modifier_ = Callback<ContactModifier>(std::move(modifier));
  if (phase_ != Phase::step) stages().contacts.forget_pairs();  // cached contacts hold the values of the old one
}

void Simulation::set_method(const Method& method) {
  refuse_within_step("method");
  rigor::check(method);
  // The caches of the replaced stages are dropped; contacts and their impulses stay, matched by key.
  auto stages = std::make_unique<Stages>(method);
  Stages& old = this->stages();
  stages->contacts = std::move(old.contacts);
  stages->contacts.forget_pairs();
  stages->sleep = std::move(old.sleep);
  stages->contact_events = std::move(old.contact_events);
  stages->sensors = std::move(old.sensors);
  stages->previous_poses = std::move(old.previous_poses);
  stages->keeps_poses = old.keeps_poses;
  stages->threads = old.threads;
  stages->is_half_done = old.is_half_done;
  stages->constraints.impulses().records = old.constraints.impulses().records;
  stages_ = std::move(stages);
  method_ = method;
  for (std::string& sentence : features_not_honoured(world_, method_)) reports_.push_back(std::move(sentence));
}

void Simulation::set_time_settings(const TimeSettings& settings) {
  check(settings);
  settings_ = settings;
}

void Simulation::set_threads(int threads) {
  if (threads < 0 || threads > 1024) throw Error("threads", "expected a number from 0 to 1024");
  refuse_within_step("threads");
  stages().threads = std::make_shared<const ThreadPool>(threads);
  threads_ = threads;
}

const ContactList& Simulation::contacts() const { return stages().contacts.contacts(); }

BodyContacts Simulation::contacts_of(BodyId id) const {
  world_.slot(id);  // Error if there is no such body
  return stages().contact_index.of(contacts(), id);
}

std::span<const SensorOverlap> Simulation::sensor_overlaps() const { return stages().sensors.overlaps(); }
std::span<const SensorOverlap> Simulation::sensor_overlaps(BodyId sensor) const {
  if (!world_.is_sensor(sensor)) throw Error("body " + quoted(world_.name(sensor)), "it is not a sensor");
  return stages().sensors.overlaps(sensor);
}

const Queries& Simulation::queries() const {
  Stages& stages = this->stages();
  // Poses change only by steps and by changes of definitions; velocities that were set since take effect after the next step.
  const std::array<std::uint64_t, 3> version{world_.epoch(), world_.definitions_version(), stages.poses_version};
  if (!stages.queries)
    stages.queries.emplace(world_);
  else if (stages.queries_version != version)
    stages.queries->update(world_);
  stages.queries_version = version;
  return *stages.queries;
}

void Simulation::keep_previous_poses(bool on) {
  stages().previous_poses.clear();
  stages().keeps_poses = on;
}

Transform Simulation::pose_at(BodyId id, double alpha) const {
  if (!stages().keeps_poses)
    throw Error("pose_at", "previous poses are not stored; call keep_previous_poses(true) first");
  if (!std::isfinite(alpha)) throw Error("pose_at", "expected a finite number");
  return stages().previous_poses.pose_at(world_, id, alpha);
}

double Simulation::alpha() const {
  const double h = settings_.fixed ? settings_.step : settings_.max_step;
  return std::clamp((target_time_ - time_) / h, 0.0, 1.0);
}

StepStatistics Simulation::statistics() const {
  const auto of = [](const SolverReport& r) { return SolverStatistics{r.iterations, r.residual, r.converged}; };
  const SolverReports& r = stages().constraints.reports();
  return {of(r.collision), of(r.contact), of(r.joint), of(r.correction), stages().constraints.residual()};
}

void Simulation::find_contacts() {
  refuse_within_step("find_contacts");
  if (stages().broadphase->is_off())
    throw Error("find_contacts", "the method's broad phase is 'none', which finds no pairs; choose another one");
  stages_->contacts.find(world_, *stages().broadphase, *stages().narrowphase, method_.contact_envelope,
                         *stages().threads);
  stages_->contact_index.clear();
  if (const auto modifier = contact_modifier_.hold()) {
    const struct PhaseGuard {
      Phase& phase;
      Phase before;
      ~PhaseGuard() { phase = before; }
    } guard{phase_, phase_};
    phase_ = Phase::step;
    stages_->contacts.modify(world_, [&](Contact& contact) {
      ContactChange change(contact);
      const CallbackScope callback(world_);
      (*modifier)(world_, change);
    });
  }
}

std::vector<BroadphaseBox> Simulation::broadphase_tree() const {
  std::vector<BroadphaseBox> boxes;
  stages().broadphase->list_tree(boxes);
  return boxes;
}

void Simulation::step(double h) {
  check_seconds(h, "step");
  if (phase_ != Phase::idle) throw Error("step", "a step is being made; callbacks cannot make another one");
  if (stages().is_half_done) throw Error("step", "the last one was not finished; restore a snapshot from before it");
  const StageScope scope(Stage::step);
  const struct PhaseGuard {
    Phase& phase;
    ~PhaseGuard() { phase = Phase::idle; }
  } guard{phase_};
  phase_ = Phase::callback;
  bool has_moved = false;
  try {
    if (const auto callback = before_step_.hold()) (*callback)(*this);
    phase_ = Phase::step;
    clear_list(events_);
    stages().begin_poses(world_);  // Error if the callback has moved this simulation away
    world_.limit_damping(h);
    stages_->sleep.wake(world_, *stages_->sleep_rule, time_);
    stages_->begin_validation(world_, time_, h, reports_);
    std::vector<JointId> overloaded;
    make_step(h, overloaded);
    has_moved = true;
    stages_->contact_index.clear();
    ++stages_->poses_version;  // functions within the step may have called it
    world_.clear_step_forces();
    time_ += h;
    target_time_ = std::max(target_time_, time_);
    ++steps_;
    break_joints(overloaded);
    for (const std::string& name : world_.remove_ended_forces(time_)) reports_.push_back("force '" + name + "' ended");
    stages_->sleep.put_to_sleep(world_, *stages_->sleep_rule, stages_->constraints.list(), time_, h);
    validate();
    find_events();
    phase_ = Phase::callback;
    deliver_events();
    if (const auto callback = after_step_.hold()) (*callback)(*this);
  } catch (const Interrupted&) {
    stages_->is_half_done = true;
    throw;
  } catch (const ExtensionFailure&) {
    stages_->is_half_done = true;
    throw;
  } catch (...) {
    if (has_moved && phase_ == Phase::step) stages_->is_half_done = true;  // a validator of the user
    throw;
  }
}

void Simulation::make_step(double h, std::vector<JointId>& overloaded) {
  Stages& stages = *stages_;
  stages.constraints.impulses().clear();
  const std::shared_ptr<const ContactModifier> modifier = contact_modifier_.hold();
  Dynamics dynamics(world_, method_.gyroscopic, stages.memory, stages.threads.get());
  StepContext context{.world = world_,
                      .dynamics = dynamics,
                      .integrator = *stages.integrator,
                      .contacts = stages.contacts,
                      .search = {.broadphase = *stages.broadphase,
                                 .narrowphase = *stages.narrowphase,
                                 .sleep = stages.sleep,
                                 .sleep_rule = *stages.sleep_rule,
                                 .modifier = modifier.get(),
                                 .step = h},
                      .solvers = stages.solvers,
                      .constraints = stages.constraints,
                      .settings = {method_.restitution_threshold, method_.stick_speed},
                      .threads = *stages.threads,
                      .contact_envelope = method_.contact_envelope,
                      .time = time_,
                      .step = steps_,
                      .broken_joints = overloaded,
                      .reports = reports_};
  try {
    stages.stepping->step(context, h);
  } catch (...) {
    stages.is_half_done = true;  // bodies are somewhere between the start and the end of the step
    throw;
  }
  evaluations_ = dynamics.evaluations();
  if (stages.constraints.impulses().records) complete_impulses(h);
}

void Simulation::record_impulses(bool on) {
  stages().constraints.impulses().records = on;
  stages().constraints.impulses().by_constraint().clear();
}

const std::vector<ConstraintImpulse>& Simulation::impulses() const {
  return stages().constraints.impulses().by_constraint();
}

/// For contacts and joints whose rows did not record impulses: takes those that they report, at the present poses.
void Simulation::complete_impulses(double h) {
  std::vector<ConstraintImpulse>& all = stages_->constraints.impulses().by_constraint();
  const BodyState& s = world_.state();
  bool has_contacts = false;
  std::vector<bool> has_joint;
  for (const ConstraintImpulse& i : all) {
    if (i.source == ConstraintImpulse::Source::contact) has_contacts = true;
    if (i.source != ConstraintImpulse::Source::joint) continue;
    if (i.joint.index >= has_joint.size()) has_joint.resize(i.joint.index + 1);
    has_joint[i.joint.index] = true;
  }
  const auto act = [&](ConstraintImpulse& of, const Vec3& at, const Vec3& impulse, const Vec3& turn) {
    of.linear_b = impulse;
    of.linear_a = -impulse;
    of.angular_b = cross(at - s.position[world_.slot(of.b)], impulse) + turn;
    of.angular_a = -(cross(at - s.position[world_.slot(of.a)], impulse) + turn);
  };
  if (!has_contacts)
    for (const Contact& c : contacts())
      for (int k = 0; k < c.count; ++k) {
        const ContactPoint& p = c.points[static_cast<std::size_t>(k)];
        const Vec3 across = cross(c.normal, c.tangent);
        const Vec3 impulse =
            p.normal_impulse * c.normal + p.tangent_impulse[0] * c.tangent + p.tangent_impulse[1] * across;
        const Vec3 turn =
            p.spinning_impulse * c.normal + p.rolling_impulse[0] * c.tangent + p.rolling_impulse[1] * across;
        if (p.normal_impulse == 0 || !world_.contains(c.a) || !world_.contains(c.b)) continue;
        const std::uint32_t a = world_.slot(c.a), b = world_.slot(c.b);
        ConstraintImpulse of;
        of.a = c.a;
        of.b = c.b;
        of.part_a = c.part_a;
        of.part_b = c.part_b;
        of.key = p.key;
        act(of,
            0.5 * (s.position[a] + rotate(s.orientation[a], p.local_a) + s.position[b] +
                   rotate(s.orientation[b], p.local_b)),
            impulse, turn);
        all.push_back(of);
      }
  world_.for_each_joint([&](JointId id, const JointDef& def, const JointState& state) {
    if (!def.active || state.broken || (id.index < has_joint.size() && has_joint[id.index])) return;
    if (state.force == Vec3{} && state.torque == Vec3{}) return;
    ConstraintImpulse of;
    of.source = ConstraintImpulse::Source::joint;
    of.a = def.a;
    of.b = def.b;
    of.joint = id;
    act(of, world_.to_world(def.b, def.frame_b.translation), h * state.force, h * state.torque);
    all.push_back(of);
  });
}

void Simulation::break_joints(const std::vector<JointId>& overloaded) {
  for (const JointId id : overloaded) {
    if (!world_.contains(id) || world_.joint_state(id).broken) continue;
    const JointDef& def = world_.joint(id);
    reports_.push_back(report_name(def, id) + " broke");
    Event event{Event::Kind::joint_broken, time_, def.a, def.b, id, 0, 0, {}, {}};
    event.point = world_.to_world(def.b, def.frame_b.translation);
    events_.push_back(event);
    world_.set_joint_broken(id, true);
  }
}

void Simulation::validate() {
  const StageScope scope(Stage::validation);
  Stages& stages = *stages_;
  stages.missing_solvers.report(world_, stages.contacts.contacts(), reports_);
  stages.end_validation(world_, time_, reports_);
  // A copy of the list: a validator may add or clear validators.
  std::vector<std::shared_ptr<UserValidator>> user_validators;
  for (const Callback<UserValidator>& validator : user_validators_) user_validators.push_back(validator.hold());
  for (const std::shared_ptr<UserValidator>& validate : user_validators) (*validate)(world_, time_, reports_);
  for (const BodyId id : world_.take_removed())
    events_.push_back({Event::Kind::body_removed, time_, id, {}, {}, 0, 0, {}, {}});
}

void Simulation::find_events() {
  const StageScope scope(Stage::events);
  for (const SleepChange& change : stages_->sleep.take_changes())
    events_.push_back(
        {change.asleep ? Event::Kind::body_asleep : Event::Kind::body_awake, time_, change.body, {}, {}, 0, 0, {}, {}});
  {
    const ContactList& contacts = stages_->contacts.contacts();
    const ThreadPool::Awake threads(*stages_->threads, contacts.size() >= kManyContacts);
    stages_->contact_events.update(world_, contacts, stages_->constraints.impulses(), time_, event_settings_,
                                   *stages_->threads, events_);
  }
  stages_->sensors.update(world_, time_, events_);
  std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    const auto rank = [](Event::Kind k) { return std::min(k, Event::Kind::contact_begin); };
    return rank(a.kind) < rank(b.kind);
  });
}

void Simulation::deliver_events() {
  if (!listener_) return;
  const std::vector<Event> delivered = events_;  // a listener may restore a snapshot, which drops them
  for (const Event& event : delivered)
    if (const auto listener = listener_.hold()) (*listener)(*this, event);
}

SleepState Simulation::sleep_state(BodyId id) const { return stages().sleep.state_of(world_, id, time_); }

void Simulation::put_to_sleep(BodyId id) {
  refuse_within_step("put_to_sleep");
  const std::string place = "body " + quoted(world_.name(id));
  if (world_.is_fixed(id) || !world_.is_active(id)) throw Error(place, "only an active body that is not fixed sleeps");
  if (stages().sleep_rule->is_off()) throw Error(place, "the method has no sleep; choose a rule for 'sleep'");
  stages_->sleep.put_to_sleep_now(world_, contacts(), id, time_);
}

void Simulation::reset() {
  refuse_within_step("reset");
  const std::shared_ptr<const ThreadPool> threads = stages().threads;
  const bool keeps_poses = stages().keeps_poses;
  world_.reset();
  stages_ = std::make_unique<Stages>(method_);
  stages_->threads = threads;
  stages_->keeps_poses = keeps_poses;
  time_ = target_time_ = 0;
  steps_ = 0;
  evaluations_ = {};
  reports_.clear();
  events_.clear();
}

std::string Simulation::why_awake(BodyId id) const {
  return stages().sleep.why_awake(world_, *stages().sleep_rule, id);
}

int Simulation::advance(double dt) {
  if (!(std::isfinite(dt) && dt >= 0)) throw Error("advance", "expected a number of seconds, not negative");
  stages();  // Error if it was moved from
  if (phase_ != Phase::idle) throw Error("advance", "a step is being made; callbacks cannot make another one");
  target_time_ += std::min(dt * settings_.speed_up, settings_.max_advance);
  // True if no body moves or sleeps. A change of forces may wake a sleeping body, and only steps detect it.
  if (world_.state().end(BodySet::sleeping) == 0) time_ = target_time_;

  const std::uint64_t begin = steps_;
  while (time_ < target_time_) {
    double h = std::clamp(target_time_ - time_, settings_.min_step, settings_.max_step);
    if (settings_.fixed) h = settings_.step;
    // Sums of equal steps miss their target by rounding; that must not cost a step.
    if (time_ + h > target_time_ + 1e-9 * h) break;
    if (time_ + h == time_) throw Error("advance", "the time step is too small to change the time");
    step(h);
  }
  return static_cast<int>(steps_ - begin);
}

std::vector<std::string> Simulation::take_reports() { return std::exchange(reports_, {}); }

}  // namespace rigor
