// The constraint part of a step, shared by the stepping methods: write rows, solve them with the solvers of the four slots
// (7.5.7), pass the forces to the integrator, correct errors.
//
// Impulses of resting contacts and joints act as constant forces λ/h over the step: every integrator then arrives at the
// velocities that the solver found, and a body at rest does not move. Impulses of collisions change velocities at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "constraints/constraint_list.h"
#include "integrators/integrator.h"
#include "solvers/solver.h"
#include "state/step_impulses.h"
#include "stepping/contact_displacement.h"
#include "stepping/kept_rows.h"

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

/// Reports of the solvers in the last step.
struct SolverReports {
  SolverReport collision, contact, joint, correction;
};

/// The reports so far. A sentence is reported once, not in every step; failed solves are reported at the first,
/// the tenth, the hundredth …
struct Troubles {
  std::string last;            // the last sentence that was reported
  std::string fallback;        // a sentence about a failed solve that is still to be reported
  std::int64_t fallbacks = 0;  // failed solves so far
};

/// Rows and bodies of the present step; memory is reused from step to step.
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
  void keep_rows();
  /// True if the last prepare() reused rows, and they have not been written since.
  bool rows_were_kept() const { return rows_were_kept_; }
  /// True if joint impulses have to be solved at every evaluation of an integrator that has positions and velocities of
  /// the same time (such as Runge–Kutta). Solved once, they act along rows of the start, from which the bodies turn
  /// away; Baumgarte's correction pulls back the errors that result, and pulling a body towards its pivot makes it
  /// faster. A pendulum gained 16 % of its energy in 10 s, a double pendulum 78 %.
  bool turns_with_joints() const {
    return !joints_.empty() && solvers_->joint->level() == SolverLevel::velocity && correction_.erp > 0;
  }
  /// True if the only rows are those of joints' locked axes, and no others can appear.
  bool has_plain_joints_only() { return contacts_.empty() && kept_.follow_from_poses(list_); }
  /// Clears joints, contacts and rows, for a step in which nothing moves.
  void clear();
  /// Lets contacts follow the surfaces when they are written again at changed poses.
  void describe_surfaces() { list_.describe_surfaces(*world_); }
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
  void finish(World& world, std::vector<JointId>& overloaded, double time,
              const std::function<void()>& add_reactions = {});

  /// The shared residual of the velocity-level solvers: how far velocities are from the targets of the rows; none
  /// if no such solver ran. m/s or rad/s
  std::optional<double> residual();

  /// Reports in a sentence what a solver, or the step itself, could not do in this step, unless it was reported already.
  void report_trouble(std::vector<std::string>& reports, std::string trouble_of_step = "");
  /// Reports the worst joint that has come open by more than half the smaller body's width or half a radian, with its
  /// name and its error; again when that is ten times as large. Joints that are open in the first step are not reported
  /// for that.
  void report_open_joints(std::vector<std::string>& reports);
  /// The reports so far; a step that is undone restores them.
  Troubles& troubles() { return troubles_; }
  /// Call this if a solver that this class does not run has failed.
  void note_fallback(const Rows& rows, const SolverReport& report, SolverLevel level);

  const SolverReports& reports() const { return reports_; }
  SolverReports& reports() { return reports_; }
  const Rows& rows() const { return rows_; }
  // For steps that solve the rows themselves.
  Rows& rows() { return rows_; }
  StepBodies& bodies() { return bodies_; }
  bool has_contacts() const { return !contacts_.empty(); }
  const RowSettings& row_settings() const { return settings_; }
  const ConstraintList& list() const { return list_; }

 private:
  void begin(World& world, ContactList& contacts, const SolverSet& solvers, const StepSettings& settings,
             std::uint64_t step, double h, const ThreadPool& threads);
  SolverReport run(Solver& solver, std::span<const int> blocks) { return run(solver, rows_, blocks, correction_); }
  SolverReport run(Solver& solver, Rows& rows, std::span<const int> blocks, const Baumgarte& correction);
  /// Error that names the first joint or contact with a number that is not finite; returns if there is none.
  void name_not_finite(const Rows& rows, std::span<const int> blocks) const;
  void classify();
  /// True if the rows are those of the last step.
  bool take_kept_rows();
  /// Scales warm-start impulses so that warm starting and error correction together are stable.
  void fade_joint_impulses();
  void solve_all_levels();
  /// True if there are blocks for a force-level solver.
  bool asks_for_forces() const;
  double smaller_width(const StepJoint& joint) const;
  void add_impacts();
  void clear_for_impacts(std::span<const int> blocks);
  void add_impulses(std::span<const int> blocks);
  /// Records the impulses of the blocks, if they are to be recorded.
  void record_impulses(std::span<const int> blocks);
  void solve_velocity_level(Solver& contact, Solver& joint);
  /// The pass of a correction solver of velocity level; true if there is one. Multipliers stay those of the constraints.
  bool correct_by_impulses();
  void solve_by_impulses();
  /// Solves contacts from the ground upwards, each level with all bodies below it immovable.
  void propagate_shocks();
  void solve_shock_level(int level, const std::vector<int>& levels, std::span<const int> blocks);
  /// Forces that change the predicted velocities into the present ones.
  void collect_differences();
  void evaluate_again(BodyState& state);
  void move_contacts_apart();
  bool parts(const RowBlock& block) const;
  void leave_parting_contacts();
  void correct_positions(Solver& correction);
  void predict_velocities(bool gyroscopic);
  void solve_force_level(BodyState& state);
  void collect_forces(std::span<const int> blocks, std::vector<Vec3>& force, std::vector<Vec3>& torque) const;

  World* world_ = nullptr;
  const SolverSet* solvers_ = nullptr;
  const ThreadPool* threads_ = nullptr;
  ConstraintList list_;
  Rows rows_;
  KeptRows kept_;
  bool rows_were_kept_ = false;
  StepBodies bodies_;
  std::span<const JointRows> which_;
  RowSettings settings_;
  Baumgarte correction_;
  ContactDisplacement displacement_;
  std::uint64_t step_ = 0;
  ContactList* found_ = nullptr;
  StepOptions options_;
  std::function<void()> find_contacts_;
  bool gyroscopic_ = true;
  bool begins_ = true;                // no force-level solver has run in this step yet
  bool went_on_by_impulses_ = false;  // in this step, since there were no valid forces
  Troubles troubles_;
  /// The joint error that was reported last, relative to the tolerance; before the first report that of the first step.
  double said_open_ = 0;
  bool has_watched_ = false;
  std::vector<int> colliding_, contacts_, joints_, all_;      // blocks
  std::vector<BodyVelocity> predicted_;                       // before the constraints
  std::vector<Vec3> force_, torque_;                          // of velocity-level solvers, constant in the step
  std::vector<Vec3> force_level_force_, force_level_torque_;  // scratch
  SolverReports reports_;
  std::vector<int> solved_;         // blocks of the velocity-level solvers, while rows and velocities are unchanged
  std::optional<double> residual_;  // of them, once it was computed
  StepImpulses impulses_;           // of the whole step; cleared by the simulation before it
};

}  // namespace rigor
