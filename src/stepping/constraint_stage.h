// The constraint part of a step, shared by the stepping methods: solves the rows of step_constraints.h with the solvers of the four
// slots (7.5.7), passes the forces to the integrator, corrects errors. constraint_reports.h reports what failed.
//
// Impulses of resting contacts and joints act as constant forces λ/h over the step: every integrator then arrives at the
// velocities that the solver found, and a body at rest does not move. Impulses of collisions change velocities at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "integrators/integrator.h"
#include "solvers/solver.h"
#include "state/step_impulses.h"
#include "stepping/constraint_reports.h"
#include "stepping/contact_displacement.h"
#include "stepping/step_constraints.h"

namespace rigor {

/// The four slots. Two slots with equal choices share one solver and are solved together.
struct SolverSet {
  std::shared_ptr<Solver> collision, contact, joint, correction;

  bool collisions_with_contacts() const { return collision == contact; }
  bool joints_with_contacts() const { return joint == contact; }
  bool is_off() const {
    return collision->level() == SolverLevel::off && contact->level() == SolverLevel::off &&
           joint->level() == SolverLevel::off;
  }
};

/// How often constraints are solved inside an integrator that evaluates forces several times per step (3.6.1).
enum class Evaluation : std::uint8_t {
  automatic,  // forces of force-level solvers at every evaluation, impulses once; see turns_with_joints()
  lazy,       // once, at the start; constant in the step
  moderate,   // at every evaluation, with the contacts of the start
  eager,      // collision detection and constraints at every evaluation
};

struct StepOptions {
  bool shock_propagation = false;
  Evaluation evaluation = Evaluation::automatic;
  bool correct_errors = true;
  bool continuous = true;    // continuous collision of fast bodies
  bool joint_forces = true;  // false: joints are solved together with the contacts, but only the contacts' forces act
};

struct StepSettings {
  double restitution_threshold = 0.1;  // m/s
  double stick_speed = 1e-3;           // m/s
  /// m, surfaces nearer than this touch, Newton's law acts. Chosen: far above the rounding of positions a kilometre away.
  double touching = 1e-5;
  /// The integrator's lag, in steps of `whole` seconds; 0: of the part that is solved. Parts of different sizes share a whole.
  double velocity_lag = 0.5, whole = 0;
  double forces_acted = 0;       // s: the velocities already contain the external forces of this time
  double between = 0;            // s: from one writing of the rows to the next; 0: the part that is solved
  bool impacts_at_once = false;  // solved separately, whatever the solvers
  bool impacts = true;           // false: they are solved already
  bool keeps_rows = false;       // rows of joints that have not moved are reused: see keep_rows()
  bool waits = false;            // the step is repeated up to where bodies touch; until then impacts are not solved
};

/// Forces and torques on the awake bodies, by slot.
struct BodyForces {
  std::vector<Vec3> force, torque;  // N, N m

  void assign(std::size_t bodies);
  /// Adds Jᵀ λ / h of the blocks.
  void add(const Rows& rows, std::span<const int> blocks, double h);
  void add(const BodyForces& other);
  void add_to(BodyState& state) const;
};

/// Memory is reused from step to step.
class ConstraintStage final : public ConstraintForces {
 public:
  /// Writes joints and contacts of the present state as rows. External forces have to be in the arrays.
  void prepare(World& world, ContactList& contacts, const SolverSet& solvers, const StepSettings& settings,
               std::uint64_t step, double h, const ThreadPool& threads);
  /// Writes the list only, for steps with their own representation of contacts; write_joints() follows.
  void prepare_list(World& world, ContactList& contacts, const SolverSet& solvers, const StepSettings& settings,
                    std::uint64_t step, double h, const ThreadPool& threads);
  /// Writes rows of the joints in the list; `which` by joint has to stay valid until the step is done.
  void write_joints(std::span<const JointRows> which);
  /// Call this at the end of a step whose rows are those of the bodies' last poses: the next prepare() reuses rows that
  /// depend on poses only, with their JW, diagonals and masses.
  void keep_rows() { constraints_.keep(world_->state()); }
  /// True if the last prepare() reused rows and they have not been written since.
  bool rows_were_kept() const { return constraints_.were_reused(); }
  /// True if joint impulses have to be solved at every evaluation of an integrator that has positions and velocities of
  /// the same time (such as Runge–Kutta). Solved once, they act along rows of the start, from which the bodies turn
  /// away; Baumgarte's correction pulls back the errors that result, and pulling a body towards its pivot makes it
  /// faster. A pendulum gained 16 % of its energy in 10 s, a double pendulum 78 %.
  bool turns_with_joints() const {
    return solvers_->joint->level() == SolverLevel::velocity && constraints_.joints_are_corrected(correction_);
  }
  /// True if the only rows are those of joints' locked axes, and no others can appear.
  bool has_plain_joints_only() { return constraints_.has_plain_joints_only(); }
  /// Clears joints, contacts and rows, for a step in which nothing moves.
  void clear();
  /// Lets contacts follow the surfaces when they are written again at changed poses.
  void describe_surfaces() { constraints_.list.describe_surfaces(*world_); }
  /// Solves colliding contacts, unless they are solved together with the resting ones: velocities change at once. Returns true if
  /// any changed. They are solved together only if both have the same solver and positions move with the velocities at the end of
  /// the step: otherwise a body would continue into the surface at its old velocity.
  bool solve_collisions();
  /// Solves resting contacts and joints: finds the forces that add_to() will add. External forces have to be in the arrays.
  /// `find_contacts` is called by an eager evaluation.
  void solve_constraints(bool gyroscopic, const StepOptions& options, std::function<void()> find_contacts);
  /// Adds the constraint forces to those in the arrays; an eager evaluation solves them again for the present state.
  void add_to(BodyState& state) override;
  /// Gives the bodies the velocities that velocity-level solvers found, at once instead of by forces.
  void apply_velocities();
  /// After the step: moves bodies out of their position errors.
  void correct_errors();
  /// After each part of a step: adds the contacts' impulses, for events. A step that solves the rows by its own iteration
  /// passes the sums of the normal multipliers by block.
  void sum_impulses(std::span<const double> by_block = {});
  StepImpulses& impulses() { return impulses_; }
  /// After the step: updates servo integrals and reaction forces; appends joints that break. The multipliers belong to
  /// `time` seconds; `add_reactions` adds the reactions that are not in the rows.
  /// `passed`: s, how long the integrals of servos go on; `time` unless given.
  void finish(World& world, std::vector<JointId>& overloaded, double time,
              const std::function<void()>& add_reactions = {}, std::optional<double> passed = {});

  /// The shared residual of the velocity-level solvers: how far velocities are from the targets of the rows; none
  /// if no such solver ran. m/s or rad/s
  std::optional<double> residual();

  /// Reports in a sentence what a solver, or the step itself, could not do in this step, unless it was reported already.
  void report_trouble(std::vector<std::string>& reports, std::string trouble_of_step = "");
  /// Reports the worst joint that has come open, see ConstraintReports.
  void report_open_joints(std::vector<std::string>& reports);
  /// The sentences so far; a step that is undone restores them.
  ReportsSoFar& reported() { return sentences_.so_far(); }
  /// Call this if a solver that this class does not run has failed.
  void note_fallback(const Rows& rows, const SolverReport& report, SolverLevel level) {
    sentences_.note_fallback(*world_, constraints_.list, rows, report, level);
  }

  const SolverReports& reports() const { return reports_; }
  SolverReports& reports() { return reports_; }
  const Rows& rows() const { return constraints_.rows; }
  // For steps that solve the rows themselves.
  Rows& rows() { return constraints_.rows; }
  StepBodies& bodies() { return constraints_.bodies; }
  bool has_contacts() const { return !constraints_.contacts.empty(); }
  const RowSettings& row_settings() const { return constraints_.settings; }
  const ConstraintList& list() const { return constraints_.list; }

 private:
  void begin(World& world, ContactList& contacts, const SolverSet& solvers, const StepSettings& settings,
             std::uint64_t step, double h, const ThreadPool& threads);
  SolverContext context(Rows& rows, std::span<const int> blocks, const Baumgarte& correction);
  SolverReport run(Solver& solver, std::span<const int> blocks) {
    return run(solver, constraints_.rows, blocks, correction_);
  }
  SolverReport run(Solver& solver, Rows& rows, std::span<const int> blocks, const Baumgarte& correction);
  // Impacts.
  void add_impacts();
  void clear_for_impacts(std::span<const int> blocks);
  // Resting contacts and joints.
  void predict_velocities(bool gyroscopic);
  /// True if there are blocks for a force-level solver.
  bool asks_for_forces() const;
  void solve_all_levels();
  void solve_force_level(BodyState& state);
  void solve_velocity_level(Solver& contact, Solver& joint);
  void solve_by_impulses();
  /// The pass of a correction solver of velocity level; true if there is one. Multipliers stay those of the constraints.
  bool correct_by_impulses();
  void evaluate_again(BodyState& state);
  /// Forces that change the predicted velocities into the present ones.
  void collect_differences();
  // Position errors.
  void correct_positions(Solver& correction);
  void move_contacts_apart();

  World* world_ = nullptr;
  const SolverSet* solvers_ = nullptr;
  const ThreadPool* threads_ = nullptr;
  StepConstraints constraints_;
  Baumgarte correction_;
  ContactDisplacement displacement_;
  std::uint64_t step_ = 0;
  ContactList* found_ = nullptr;
  StepOptions options_;
  std::function<void()> find_contacts_;
  bool gyroscopic_ = true;
  bool begins_ = true;                   // no force-level solver has run in this step yet
  bool went_on_by_impulses_ = false;     // in this step, since there were no valid forces
  std::vector<BodyVelocity> predicted_;  // before the constraints
  BodyForces forces_;                    // of velocity-level solvers, constant in the step
  BodyForces force_level_;               // scratch
  SolverReports reports_;
  ConstraintReports sentences_;
  std::vector<int> solved_;         // blocks of the velocity-level solvers, while rows and velocities are unchanged
  std::optional<double> residual_;  // of them, once it was computed
  StepImpulses impulses_;           // of the whole step; cleared by the simulation before it
};

}  // namespace rigor
