// The motion of a step with joint impulses at its start and end (Bender and Schmitt 2006, 4, fig. 1).
//
//   joint correction      predict the state at t₀ + h with the integrator; find impulses at t₀ for the errors of the joints
//                         there; repeat until every error is below the tolerance. The last prediction is the step
//   velocity correction   impulses at t₀ + h for the velocities of the joints
//
// If the joint correction does not converge (bodies that turn too far in one step), the step is halved; it is divided from the start
// if joints under great tension make bodies oscillate faster than the step resolves (geometric_stiffness.h, within the system of all
// joints swing_rate.h).
//
// Near singular positions (a straight chain as long as its span) J M⁻¹ Jᵀ is nearly singular, and Newton's iteration
// diverges. What does not converge is solved by damped least squares (Levenberg 1944, Marquardt 1963):
//
//   (J M⁻¹ Jᵀ + μ diag) Δλ = r          accepted only if the errors become smaller
//
// These impulses change positions only. The velocity correction starts from the velocities without them; it takes
// energy away and never adds any. Joints that contradict each other end with the smallest errors that were found, and a
// report names the joint and its error. A step that has used up its `work` reports it; the rest of the step is
// then made without corrections. Joints that are far open close with at most `closing_speed`.
#pragma once

#include "multibody/joint_residuals.h"
#include "multibody/swing_rate.h"
#include "solvers/geometric_stiffness.h"
#include "stepping/stepping.h"

namespace rigor {

struct PredictionSettings {
  double tolerance = 1e-6;           // m and rad
  double velocity_tolerance = 1e-6;  // m/s and rad/s
  int iterations = 1000;
  int halvings = 6;
  int work = 20000;           // iterations of the whole step
  double closing_speed = 10;  // m/s and rad/s
  bool correct_velocities = true;
  bool warm_start = true;  // begins with the impulses that ended the last step
};

class PredictedJoints {
 public:
  /// Moves all bodies over h seconds from the context's time. Rows have to be those of the present state; their multipliers
  /// are the joints' impulses afterwards. Contact forces are part of the dynamics.
  void move(StepContext& c, double h, const PredictionSettings& settings, JointImpulses& impulses);
  /// After the multipliers were stored: stores the initial impulses of the next step in the joints' states.
  void remember(StepContext& c) const;
  /// A sentence about what the step could not do, with the joint and its error; empty if there is nothing new to
  /// report.
  std::string take_trouble();

 private:
  enum class Outcome : std::uint8_t { converged, stuck, failed, gains, out_of_work };

  void count_joints(const Rows& rows);
  void look_for_loops(const StepContext& c);
  void move_in_parts(StepContext& c, double h, int depth);
  void move_first(StepContext& c, double h);
  void read_last_impulses(StepContext& c);
  int halvings_needed(StepContext& c, double h);
  void move_part(StepContext& c, double time, double h, int depth);
  void halve_part(StepContext& c, double time, double h, int depth);
  Outcome finish_part(StepContext& c, double h);
  double work_at_start(StepContext& c) const;
  double work_at_end(StepContext& c) const;
  double work_of_drives(StepContext& c) const;
  Outcome correct_joints(StepContext& c, double time, double h);
  void begin_with_last_impulses(StepContext& c, double h);
  Outcome correct_joints_damped(StepContext& c, double time, double h);
  void drop_correcting_velocities(StepContext& c, const std::vector<Vec3>& v, const std::vector<Vec3>& w);
  double joint_error(StepContext& c, double h);
  void correct_velocities(StepContext& c, double h);
  bool velocities_will_do(double h, bool is_stuck) const;
  enum class Left : std::uint8_t { open, moving };
  void note_trouble(StepContext& c, double h, Left left);
  void keep_start(StepContext& c);
  void go_back(StepContext& c) const;
  void predict(StepContext& c, double time, double h);
  void see_bodies(StepContext& c);
  void prepare_impulses(StepContext& c);
  void begin_correction(StepContext& c, double h, bool of_joints);
  bool may_go_on();
  void add_impulses();
  void push_by_springs(StepContext& c);

  PredictionSettings settings_;
  JointImpulses* impulses_ = nullptr;
  double step_ = 0;  // s, the whole step
  int work_left_ = 0;
  int blocks_ = 0;  // of joints; the first ones
  bool asks_for_velocities_ = false;
  bool has_loops_ = false;
  std::uint64_t loops_of_ = 0;  // the version of the list of joints that has_loops_ belongs to
  bool is_locked_ = false;      // all rows are of rigidly locked axes
  bool is_plain_ = false;       // and all impulses are found at once
  RowsAre rows_are_ = RowsAre::unknown;
  bool is_damped_ = false;  // the present part: its positions were corrected by least squares
  JointProblem problem_;
  bool is_unbounded_ = false;         // the problem's rows were found to be locked ones
  std::vector<double> sum_;           // N s by row, of the whole step
  std::vector<BodyVelocity> pushed_;  // scratch
  SolverReport joint_, velocity_;
  VelocityErrors velocity_errors_;
  std::vector<char> dependent_;             // by row, as of the last velocity correction
  std::string trouble_;                     // of this step
  double worst_ = 0;                        // the largest error that trouble_ reports, in tolerances
  double said_open_ = 0, said_moving_ = 0;  // the largest that were reported before
  GeometricStiffness stiffness_;
  SwingRate swing_;
  std::vector<double> last_impulse_;  // N s by row: impulses that ended the last step or part, scaled to a whole step
  // For the work of joints in a part (kMissing): sums before its velocity correction, state after its joint correction.
  std::vector<double> sum_before_, last_before_, lambda_start_;
  std::vector<double> second_;  // by row, N s: of springs, at the end of the part
  std::vector<BodyVelocity> u_start_;
  std::vector<BodyVelocity> u_before_;  // before the velocity correction, if its work is checked
  // The start of the present part of the step.
  std::vector<Vec3> x_, v_, w_;
  std::vector<Quat> q_;
  IntegratorMemory memory_;
  std::vector<Jacobian> J_0_;  // if rows need velocities
};

}  // namespace rigor
