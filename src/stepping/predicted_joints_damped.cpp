// The part of PredictedJoints for joint corrections that do not converge: damped least squares (Levenberg 1944,
// Marquardt 1963), and a report of the error that remains.
#include <algorithm>
#include <cmath>

#include "constraints/row_math.h"
#include "state/object_names.h"
#include "stepping/predicted_joints.h"
#include "validate/validator.h"

namespace rigor {

namespace {

// The damping μ, relative to the diagonal of J M⁻¹ Jᵀ; all three numbers are chosen. Starting below kFirstDamping would
// leave singular directions to rounding. At kMostDamping an iteration removes only a hundredth of the errors of
// well-conditioned joints.
constexpr double kFirstDamping = 1e-6, kLeastDamping = 1e-12, kMostDamping = 100;
constexpr int kMostRounds = 60;
/// Gives up after this many successive iterations that each remove less than one percent of the errors.
constexpr int kPatience = 5;

double sum_of_squares(const Rows& rows, const JointProblem& p, double h) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.is_out(i)) continue;
    const double error = h * p.unmet(i, rows.diagonal[i] + p.gamma[i]);
    sum += error * error;
  }
  return sum;
}

/// J: the change of kinetic energy when the velocities of bodies at orientations q jump from `before` to `after`.
template <class Before, class After>
double change_of_energy(const BodyState& s, std::span<const Quat> q, Before before, After after) {
  double sum = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const BodyVelocity a = before(i), b = after(i);
    const Vec3 turn = rotate_inverse(q[i], b.w - a.w), mean = rotate_inverse(q[i], a.w + b.w);
    sum += dot(a.v + b.v, b.v - a.v) / s.inverse_mass[i] + dot(scale(s.inertia[i], turn), mean);
  }
  return 0.5 * sum;
}

/// Impulses that change less than this fraction of the kinetic energy belong to a motion that the step resolves. Chosen.
constexpr double kSmallWork = 1e-3;

}  // namespace

void PredictedJoints::look_for_loops(const StepContext& c) {
  const ConstraintList& list = c.constraints.list();
  if (loops_of_ == list.version() && loops_of_ != 0) return;
  loops_of_ = list.version();
  const auto awake = static_cast<int>(c.world.state().awake());
  std::vector<TreeEdge> edges;
  for (int b = 0; b < blocks_; ++b) {
    const RowBlock& block = c.constraints.rows().blocks[static_cast<std::size_t>(b)];
    edges.push_back({block.a < awake ? block.a : -1, block.b < awake ? block.b : -1, block.begin, block.end});
  }
  JointForest forest;
  forest.build(awake, edges);
  has_loops_ = !forest.loops().empty();
}

/// J, the change of the kinetic energy by all impulses at the start; zero if it is small.
double PredictedJoints::work_at_start(StepContext& c) const {
  const BodyState& s = c.world.state();
  const std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  const auto after = [&](std::uint32_t i) { return u[i]; };
  const double work = change_of_energy(
      s, q_,
      [&](std::uint32_t i) {
        return BodyVelocity{v_[i], w_[i]};
      },
      after);
  const double kinetic = change_of_energy(
      s, q_, [](std::uint32_t) { return BodyVelocity{}; }, after);
  return work > kSmallWork * kinetic ? work : 0;
}

double PredictedJoints::work_at_end(StepContext& c) const {
  const BodyState& s = c.world.state();
  const std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  return change_of_energy(
      s, s.orientation, [&](std::uint32_t i) { return u_before_[i]; }, [&](std::uint32_t i) { return u[i]; });
}

/// J: work of springs, motors and friction along the motion of their axes between the two corrections.
double PredictedJoints::work_of_drives(StepContext& c) const {
  if (!asks_for_velocities_) return 0;
  const Rows& rows = c.constraints.rows();
  double sum = 0;
  for (int b = 0; b < blocks_; ++b) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    const auto a_slot = static_cast<std::size_t>(block.a), b_slot = static_cast<std::size_t>(block.b);
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      if (!asks_for_velocity(rows, i)) continue;
      const double mean = 0.5 * (speed_along(J_0_[i], u_start_[a_slot], u_start_[b_slot]) +
                                 speed_along(rows.J[i], u_before_[a_slot], u_before_[b_slot]));
      sum += (lambda_start_[i] + problem_.lambda[i]) * mean;
    }
  }
  return sum;
}

/// Levenberg and Marquardt's iteration from the start of the part, with the same rows J₀ throughout. Ends at the impulses with the smallest
/// errors.
PredictedJoints::Outcome PredictedJoints::correct_joints_damped(StepContext& c, double time, double h) {
  Rows& rows = c.constraints.rows();
  StepBodies& bodies = c.constraints.bodies();
  go_back(c);
  see_bodies(c);
  bodies.capture_masses(c.world.state());
  prepare_rows(bodies, rows);  // for the diagonals
  is_unbounded_ = false;
  begin_correction(c, h, true);
  is_unbounded_ = false;  // γ will change
  set_targets(rows, blocks_, settings_.closing_speed * h, problem_);
  const std::vector<double> gamma = problem_.gamma;
  predict(c, time, h);
  joint_.residual = joint_error(c, h);
  const BodyState& state = c.world.state();
  const std::vector<Vec3> v = state.velocity, w = state.angular_velocity;  // without impulses of joints
  double smallest = sum_of_squares(rows, problem_, h), damping = kFirstDamping;
  JointProblem best = problem_;
  std::vector<BodyVelocity> u = bodies.u;
  double residual = joint_.residual;
  const auto return_to_start = [&] {
    go_back(c);
    see_bodies(c);
    bodies.u = u;
  };
  for (int round = 0, slow = 0; round < kMostRounds && slow < kPatience && damping <= kMostDamping; ++round) {
    if (residual <= settings_.tolerance || !may_go_on()) break;
    return_to_start();
    for (std::size_t i = 0; i < gamma.size(); ++i)
      if (gamma[i] == 0) problem_.gamma[i] = damping * rows.diagonal[i];
    impulses_->prepare(rows, blocks_, bodies, c.world.state(), problem_, RowsAre::unknown);
    impulses_->improve(problem_, bodies.u);
    ++joint_.iterations;
    problem_.gamma = gamma;
    predict(c, time, h);
    joint_.residual = joint_error(c, h);
    const double sum = sum_of_squares(rows, problem_, h);
    if (sum < smallest) {
      slow = sum > 0.98 * smallest ? slow + 1 : 0;
      smallest = sum;
      best = problem_;
      u = bodies.u;
      residual = joint_.residual;
      damping = std::max(kLeastDamping, 0.1 * damping);
    } else {
      problem_ = best;
      damping *= 10;
    }
  }
  return_to_start();
  problem_ = best;
  joint_.residual = residual;
  predict(c, time, h);
  drop_correcting_velocities(c, v, w);
  return residual <= settings_.tolerance ? Outcome::converged : Outcome::stuck;
}

/// Keeps impulses of springs, motors and friction, and drops those that only moved the bodies to close joints.
void PredictedJoints::drop_correcting_velocities(StepContext& c, const std::vector<Vec3>& v,
                                                 const std::vector<Vec3>& w) {
  const Rows& rows = c.constraints.rows();
  BodyState& state = c.world.state();
  for (std::size_t i = 0; i < problem_.size(); ++i)
    if (!asks_for_velocity(rows, i)) problem_.lambda[i] = 0;
  std::vector<BodyVelocity> u(c.constraints.bodies().u.size());
  apply_impulses({rows.blocks.data(), static_cast<std::size_t>(blocks_)}, rows.J, problem_.lambda, state, u, pushed_);
  for (std::uint32_t i = 0; i < state.awake(); ++i) {
    state.velocity[i] = v[i] + u[i].v;
    state.angular_velocity[i] = w[i] + u[i].w;
  }
}

void PredictedJoints::note_trouble(StepContext& c, double h, Left left) {
  const Rows& rows = c.constraints.rows();
  const int row = worst_row(rows, problem_);
  if (row < 0) return;
  const auto i = static_cast<std::size_t>(row);
  const bool open = left == Left::open;
  const double figure = std::abs(problem_.unmet(i, rows.diagonal[i] + problem_.gamma[i])) * (open ? h : 1);
  const double tolerance = open ? settings_.tolerance : settings_.velocity_tolerance;
  if (!(figure / tolerance > worst_)) return;
  worst_ = figure / tolerance;
  double& said = open ? said_open_ : said_moving_;
  if (!(figure > 10 * said)) return;  // reported already
  said = figure;
  const auto block =
      std::find_if(rows.blocks.begin(), rows.blocks.end(), [row](const RowBlock& b) { return row < b.end; });
  const StepJoint& joint = c.constraints.list().joints[block->index];
  const bool turns = length_squared(part(rows.J[i], 0)) + length_squared(part(rows.J[i], 6)) == 0;
  const std::string name = report_name(*joint.def, joint.id);
  const std::string unit = std::string(turns ? "rad" : "m") + (open ? "" : "/s");
  trouble_ = std::string(open ? "the joint" : "the velocity") + " correction does not converge: it leaves " + name +
             " with an error of " + report_number(figure) + " " + unit + " (tolerance " + report_number(tolerance) +
             ")";
}

std::string PredictedJoints::take_trouble() { return std::exchange(trouble_, {}); }

}  // namespace rigor
