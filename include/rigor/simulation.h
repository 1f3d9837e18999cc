// One world, one method, and time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/events.h"
#include "rigor/impulses.h"
#include "rigor/method.h"
#include "rigor/snapshot.h"
#include "rigor/time_settings.h"
#include "rigor/world.h"

namespace rigor {

class Queries;

struct Energy {
  double kinetic = 0, potential = 0;  // J
  double total() const { return kinetic + potential; }
};

/// What the solver of one slot did in a step.
struct SolverStatistics {
  int iterations = 0;     // iterations, sweeps or pivots; 0: it had nothing to do
  double residual = 0;    // of its own problem, in its own norm; see its page
  bool converged = true;  // within its own tolerance
};

struct SleepState {
  bool asleep = false;
  double idle_time = 0;   // s since its speed was last above the sleep thresholds; 0 without a sleep method
  double sleep_time = 0;  // s since the body fell asleep; 0 if it is awake
};

struct StepStatistics {
  SolverStatistics collision, contact, joint, correction;  // slots that share a solver share the figures
  /// The same residual for all solvers of velocity level: the largest velocity by which a row misses its target, m/s or rad/s.
  /// Empty if no such solver ran, or if the step solves constraints itself.
  std::optional<double> residual;
};

class Simulation {
 public:
  explicit Simulation(World world = {}, Method method = default_method(), TimeSettings time = {});
  Simulation(const Simulation& other);
  Simulation& operator=(const Simulation& other);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();
  /// Continues from a snapshot.
  explicit Simulation(const Snapshot& snapshot);

  /// Must not be changed by functions that are called within a step: forces, filters, contact modifiers.
  World& world() { return world_; }
  const World& world() const { return world_; }

  const Method& method() const { return method_; }
  /// Between two steps only. Error, and nothing changed, when the method cannot work.
  void set_method(const Method& method);
  /// Empties the world (World::reset) and sets the time to 0; the method stays.
  void reset();
  const TimeSettings& time_settings() const { return settings_; }
  void set_time_settings(const TimeSettings& settings);

  /// Makes exactly one step: of the fixed size, or of `h` seconds.
  void step() { step(settings_.step); }
  void step(double h);
  /// Simulates `dt` seconds of the application's time; a remainder shorter than a step is carried over. Returns the number of steps.
  int advance(double dt);

  /// Contacts as of the start of the last step, or of the last find_contacts().
  const ContactList& contacts() const;
  /// The contacts of one body. The first call after a step sorts all contacts by their bodies.
  BodyContacts contacts_of(BodyId id) const;
  /// Called for every contact after each search for contacts, before the solvers see it; from one thread, in the order of the contacts. It must
  /// give the same answer for the same state and must not change the world. Null: none, which costs nothing.
  using ContactModifier = std::function<void(const World&, ContactChange&)>;
  void set_contact_modifier(ContactModifier modifier);
  /// Queries at the present poses. The first call after a step or a change of the world updates them, without copying shapes;
  /// valid until the next call.
  const Queries& queries() const;
  /// Bodies that overlap sensors at the end of the last step, by the sensors' ids.
  std::span<const SensorOverlap> sensor_overlaps() const;
  /// The bodies that overlap one sensor.
  std::span<const SensorOverlap> sensor_overlaps(BodyId sensor) const;
  /// Lets steps record the impulses of every contact point and joint. It costs a little time and changes nothing else.
  void record_impulses(bool on);
  /// Impulses of the last step, while they are recorded. A step that does not record them per constraint takes them from the impulses that contacts and
  /// joints report.
  const std::vector<ConstraintImpulse>& impulses() const;
  /// Finds contacts at the present state, without a step.
  void find_contacts();
  /// The tree of the broad phase after its last search, parents before children; empty if it has none.
  std::vector<BroadphaseBox> broadphase_tree() const;
  /// Threads that a step may use; 0: one per core. The result is the same for any number.
  void set_threads(int threads);
  int threads() const { return threads_; }

  // Poses between two steps, for applications that draw more or less often than they step.
  /// Lets steps store the poses of bodies at their start.
  void keep_previous_poses(bool on);
  /// The pose of the body frame between the start of the last step (alpha = 0) and now (alpha = 1). A body that was added or set since
  /// then has its present pose. Error unless poses are stored.
  Transform pose_at(BodyId id, double alpha) const;
  /// The alpha of the remainder that advance() has carried over: it shows the motion one step late and without jumps.
  double alpha() const;

  double time() const { return time_; }                // s
  double target_time() const { return target_time_; }  // s, the time that advance() aims at
  std::uint64_t steps() const { return steps_; }
  /// The number of force evaluations in the last step.
  int evaluations() const { return evaluations_; }
  /// Figures of the solvers in the last step. This call computes the shared residual, of the last sub-step if there are several.
  StepStatistics statistics() const;

  Energy energy() const { return {world_.kinetic_energy(), world_.potential_energy(time_)}; }
  /// A hash of everything that the next steps depend on: poses, velocities and sets of all bodies, contacts with their impulses,
  /// joint states, sleep, state of the integrator, time. Equal bits give equal hashes.
  std::uint64_t hash() const;

  /// Saves the complete state. It is cheap enough for every step; see snapshot.h.
  Snapshot save() const;
  /// The run continues bit for bit as it did from there; world, method and time are those of the snapshot. The events of the
  /// last step are dropped. Error if the snapshot is empty or, read from a file, inconsistent.
  void restore(const Snapshot& snapshot);

  // Events of the last step; the listener receives those of every step, after it. Callbacks may change world and method.
  const std::vector<Event>& events() const { return events_; }
  void set_event_settings(const EventSettings& settings) { event_settings_ = settings; }
  // A callback may replace itself and others; one that is running runs to its end. Making a step inside a callback is an Error.
  using Listener = std::function<void(Simulation&, const Event&)>;
  void set_listener(Listener listener);
  using StepCallback = std::function<void(Simulation&)>;
  void set_before_step(StepCallback callback);
  void set_after_step(StepCallback callback);

  /// Whether a body sleeps, and how long it has been idle and asleep.
  SleepState sleep_state(BodyId id) const;
  /// Puts a body to sleep with all awake bodies that contacts and joints connect it to, now. Error if the method has no sleep or the body is
  /// fixed or inactive.
  void put_to_sleep(BodyId id);
  /// Why a body is awake, in a sentence.
  std::string why_awake(BodyId id) const;

  /// Sets a custom check at the end of every step, after those of the method and before the events. It may change the world
  /// and reports in sentences what it did. Bodies that it removes are events. It stays when the method changes.
  using UserValidator = std::function<void(World&, double time, std::vector<std::string>& reports)>;
  void add_validator(UserValidator validator);
  void clear_validators() { user_validators_.clear(); }

  /// The reports since the last call: sentences about removed, clamped or quarantined objects.
  std::vector<std::string> take_reports();

 private:
  struct Stages;
  /// A function that stays alive while it runs; each copy of a simulation has its own functions.
  template <class Function> class Callback {
   public:
    Callback() = default;
    explicit Callback(Function f) : function_(f ? std::make_shared<Function>(std::move(f)) : nullptr) {}
    Callback(const Callback& other) : function_(other ? std::make_shared<Function>(*other.function_) : nullptr) {}
    Callback& operator=(const Callback& other) { return *this = Callback(other); }
    Callback(Callback&&) noexcept = default;
    Callback& operator=(Callback&&) noexcept = default;
    explicit operator bool() const { return function_ != nullptr; }
    /// Holds the function while it is called.
    std::shared_ptr<Function> hold() const { return function_; }

   private:
    std::shared_ptr<Function> function_;
  };

  /// Error when this simulation was moved from.
  Stages& stages() const;
  /// Error within a step.
  void refuse_within_step(const char* place) const;
  void save_stages(ByteWriter& out) const;
  void restore_stages(ByteReader& in);

  void make_step(double h, std::vector<JointId>& overloaded);
  void complete_impulses(double h);
  void break_joints(const std::vector<JointId>& overloaded);
  void validate();
  void find_events();
  void deliver_events();

  World world_;
  Method method_;
  TimeSettings settings_;
  double time_ = 0, target_time_ = 0;
  std::uint64_t steps_ = 0;
  int evaluations_ = 0;
  int threads_ = 1;
  std::vector<std::string> reports_;
  std::vector<Event> events_;
  EventSettings event_settings_;
  enum class Phase : std::uint8_t { idle, callback, step };
  Phase phase_ = Phase::idle;
  Callback<Listener> listener_;
  Callback<StepCallback> before_step_, after_step_;
  std::vector<Callback<UserValidator>> user_validators_;
  Callback<ContactModifier> contact_modifier_;
  std::unique_ptr<Stages> stages_;
  // The definitions that snapshots share while they do not change.
  mutable std::shared_ptr<const World> saved_world_;
  mutable std::shared_ptr<const Method> saved_method_;
  mutable std::size_t last_save_size_ = 0;  // bytes
};

}  // namespace rigor
