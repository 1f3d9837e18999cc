#include "stepping/tree_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constraints/joint_limits.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

/// k of a limit that holds, relative to the inertia of the two bodies alone. Chosen: whole trees weigh less, and rounding allows it.
constexpr double kRigid = 1e6;

/// rad: joints whose angle changes by less until a limit has to be known have theirs looked at only where it is near. Chosen.
constexpr double kSlow = 0.1;

}  // namespace

void TreeLimits::begin(StepContext& c, const JointTrees& trees, const SoftSettings& settings, double eta) {
  const ConstraintList& list = c.constraints.list();
  softness_ = settings.joint(eta), eta_ = eta, max_push_ = settings.max_push, count_ = settings.count;
  reach_time_ = 2 * c.constraints.row_settings().h;
  limits_.clear();
  if (trees.limited().empty()) return joints_.clear();
  if (version_ != list.version() || joints_.size() != trees.limited().size()) {
    joints_.clear(), version_ = list.version();
    for (const std::uint32_t index : trees.limited()) joints_.push_back(bounded(list.joints[index], index));
  }
  for (const Bounded& limits : joints_) find_near(c, limits);
}

TreeLimits::Bounded TreeLimits::bounded(const StepJoint& joint, std::uint32_t index) {
  const auto& kind = std::get<AxesJoint>(joint.def->kind);
  const auto inside = [](double angle) { return std::max(angle - (kAngularReach + kSlow), 0.0); };
  const auto half_tangent = [](double angle) { return std::tan(0.5 * std::clamp(angle, -0.99 * kPi, 0.99 * kPi)); };
  Bounded limits;
  limits.joint = index;
  if (limits_swing(kind)) limits.swing = std::pow(std::sin(0.5 * std::min(inside(kind.max_swing), kPi)), 2);
  if (limits_twist(kind)) {
    limits.lower_twist = half_tangent(kind.min_twist + (kAngularReach + kSlow));
    limits.upper_twist = half_tangent(kind.max_twist - (kAngularReach + kSlow));
  }
  for (int k = 0; k < 3; ++k) {
    const JointAxis& a = kind.axes[static_cast<std::size_t>(3 + k)];
    if (a.motion != AxisMotion::limited || count_locked_angles(kind) != 2 || !std::isfinite(a.upper - a.lower))
      continue;
    const double middle = 0.5 * (a.lower + a.upper);
    limits.hinge = k, limits.middle_w = std::cos(0.5 * middle), limits.middle = std::sin(0.5 * middle);
    limits.turn = half_tangent(inside(0.5 * (a.upper - a.lower)));
  }
  return limits;
}

void TreeLimits::find_near(StepContext& c, const Bounded& limits) {
  const BodyState& s = c.world.state();
  const StepJoint& joint = c.constraints.list().joints[limits.joint];
  const Quat a = s.orientation[joint.slot_a] * joint.frame_a.rotation;
  const Vec3 w = rotate_inverse(a, s.angular_velocity[joint.slot_b] - s.angular_velocity[joint.slot_a]);
  const bool is_slow = reach_time_ * reach_time_ * length_squared(w) < kSlow * kSlow;
  Attitude at{joint, a, {}, w, is_slow};
  at.pose.q_b = conjugate(a) * (s.orientation[joint.slot_b] * joint.frame_b.rotation);
  find_near_axes(c, limits, at);
  find_near_cone(c, limits, at);
}

namespace {

/// The axes of the frames, for what is about to be found from them.
const JointPose& with_axes(const Quat& q, JointPose& pose) {
  const Mat3 r = rotation_matrix(q);
  for (int i = 0; i < 3; ++i) pose.axis_a[i] = {}, pose.axis_a[i][i] = 1, pose.axis_b[i] = r.column(i);
  return pose;
}

}  // namespace

void TreeLimits::find_near_axes(StepContext& c, const Bounded& limits, const Attitude& at) {
  const auto& kind = std::get<AxesJoint>(at.joint.def->kind);
  const Quat& q = at.pose.q_b;
  if (limits.hinge >= 0 && at.is_slow) {
    const double own = limits.hinge == 0 ? q.x : limits.hinge == 1 ? q.y : q.z;
    const double sine = own * limits.middle_w - q.w * limits.middle,
                 cosine = q.w * limits.middle_w + own * limits.middle;
    if (std::abs(sine) < limits.turn * std::abs(cosine)) return;
  }
  for (int i = 3; i < 6; ++i) {
    const JointAxis& a = kind.axes[static_cast<std::size_t>(i)];
    if (a.motion != AxisMotion::limited) continue;
    JointPose pose = at.pose;
    const JointCoordinate angle = joint_coordinate(kind, with_axes(q, pose), i);
    visit_bounds(kKeyLower + i, kKeyUpper + i, within_range(a, angle.value), a.lower, a.upper,
                 [&](int key, double gap, int sign) { add(c, limits.joint, at, key, gap, sign * part(angle.J, 9)); });
  }
}

void TreeLimits::find_near_cone(StepContext& c, const Bounded& limits, const Attitude& at) {
  const auto& kind = std::get<AxesJoint>(at.joint.def->kind);
  const Quat& q = at.pose.q_b;
  const bool swings = limits_swing(kind) && !(at.is_slow && q.y * q.y + q.z * q.z < limits.swing);
  const double tangent = q.w != 0 ? q.x / q.w : 0;
  const bool is_inside = q.w != 0 && tangent > limits.lower_twist && tangent < limits.upper_twist;
  const bool twists = limits_twist(kind) && !(at.is_slow && is_inside);
  if (!swings && !twists) return;
  JointPose pose = at.pose;
  with_axes(q, pose);
  const auto between = [&](int lower_key, int upper_key, const JointCoordinate& angle, double lower, double upper) {
    visit_bounds(lower_key, upper_key, angle.value, lower, upper,
                 [&](int key, double gap, int sign) { add(c, limits.joint, at, key, gap, sign * part(angle.J, 9)); });
  };
  if (swings)
    between(kKeySwing, kKeySwing, swing_angle(pose), -std::numeric_limits<double>::infinity(), kind.max_swing);
  if (twists) between(kKeyTwist, kKeyTwist + 1, twist_angle(pose), kind.min_twist, kind.max_twist);
}

/// n in the axes of the joint's frame a.
void TreeLimits::add(StepContext& c, std::uint32_t index, const Attitude& at, int key, double gap, const Vec3& n) {
  if (gap > kAngularReach + reach_time_ * std::max(-dot(n, at.w), 0.0)) return;
  const BodyState& s = c.world.state();
  const StepBodies& bodies = c.constraints.bodies();
  const StepJoint& joint = at.joint;
  Limit limit;
  limit.n = rotate(at.to_world, n);
  const auto change = [&](std::uint32_t slot) {
    return slot < s.awake() ? angular_velocity_of(s.orientation[slot], s.inverse_inertia[slot], limit.n) : Vec3{};
  };
  limit.a = bodies.place(joint.slot_a), limit.b = bodies.place(joint.slot_b);
  limit.change_a = change(joint.slot_a), limit.change_b = change(joint.slot_b);
  limit.inverse_mass = dot(limit.n, limit.change_a) + dot(limit.n, limit.change_b);
  if (!(limit.inverse_mass > 0)) return;
  limit.C = gap, limit.lambda = joint.memory->lambda[static_cast<std::size_t>(key)] / count_;
  limit.joint = index, limit.key = static_cast<std::uint8_t>(key);
  limits_.push_back(limit);
}

double TreeLimits::speed(const Limit& limit, const std::vector<BodyVelocity>& u) {
  return dot(limit.n, u[static_cast<std::size_t>(limit.b)].w - u[static_cast<std::size_t>(limit.a)].w);
}

void TreeLimits::push(const Limit& limit, double impulse, std::vector<BodyVelocity>& u) {
  u[static_cast<std::size_t>(limit.a)].w -= impulse * limit.change_a;
  u[static_cast<std::size_t>(limit.b)].w += impulse * limit.change_b;
}

void TreeLimits::warm_start(StepContext& c) const {
  for (const Limit& limit : limits_)
    if (limit.lambda != 0 && !limit.holds) push(limit, limit.lambda, c.constraints.bodies().u);
}

/// rad/s. A bound that is apart is reached at the end of the sub-step.
double TreeLimits::wanted(const Limit& limit, bool correct) const {
  if (limit.C > 0) return -limit.C / eta_;
  return correct ? -std::max(softness_.rate * limit.C, -max_push_) : 0;
}

void TreeLimits::hold(TreeJoints& trees) {
  if (joints_.empty()) return;
  trees.clear_stops();
  for (Limit& limit : limits_) {
    limit.holds = limit.lambda > 0;
    if (!limit.holds) continue;
    limit.push = wanted(limit, true);
    trees.add_stop(limit.joint, limit.n, kRigid / limit.inverse_mass, limit.push);
  }
}

void TreeLimits::observe_held(StepContext& c) {
  for (Limit& limit : limits_)
    if (limit.holds)
      limit.lambda = std::max(kRigid / limit.inverse_mass * (limit.push - speed(limit, c.constraints.bodies().u)), 0.0);
}

void TreeLimits::solve(StepContext& c, bool correct) {
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  for (Limit& limit : limits_) {
    if (limit.holds) continue;
    const bool is_soft = correct && !(limit.C > 0);
    const double lambda = limit.lambda, mass = is_soft ? softness_.mass : 1, keep = is_soft ? softness_.impulse : 0;
    const double missing = wanted(limit, correct) - speed(limit, u);
    limit.lambda = std::max(lambda + mass * missing / limit.inverse_mass - keep * lambda, 0.0);
    if (limit.lambda != lambda) push(limit, limit.lambda - lambda, u);
  }
}

void TreeLimits::follow(StepContext& c) {
  for (Limit& limit : limits_) limit.C += eta_ * speed(limit, c.constraints.bodies().u);
}

void TreeLimits::store(StepContext& c, double time) const {
  const std::vector<StepJoint>& joints = c.constraints.list().joints;
  for (const Bounded& limits : joints_) {
    auto& lambda = joints[limits.joint].memory->lambda;
    for (const int i : {3, 4, 5}) lambda[static_cast<std::size_t>(kKeyLower + i)] = 0;
    for (const int i : {3, 4, 5}) lambda[static_cast<std::size_t>(kKeyUpper + i)] = 0;
    for (const int i : {0, 1, 2}) lambda[static_cast<std::size_t>(kKeySwing + i)] = 0;
  }
  for (const Limit& limit : limits_) {
    if (limit.lambda == 0) continue;
    JointState& memory = *joints[limit.joint].memory;
    memory.lambda[limit.key] = count_ * limit.lambda;
    if (!limit.holds) memory.torque += (count_ * limit.lambda / time) * limit.n;
  }
}

}  // namespace rigor
