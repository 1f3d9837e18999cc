#include "stepping/tree_limits.h"

#include <algorithm>

#include "constraints/joint_limits.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

/// k of a limit that holds, relative to the inertia of the two bodies alone. Chosen: whole trees weigh less, and rounding allows it.
constexpr double kRigid = 1e6;

}  // namespace

void TreeLimits::begin(StepContext& c, const JointTrees& trees, const SoftSettings& settings, double eta) {
  joints_ = trees.limited();
  softness_ = settings.joint(eta), eta_ = eta, max_push_ = settings.max_push, count_ = settings.count;
  reach_time_ = 2 * c.constraints.row_settings().h;
  limits_.clear();
  for (const std::uint32_t index : joints_) find_near(c, index);
}

void TreeLimits::find_near(StepContext& c, std::uint32_t index) {
  const StepJoint& joint = c.constraints.list().joints[index];
  const auto& kind = std::get<AxesJoint>(joint.def->kind);
  JointPose pose;
  turn_joint_frames(joint, c.world.state(), pose);
  const auto between = [&](int lower_key, int upper_key, const JointCoordinate& q, double lower, double upper) {
    visit_bounds(lower_key, upper_key, q.value, lower, upper,
                 [&](int key, double gap, int sign) { add(c, index, key, gap, sign * part(q.J, 9)); });
  };
  for (int i = 3; i < 6; ++i) {
    const JointAxis& a = kind.axes[static_cast<std::size_t>(i)];
    if (a.motion != AxisMotion::limited) continue;
    JointCoordinate q = joint_coordinate(kind, pose, i);
    q.value = within_range(a, q.value);
    between(kKeyLower + i, kKeyUpper + i, q, a.lower, a.upper);
  }
  if (limits_swing(kind))
    between(kKeySwing, kKeySwing, swing_angle(pose), -std::numeric_limits<double>::infinity(), kind.max_swing);
  if (limits_twist(kind)) between(kKeyTwist, kKeyTwist + 1, twist_angle(pose), kind.min_twist, kind.max_twist);
}

void TreeLimits::add(StepContext& c, std::uint32_t index, int key, double gap, const Vec3& n) {
  const BodyState& s = c.world.state();
  const StepBodies& bodies = c.constraints.bodies();
  const StepJoint& joint = c.constraints.list().joints[index];
  const double closing = -dot(n, s.angular_velocity[joint.slot_b] - s.angular_velocity[joint.slot_a]);
  if (gap > kAngularReach + reach_time_ * std::max(closing, 0.0)) return;
  const auto change = [&](std::uint32_t slot) {
    return slot < s.awake() ? angular_velocity_of(s.orientation[slot], s.inverse_inertia[slot], n) : Vec3{};
  };
  Limit limit;
  limit.a = bodies.place(joint.slot_a), limit.b = bodies.place(joint.slot_b);
  limit.n = n, limit.change_a = change(joint.slot_a), limit.change_b = change(joint.slot_b);
  limit.inverse_mass = dot(n, limit.change_a) + dot(n, limit.change_b);
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
  for (const std::uint32_t index : joints_) {
    auto& lambda = joints[index].memory->lambda;
    std::fill(lambda.begin() + kKeyLower, lambda.end(), 0.0);
  }
  for (const Limit& limit : limits_) {
    if (limit.lambda == 0) continue;
    JointState& memory = *joints[limit.joint].memory;
    memory.lambda[limit.key] = count_ * limit.lambda;
    if (!limit.holds) memory.torque += (count_ * limit.lambda / time) * limit.n;
  }
}

}  // namespace rigor
