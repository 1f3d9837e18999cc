// What a joint island does beyond its linear systems: errors of second order, and the balance of energy.
#include <algorithm>
#include <cmath>

#include "constraints/row_math.h"
#include "integrators/rotation.h"
#include "soft_step/joint_island.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

constexpr double kClosed = 1e-6;  // m or rad: errors that are left to the next sub-step
constexpr double kOpen = 1e-4;    // m or rad: errors that are worth another motion
constexpr double kWorth = 1e-5;   // m: gaps of second order that are worth looking for
constexpr int kMostIterations = 4, kMostDisplacements = 8;
constexpr double kMovedWeight = 1e6;  // of a body that others have moved, relative to its mass: it leads
/// m or rad: an error that differs by more from its linear prediction is no longer linear in the velocities, or has changed branch. Newton's method cannot
/// close it. For a limit the sub-step is then taken in parts, in which bodies turn less.
constexpr double kLargestJump = 1;

constexpr double kRounding =
    1e-10;  // of the kinetic energy: less is not taken out, which would only disturb the momenta

double square(double x) { return x * x; }

}  // namespace

void JointIsland::take_velocities(const std::vector<BodyVelocity>& u, std::vector<BodyVelocity>& own) const {
  own.resize(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) own[i] = u[slots_[i]];
}

double JointIsland::kinetic_energy(std::span<const BodyVelocity> own) const {
  double sum = 0;
  for (std::size_t i = 0; i < own.size(); ++i)
    sum += 0.5 * (masses_[i].linear * length_squared(own[i].v) + dot(own[i].w, masses_[i].angular * own[i].w));
  return sum;
}

/// J, in springs and soft rows, without servos, which are motors.
double JointIsland::spring_energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const Row& row = written_[i];
    if (!is_present_[i] || !std::isfinite(row.stiffness) || row.kind == RowKind::motor) continue;
    sum += 0.5 * row.stiffness * square(row.kind == RowKind::limit ? std::min(row.C, 0.0) : row.C);
  }
  return sum;
}

/// A row of a motor or spring.
bool JointIsland::drives(std::size_t i) const {
  return written_[i].kind == RowKind::motor || (std::isfinite(written_[i].stiffness) && written_[i].stiffness > 0);
}

void JointIsland::start_drive(const std::vector<BodyVelocity>& u) {
  speed_0_.assign(written_.size(), 0);
  for_rows([&](std::size_t i, const Joint& joint) {
    if (drives(i)) speed_0_[i] = speed(i, joint, u);
  });
}

JointIsland::Drive JointIsland::drive(const std::vector<BodyVelocity>& u) const {
  Drive sum;
  double size = 0;
  for (std::size_t k = 0; k < joints_.size(); ++k)
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(edges_[k].end); ++i) {
      if (!drives(i)) continue;
      const Row& row = written_[i];
      const double work = 0.5 * (sum_[i] - sum_0_[i]) * (speed_0_[i] + speed(i, joints_[k], u));
      const bool is_free = std::isinf(row.lo) && std::isinf(row.hi) && !std::isfinite(row.stiffness);
      (is_free ? sum.free_work : sum.work) += work;
      if (!is_free) continue;
      const bool is_linear = part(row.J, 0) != Vec3{} || part(row.J, 6) != Vec3{};
      if (!is_linear && size == 0)
        for (const Vec3& x : x_0_)
          for (const Vec3& y : x_0_) size = std::max(size, length(x - y));
      sum.speed += std::abs(row.bias) * (is_linear ? 1 : size + length(joints_[k].arm_b));
    }
  return sum;
}

void JointIsland::save(const std::vector<BodyVelocity>& u) {
  saved_.lambda = rows_.lambda, saved_.sum = sum_, saved_.work = work_;
  for (Joint& joint : joints_) joint.saved_impulse = joint.impulse, joint.saved_turn = joint.turn;
  saved_.answered = answered_;
  take_velocities(u, saved_.u);
}

/// But for the stiffness of the joints.
void JointIsland::take_back(std::vector<BodyVelocity>& u) {
  rows_.lambda = saved_.lambda, sum_ = saved_.sum, work_ = saved_.work, answered_ = saved_.answered;
  for (Joint& joint : joints_) joint.impulse = joint.saved_impulse, joint.turn = joint.saved_turn;
  for (std::size_t i = 0; i < slots_.size(); ++i) u[slots_[i]] = saved_.u[i];
}

bool JointIsland::turns_far(const IslandStep& step, const std::vector<BodyVelocity>& u) const {
  return std::any_of(joints_.begin(), joints_.end(),
                     [&](const Joint& joint) { return 0.5 * step.eta * opening_speed(step, joint, u) > kWorth; });
}

void JointIsland::close(StepContext& c, const IslandStep& step) {
  if (is_net()) return hold_back(step, c.constraints.bodies().u);
  int parts = is_carried_ ? 1 : parts_for_tension(step);
  if (parts == 1 && !close_gaps(c, step) && !is_carried_) parts = parts_for_turns(step, c.constraints.bodies().u);
  if (parts > 1 && !pushes_cancel(step, c.constraints.bodies().u))
    move_in_parts(c, step, parts);
  else
    hold_back(step, c.constraints.bodies().u);
}

/// Joints pass on the speed of the fastest body, perhaps by a lever, but they do not make a multiple of it within a sub-step: where
/// they do, the linearisation has failed. Errors are then left as they are, by a solve that cannot add energy.
void JointIsland::hold_back(const IslandStep& step, std::vector<BodyVelocity>& u) {
  const int runaway = find_runaway(step, u);
  if (runaway < 0) return;
  if (failed_joint_ < 0) failed_joint_ = runaway;
  take_back_correction(u);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (is_closed_by_push(i)) target_[i] = written_[i].bias;
  answer(u);
  if (find_runaway(step, u) >= 0) take_back_correction(u);
}

/// The joint, by its index in the list, that makes a body too fast; -1: none does.
int JointIsland::find_runaway(const IslandStep& step, const std::vector<BodyVelocity>& u) const {
  const auto fastest = [&](const TreeEdge& edge, const Joint& joint, auto velocity) {
    const StepJoint& from = step.list.joints[joint.index];
    double speed = 0;
    for (const auto& [body, arm] :
         {std::pair{edge.a, length(from.frame_a.translation)}, std::pair{edge.b, length(from.frame_b.translation)}}) {
      if (body < 0) continue;
      const BodyVelocity v = velocity(static_cast<std::size_t>(body));
      speed = std::max({speed, length(v.v), arm * length(v.w)});
    }
    return speed;
  };
  double before = step.max_push;
  for (std::size_t k = 0; k < joints_.size(); ++k)
    before = std::max(before, fastest(edges_[k], joints_[k], [&](std::size_t i) {
                        const BodyVelocity& now = u[slots_[i]];
                        return BodyVelocity{now.v - answered_[i].v, now.w - answered_[i].w};
                      }));
  for (std::size_t k = 0; k < joints_.size(); ++k)
    if (!(fastest(edges_[k], joints_[k], [&](std::size_t i) { return u[slots_[i]]; }) <= kMostLever * before))
      return static_cast<int>(joints_[k].index);
  return -1;
}

/// As if the joints had done nothing since start_correction().
void JointIsland::take_back_correction(std::vector<BodyVelocity>& u) {
  for (std::size_t k = 0; k < joints_.size(); ++k)
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(edges_[k].end); ++i) {
      const Vec3 impulse = rows_.lambda[i] * part(rows_.J[i], 6);
      joints_[k].impulse -= impulse;
      joints_[k].turn -= rows_.lambda[i] * part(rows_.J[i], 9) - cross(joints_[k].arm_b, impulse);
      sum_[i] -= rows_.lambda[i], rows_.lambda[i] = 0;
    }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    u[slots_[i]].v -= answered_[i].v, u[slots_[i]].w -= answered_[i].w;
    answered_[i] = {};
  }
  work_ = 0;
}

/// Newton's method with the factors that are there; false where a gap is left.
bool JointIsland::close_gaps(StepContext& c, const IslandStep& step) {
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  if (!turns_far(step, u)) return true;
  ahead_ = written_, is_ahead_present_ = is_present_;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    const auto look_ahead = [&] { written_.swap(ahead_), is_present_.swap(is_ahead_present_); };
    look_ahead();
    predict(c, step);
    const double worst = find_errors(step, u);
    look_ahead();
    if (k > 0 && !(worst < last)) {
      take_back(u);
      return last < kOpen;
    }
    if (!(worst < 0.5 * last) || worst < kClosed || k == kMostIterations) return worst < kOpen;
    last = worst;
    save(u);
    if (solve_rows()) apply(u);
  }
}

/// Rows where the bodies will be at the end of the sub-step; the bodies stay where they are.
void JointIsland::predict(StepContext& c, const IslandStep& step) {
  BodyState& s = c.world.state();
  const std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  thread_local std::vector<Quat> q;
  thread_local std::vector<BodyVelocity> before;
  q.clear(), before.clear();
  for (const std::uint32_t i : slots_) {
    q.push_back(s.orientation[i]), before.push_back({s.velocity[i], s.angular_velocity[i]});
    s.velocity[i] = u[i].v, s.angular_velocity[i] = u[i].w;
  }
  move_some(c, slots_, step.eta);
  for (std::size_t k = 0; k < joints_.size(); ++k) write_joint_rows(step, k);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const std::uint32_t i = slots_[k];
    s.position[i] = x_0_[k], s.orientation[i] = q[k];
    s.velocity[i] = before[k].v, s.angular_velocity[i] = before[k].w;
  }
}

/// What bodies that move as they like add to C in a sub-step: predictions leave them where they are.
double JointIsland::moved_by_others(const IslandStep& step, std::size_t i, const Joint& joint,
                                    const std::vector<BodyVelocity>& u) const {
  const auto awake = static_cast<int>(step.state.awake());
  const BodyVelocity &a = u[static_cast<std::size_t>(joint.a)], &b = u[static_cast<std::size_t>(joint.b)];
  return step.eta * speed_along(rows_.J[i], joint.a < awake ? BodyVelocity{} : a, joint.b < awake ? BodyVelocity{} : b);
}

/// r of Newton's method from the errors at the end of the sub-step, and the largest of them.
double JointIsland::find_errors(const IslandStep& step, const std::vector<BodyVelocity>& u) {
  double worst = 0;
  for_rows([&](std::size_t i, const Joint& joint) {
    if (rows_.place[i] == RowPlace::out) return;
    const Row& row = written_[i];
    const double v = speed(i, joint, u);
    rows_.r[i] = target_[i] - v - rows_.gamma[i] * rows_.lambda[i];
    const bool has_error = row.kind == RowKind::locked || row.kind == RowKind::limit || row.stiffness > 0;
    if (!has_error || row.kind == RowKind::motor || row.kind == RowKind::friction || !is_present_[i]) return;
    const double linear = C_0_[i] + step.eta * v;
    const double beyond = row.C + moved_by_others(step, i, joint, u) - linear;  // of second order
    if (!(std::abs(beyond) < kLargestJump)) {
      if (row.kind == RowKind::limit) worst = std::numeric_limits<double>::infinity();
      return;
    }
    double error = goal_[i] - linear - beyond;
    if (std::isfinite(row.stiffness)) {
      rows_.r[i] -= row.stiffness * beyond / (step.eta * row.stiffness + row.damping);
      error = step.eta * rows_.r[i];
    } else {
      rows_.r[i] = error / step.eta;
    }
    const bool counts = row.kind == RowKind::locked || rows_.place[i] == RowPlace::inside || error > 0;
    if (counts && !(std::abs(error) <= worst)) worst = std::abs(error);
  });
  return worst;
}

void JointIsland::follow(BodyState& s, const IslandStep& step) {
  std::vector<double> weight;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const bool was_moved = s.position[slots_[i]] != x_0_[i] || s.orientation[slots_[i]] != q_0_[i];
    weight.push_back(was_moved ? kMovedWeight : 1);
  }
  if (std::all_of(weight.begin(), weight.end(), [](double w) { return w == 1; })) return;
  const Vec3 before = angular_momentum(s);
  displace(s, step, weight);
  if (!is_tied()) turn_back(s, before);
}

/// About the world's origin.
Vec3 JointIsland::angular_momentum(const BodyState& s) const {
  Vec3 sum;
  for (const std::uint32_t i : slots_)
    sum += rigor::angular_momentum(s, i) + (1 / s.inverse_mass[i]) * cross(s.position[i], s.velocity[i]);
  return sum;
}

/// Bodies that are put elsewhere with the velocities that they have would change the angular momentum: all of them together turn
/// against that, which no joint resists.
void JointIsland::turn_back(BodyState& s, const Vec3& wanted) {
  std::vector<BodyVelocity> none(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    masses_[i] = body_mass(s, slots_[i]), x_0_[i] = s.position[slots_[i]];
  }
  none.front().w = inverse(masses_.front().angular) * (wanted - angular_momentum(s));
  const std::vector<BodyVelocity> turn = common_motion(none);
  for (std::size_t i = 0; i < slots_.size(); ++i)
    s.velocity[slots_[i]] += turn[i].v, s.angular_velocity[slots_[i]] += turn[i].w;
}

void JointIsland::displace(BodyState& s, const IslandStep& step, std::span<const double> weight) {
  std::vector<Vec3> x_before;
  std::vector<Quat> q_before;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMostDisplacements; ++k) {
    const double worst = find_displacement(step, weight);
    if (!(worst < last)) return go_to(x_before, q_before, s);
    if (worst < kOpen) return;
    last = worst, x_before = x_0_, q_before = q_0_;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      s.position[slots_[i]] += x_[i].v;
      s.orientation[slots_[i]] = turned(s.orientation[slots_[i]], x_[i].w, 1);
    }
  }
}

void JointIsland::go_to(std::span<const Vec3> x, std::span<const Quat> q, BodyState& s) const {
  for (std::size_t i = 0; i < x.size(); ++i) s.position[slots_[i]] = x[i], s.orientation[slots_[i]] = q[i];
}

/// x is then the least displacement, by weighted mass, that closes rigid rows at the present poses; returns their largest error.
double JointIsland::find_displacement(const IslandStep& step, std::span<const double> weight) {
  see_poses(step);
  double worst = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool takes_part = is_present_[i] && is_closed_by_push(i);
    rows_.place[i] = takes_part ? RowPlace::inside : RowPlace::out;
    rows_.r[i] = -written_[i].C, rows_.gamma[i] = 0;
    if (takes_part && !(std::abs(written_[i].C) <= worst)) worst = std::abs(written_[i].C);
  }
  for (std::size_t i = 0; i < masses_.size(); ++i)
    masses_[i] = {weight[i] * masses_[i].linear, weight[i] * masses_[i].angular};
  system_.solve(rows_, edges_, masses_, x_);
  return worst;
}

/// The motion of all bodies as one rigid body, which no joint resists, with their momentum and angular momentum.
std::vector<BodyVelocity> JointIsland::common_motion(std::span<const BodyVelocity> own) const {
  double mass = 0;
  Vec3 center, momentum, angular;
  Mat3 inertia;
  for (std::size_t i = 0; i < own.size(); ++i) {
    mass += masses_[i].linear;
    center += masses_[i].linear * x_0_[i], momentum += masses_[i].linear * own[i].v;
  }
  center = center / mass;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Vec3 r = x_0_[i] - center;
    angular += masses_[i].linear * cross(r, own[i].v) + masses_[i].angular * own[i].w;
    inertia = inertia + masses_[i].angular +
              masses_[i].linear * (Mat3::diagonal(Vec3{1, 1, 1} * length_squared(r)) - outer(r, r));
  }
  const Vec3 v = momentum / mass, w = inverse(inertia) * angular;
  std::vector<BodyVelocity> common(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) common[i] = {v + cross(w, x_0_[i] - center), w};
  return common;
}

/// Scales the motion of the bodies against each other so that it has `excess` less energy, as far as it has that much.
void JointIsland::scale_motion(std::vector<BodyVelocity>& u, double excess) const {
  std::vector<BodyVelocity> inner;
  take_velocities(u, inner);
  const auto take_out = [&](std::span<const BodyVelocity> from) {
    for (std::size_t i = 0; i < slots_.size(); ++i) inner[i].v -= from[i].v, inner[i].w -= from[i].w;
  };
  for (int k = 0; k < 2 && !is_held_; ++k) take_out(common_motion(inner));  // once more for what rounding has left
  const double energy = kinetic_energy(inner);
  if (!(energy > kRounding * excess)) return;
  const double scale = std::sqrt(std::max(1 - excess / energy, 0.0)) - 1;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    BodyVelocity& body = u[slots_[i]];
    body.v += scale * inner[i].v, body.w += scale * inner[i].w;
  }
}

void JointIsland::limit_energy(std::vector<BodyVelocity>& u) const {
  if (is_carried_) return;
  const double excess = work_ + spring_energy() - springs_;
  if (!(excess > 0)) return;
  std::vector<BodyVelocity> own;
  take_velocities(u, own);
  if (excess > kRounding * kinetic_energy(own)) scale_motion(u, excess);
}

}  // namespace rigor
