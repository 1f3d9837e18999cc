// Limits of joint trees: first which of them are near: of most joints in lanes (soft_step/limit_lanes.h), of the few that those leave undecided, and of joints
// with other coordinates than a hinge or a cone, one by one.
#include "soft_step/tree_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constraints/joint_limits.h"
#include "constraints/joint_pose.h"
#include "constraints/row_math.h"
#include "math/prefetch.h"
#include "soft_step/tree_joints.h"

namespace rigor {

namespace {

/// Where the angle of a limit is a smooth function of the turns (NearLimit::is_smooth). Swings are where their sine is
/// at least kLeastSwing, twists where |n|² = 2 / (1 + cos swing) is at most kLargestTwist.
constexpr double kLargestTwist = 2;

/// Joints that turn by less (rad) in a sub-step are not checked again: gaps below kTreeReach were near when it began. A twist changes by
/// up to |n| ≤ √2 times the turn, for swings up to a right angle.
constexpr double kTurnWorthALook = kTreeReach / 1.5;

/// The free axis of a hinge whose angle has limits, k of {x, y, z}; -1 for other joints.
int limited_hinge(const AxesJoint& kind) {
  if (count_locked_angles(kind) != 2 || limits_swing(kind) || limits_twist(kind)) return -1;
  for (int k = 0; k < 3; ++k)
    if (kind.axes[static_cast<std::size_t>(3 + k)].motion == AxisMotion::limited) return k;
  return -1;
}

/// The middle of the bounds, if there are two.
double middle_of(const JointAxis& a) { return std::isfinite(a.upper - a.lower) ? 0.5 * (a.lower + a.upper) : 0; }

bool has_only_a_cone(const AxesJoint& kind) {
  return std::none_of(kind.axes.begin() + 3, kind.axes.end(),
                      [](const JointAxis& a) { return a.motion == AxisMotion::limited; });
}

/// Sines and cosines cannot distinguish a bound beyond half a turn from one within it.
bool is_within_half_a_turn(const AxesJoint& kind) {
  const auto is_within = [](double angle) { return !std::isfinite(angle) || std::abs(angle) <= kPi; };
  if (const int k = limited_hinge(kind); k >= 0) {
    const JointAxis& a = kind.axes[static_cast<std::size_t>(3 + k)];
    const double middle = middle_of(a);
    return is_within(a.lower - middle) && is_within(a.upper - middle);
  }
  return is_within(kind.min_twist) && is_within(kind.max_twist) && is_within(kind.max_swing);
}

/// The cyclic rotation of the axes that takes x to axis k.
Quat from_first_axis(int k) {
  return k == 0 ? Quat{} : k == 1 ? Quat{0.5, 0.5, 0.5, 0.5} : Quat{0.5, -0.5, -0.5, -0.5};
}

void put_half(double angle, std::size_t lane, LaneNumber& cosine, LaneNumber& sine) {
  cosine[lane] = std::cos(0.5 * angle), sine[lane] = std::sin(0.5 * angle);
}

/// Bounds of a twist, measured from where they are half a turn away from the far side.
void put_twist(double lower, double upper, double middle, std::size_t lane, LimitBlock& block) {
  put_half(middle, lane, block.middle_cosine, block.middle_sine);
  const auto put_side = [&](LimitSide side, double bound, LaneNumber& cosine, LaneNumber& sine) {
    if (!std::isfinite(bound)) return;
    put_half(bound - middle, lane, cosine, sine);
    block.has[static_cast<std::size_t>(side)] |= static_cast<std::uint8_t>(1U << lane);
  };
  put_side(LimitSide::lower_twist, lower, block.lower_cosine, block.lower_sine);
  put_side(LimitSide::upper_twist, upper, block.upper_cosine, block.upper_sine);
}

void put_bounds(const AxesJoint& kind, std::size_t lane, LimitBlock& block) {
  if (const int k = limited_hinge(kind); k >= 0) {
    const JointAxis& a = kind.axes[static_cast<std::size_t>(3 + k)];
    return put_twist(a.lower, a.upper, middle_of(a), lane, block);
  }
  put_twist(kind.min_twist, kind.max_twist, 0, lane, block);
  if (!limits_swing(kind)) return;
  block.swing_cosine[lane] = std::cos(kind.max_swing), block.swing_sine[lane] = std::sin(kind.max_swing);
  block.has[static_cast<std::size_t>(LimitSide::swing)] |= static_cast<std::uint8_t>(1U << lane);
}

/// By side; hinges, which cannot swing, repeat one.
std::array<std::uint8_t, kLimitSides> keys(const AxesJoint& kind) {
  const auto key = [](int k) { return static_cast<std::uint8_t>(k); };
  if (const int k = limited_hinge(kind); k >= 0)
    return {key(kKeyLower + 3 + k), key(kKeyLower + 3 + k), key(kKeyUpper + 3 + k)};
  return {kKeySwing, kKeyTwist, key(kKeyTwist + 1)};
}

}  // namespace

void TreeLimits::begin(StepContext& c, const JointTrees& trees, int count, LaneWidth width) {
  count_ = count, width_ = width;
  if (trees.limited().empty()) {
    blocks_.clear(), limited_.clear(), others_.clear(), version_ = 0;
    return;
  }
  if (version_ != trees.revision()) build(c, trees);
}

void TreeLimits::find(StepContext& c, TreeJoints& trees, double eta) {
  if (limited_.empty() && others_.empty()) return trees.clear_limits();
  for (const NearLimit& limit : trees.limits()) limit.memory->lambda[limit.key] = count_ * limit.lambda;
  trees.clear_limits();
  reach_time_ = 2 * eta;
  find_near_limits(blocks_, c.world.state(), reach_time_, width_);
  for (std::size_t k = 0; k < blocks_.size(); ++k) take_near(c, k, trees);
  for (const std::uint32_t index : others_) find_near(c, index, trees);
  trees.sort_limits();
}

/// The joints forget the impulses of limits.
void TreeLimits::forget(StepContext& c) const {
  for (const Limited& joint : limited_)
    if (joint.memory)
      for (const std::uint8_t key : joint.key) joint.memory->lambda[key] = 0;
  for (const std::uint32_t index : others_) {
    auto& lambda = c.constraints.list().joints[index].memory->lambda;
    for (const int i : {3, 4, 5}) lambda[static_cast<std::size_t>(kKeyLower + i)] = 0;
    for (const int i : {3, 4, 5}) lambda[static_cast<std::size_t>(kKeyUpper + i)] = 0;
    for (const int i : {0, 1, 2}) lambda[static_cast<std::size_t>(kKeySwing + i)] = 0;
  }
}

void TreeLimits::store(StepContext& c, const TreeJoints& trees) const {
  forget(c);
  for (const NearLimit& limit : trees.limits()) limit.memory->lambda[limit.key] = count_ * limit.lambda;
}

/// Joints with cones come first: blocks without need not look at them.
void TreeLimits::build(StepContext& c, const JointTrees& trees) {
  const ConstraintList& list = c.constraints.list();
  version_ = trees.revision();
  blocks_.clear(), limited_.clear(), others_.clear();
  std::vector<std::uint32_t> cones, twists;
  for (const std::uint32_t index : trees.limited()) {
    const auto& kind = std::get<AxesJoint>(list.joints[index].def->kind);
    if ((limited_hinge(kind) < 0 && !has_only_a_cone(kind)) || !is_within_half_a_turn(kind))
      others_.push_back(index);
    else
      (limits_swing(kind) ? cones : twists).push_back(index);
  }
  for (const std::vector<std::uint32_t>& some : {cones, twists})
    for (std::size_t i = 0; i < some.size(); i += kTreeLanes)
      add_block(c, std::span(some).subspan(i, std::min<std::size_t>(kTreeLanes, some.size() - i)));
}

void TreeLimits::add_block(StepContext& c, std::span<const std::uint32_t> joints) {
  const BodyState& s = c.world.state();
  LimitBlock& block = blocks_.emplace_back();
  for (std::size_t lane = 0; lane < kTreeLanes; ++lane) {
    const std::uint32_t index = joints[std::min(lane, joints.size() - 1)];
    const StepJoint& joint = c.constraints.list().joints[index];
    const auto& kind = std::get<AxesJoint>(joint.def->kind);
    const Quat turn = from_first_axis(std::max(limited_hinge(kind), 0));
    const auto inverse_inertia = [&s](std::uint32_t slot) {
      return slot < s.awake() ? s.inverse_inertia[slot] : Vec3{};
    };
    block.slot_a[lane] = joint.slot_a, block.slot_b[lane] = joint.slot_b;
    block.frame_a.set(lane, joint.frame_a.rotation * turn), block.frame_b.set(lane, joint.frame_b.rotation * turn);
    block.inverse_a.set(lane, inverse_inertia(joint.slot_a)), block.inverse_b.set(lane, inverse_inertia(joint.slot_b));
    Limited& limited = limited_.emplace_back();
    if (lane >= joints.size()) continue;
    put_bounds(kind, lane, block);
    limited = {joint.memory, &joint, index, keys(kind)};
  }
}

void TreeLimits::take_near(StepContext& c, std::size_t index, TreeJoints& trees) const {
  const LimitBlock& block = blocks_[index];
  const unsigned any = block.near[0] | block.near[1] | block.near[2] | block.undecided;
  for (std::size_t i = kTreeLanes * (index + 2); i < std::min(kTreeLanes * (index + 3), limited_.size()); ++i)
    if (limited_[i].memory) prefetch(&limited_[i].memory->lambda[limited_[i].key.back()]);  // they lie apart
  if (any == 0) return;
  for (std::size_t lane = 0; lane < kTreeLanes; ++lane) {
    if (!(any >> lane & 1U)) continue;
    const Limited& joint = limited_[kTreeLanes * index + lane];
    if (block.undecided >> lane & 1U) {
      find_near(c, joint.joint, trees);
      continue;
    }
    for (std::size_t side = 0; side < kLimitSides; ++side) {
      if (block.near[side] >> lane & 1U)
        take_side(block, joint, side, lane, trees);
      else if (block.has[side] >> lane & 1U)
        add_far(joint, side, trees);
    }
  }
}

/// A limit that is not near, of a joint with another one that is.
void TreeLimits::add_far(const Limited& joint, std::size_t side, TreeJoints& trees) {
  NearLimit limit;
  limit.is_far = true, limit.C = kTreeReach;
  limit.memory = joint.memory, limit.key = joint.key[side], limit.joint = joint.step_joint;
  trees.add_limit(joint.joint, limit);
}

void TreeLimits::take_side(const LimitBlock& block, const Limited& joint, std::size_t side, std::size_t lane,
                           TreeJoints& trees) const {
  const LimitDirection& way = side == static_cast<std::size_t>(LimitSide::swing) ? block.swing : block.twist;
  if (!(way.inverse_mass[lane] > 0)) return;
  const double sign = side == static_cast<std::size_t>(LimitSide::upper_twist) ? -1 : 1;
  NearLimit limit;
  limit.n = sign * way.n.get(lane), limit.C = block.gap[side][lane], limit.mass = 1 / way.inverse_mass[lane];
  limit.memory = joint.memory, limit.key = joint.key[side], limit.joint = joint.step_joint;
  const bool is_swing = side == static_cast<std::size_t>(LimitSide::swing);
  limit.is_smooth = is_swing ? block.swing_sine[lane] >= kLeastSwing || block.swing_cosine[lane] < 0
                             : length_squared(limit.n) <= kLargestTwist;
  limit.lambda = joint.memory->lambda[limit.key] / count_;
  trees.add_limit(joint.joint, limit);
}

void TreeLimits::find_reached(StepContext& c, TreeJoints& trees, double eta) const {
  const StepBodies& bodies = c.constraints.bodies();
  const auto w = [&](std::uint32_t slot) { return bodies.u[static_cast<std::size_t>(bodies.place(slot))].w; };
  const std::size_t known = trees.limits().size();
  const auto look = [&](std::uint32_t index) {
    const StepJoint& joint = c.constraints.list().joints[index];
    const Vec3 spin = w(joint.slot_b) - w(joint.slot_a);
    if (eta * length(spin) > kTurnWorthALook) find_near(c, index, spin, eta, trees);
  };
  for (const Limited& joint : limited_)
    if (joint.memory) look(joint.joint);
  for (const std::uint32_t index : others_) look(index);
  if (trees.limits().size() > known) trees.sort_limits();
}

/// Finds the near limits of one joint of any kind, at any speed.
void TreeLimits::find_near(StepContext& c, std::uint32_t index, TreeJoints& trees) const {
  const BodyState& s = c.world.state();
  const StepJoint& joint = c.constraints.list().joints[index];
  find_near(c, index, s.angular_velocity[joint.slot_b] - s.angular_velocity[joint.slot_a], /*late=*/0, trees);
}

/// The same for a given relative angular velocity w in the world frame.
void TreeLimits::find_near(StepContext& c, std::uint32_t index, const Vec3& w, double late, TreeJoints& trees) const {
  const BodyState& s = c.world.state();
  const StepJoint& joint = c.constraints.list().joints[index];
  const Quat a = s.orientation[joint.slot_a] * joint.frame_a.rotation;
  Attitude at{joint, a, {}, rotate_inverse(a, w), late};
  at.pose.q_b = conjugate(a) * (s.orientation[joint.slot_b] * joint.frame_b.rotation);
  const Mat3 r = rotation_matrix(at.pose.q_b);
  for (int i = 0; i < 3; ++i) at.pose.axis_a[i][i] = 1, at.pose.axis_b[i] = r.column(i);
  // A joint that is at one of its limits may be turned to another one within the sub-step.
  bool has_near = false;
  for_limits(at, [&](int key, double gap, const Vec3& n) {
    const bool has_direction = key != kKeySwing || std::hypot(at.pose.axis_b[0].y, at.pose.axis_b[0].z) >= kLeastSwing;
    const double speed = has_direction ? std::max(-dot(n, at.w), 0.0) : std::hypot(at.w.y, at.w.z);
    has_near = has_near || gap <= std::max(kTreeReach, kAngularReach + reach_time_ * speed);
  });
  if (!has_near) return;
  for_limits(at, [&](int key, double gap, const Vec3& n) { add(c, index, at, key, gap, n, trees); });
}

template <class Visit> void TreeLimits::for_limits(const Attitude& at, const Visit& visit) {
  const auto& kind = std::get<AxesJoint>(at.joint.def->kind);
  const auto between = [&](int lower_key, int upper_key, const JointCoordinate& angle, double value, double lower,
                           double upper) {
    visit_bounds(lower_key, upper_key, value, lower, upper,
                 [&](int key, double gap, int sign) { visit(key, gap, sign * part(angle.J, 9)); });
  };
  for (int i = 3; i < 6; ++i) {
    const JointAxis& a = kind.axes[static_cast<std::size_t>(i)];
    if (a.motion != AxisMotion::limited) continue;
    const JointCoordinate angle = joint_coordinate(kind, at.pose, i);
    between(kKeyLower + i, kKeyUpper + i, angle, within_range(a, angle.value), a.lower, a.upper);
  }
  if (limits_swing(kind)) {
    const JointCoordinate angle = swing_angle(at.pose);
    between(kKeySwing, kKeySwing, angle, angle.value, -std::numeric_limits<double>::infinity(), kind.max_swing);
  }
  if (limits_twist(kind)) {
    const JointCoordinate angle = twist_angle(at.pose);
    between(kKeyTwist, kKeyTwist + 1, angle, angle.value, kind.min_twist, kind.max_twist);
  }
}

/// n in the axes of the joint's frame a.
void TreeLimits::add(StepContext& c, std::uint32_t index, const Attitude& at, int key, double gap, const Vec3& n,
                     TreeJoints& trees) const {
  const BodyState& s = c.world.state();
  const StepJoint& joint = at.joint;
  NearLimit limit;
  limit.n = rotate(at.to_world, n);
  const auto change = [&](std::uint32_t slot) {
    return slot < s.awake() ? angular_velocity_of(s.orientation[slot], s.inverse_inertia[slot], limit.n) : Vec3{};
  };
  const double inverse_mass = dot(limit.n, change(joint.slot_a)) + dot(limit.n, change(joint.slot_b));
  if (!(inverse_mass > 0)) return;
  limit.mass = 1 / inverse_mass, limit.memory = joint.memory, limit.joint = &joint;
  limit.C = gap, limit.lambda = joint.memory->lambda[static_cast<std::size_t>(key)] / count_;
  limit.key = static_cast<std::uint8_t>(key);
  if (at.late > 0)
    trees.add_late_limit(index, limit, at.late);
  else
    trees.add_limit(index, limit);
}

// Limits of joint trees that hold, found together with the motion of their tree: an active set of
//
//   λ ≥ 0,   C + η Ċ ≥ 0,   λ (C + η Ċ) = 0
//
// It begins with what held in the last sub-step. Limits that the tree would exceed are added, those that would have to pull let go,
// and the tree is solved again with its matrix for the new set.

namespace {

/// k of a limit that holds, relative to the inertia of the two bodies alone. Chosen: whole trees weigh less, and rounding allows it.
constexpr double kRigid = 1e6;
constexpr double kSmallAngle = 1e-5;  // rad: what a limit may be exceeded by before it holds
/// Part of an angle beyond a limit that is moved back in a sub-step. Chosen.
constexpr double kRecovery = 0.25;
constexpr double kLinear = 2e-3;  // rad: what a limit may be exceeded by because angles are not linear in velocities
/// An angle at the end of a part differs from its linear prediction by at most kBend (θ_a² + θ_b²), θ being the turns
/// of the joint's two bodies. The bound covers hinge angles, twists up to a swing of π/2 (|ṅ| ≤ 2.5 |ω|), swings beyond
/// kLeastSwing of tree_limits.cpp (½ cot), rotations that do not commute, and angular velocities that change as bodies
/// turn.
constexpr double kBend = 8;
constexpr double kTurned = 0.05;  // rad: gaps that are predicted to be wider are not computed
constexpr double kExceeded =
    0.02;  // rad: what corrections may leave of an excess; chosen: ten times what they begin at
constexpr int kSparedHalvings = 3;  // of a part: those that are left to gaps that do not close
constexpr int kMaxRounds = 5;       // of an active set,
constexpr int kReleaseRounds = 2;   // of which these may let go: no cycles

/// The gap of a limit, and the axis about which the second body turns when it grows.
struct LimitPose {
  double gap;  // rad
  Vec3 n;      // in the world frame
};

/// A limit for orientations of the joint's bodies.
LimitPose limit_at(const StepJoint& joint, const Quat& q_a, const Quat& q_b, int key) {
  const auto& kind = std::get<AxesJoint>(joint.def->kind);
  const Quat a = q_a * joint.frame_a.rotation;
  JointPose pose;
  pose.q_b = conjugate(a) * (q_b * joint.frame_b.rotation);
  const Mat3 r = rotation_matrix(pose.q_b);
  for (int i = 0; i < 3; ++i) pose.axis_a[i][i] = 1, pose.axis_b[i] = r.column(i);
  const auto from = [&](const JointCoordinate& angle, double value, double bound, bool is_lower) {
    const double sign = is_lower ? 1 : -1;
    return LimitPose{sign * (value - bound), sign * rotate(a, part(angle.J, 9))};
  };
  if (key == kKeySwing) {
    const JointCoordinate angle = swing_angle(pose);
    return from(angle, angle.value, kind.max_swing, false);
  }
  if (key == kKeyTwist || key == kKeyTwist + 1) {
    const JointCoordinate angle = twist_angle(pose);
    return from(angle, angle.value, key == kKeyTwist ? kind.min_twist : kind.max_twist, key == kKeyTwist);
  }
  const bool is_lower = key < kKeyUpper;
  const int axis = key - (is_lower ? kKeyLower : kKeyUpper);
  const JointAxis& bounds = kind.axes[static_cast<std::size_t>(axis)];
  const JointCoordinate angle = joint_coordinate(kind, pose, axis);
  return from(angle, within_range(bounds, angle.value), is_lower ? bounds.lower : bounds.upper, is_lower);
}

/// The lane, among all lanes, of the parent of a link.
std::size_t parent_of(const TreeBlock& block, std::size_t l) {
  return block.parent >= 0 ? kTreeLanes * static_cast<std::size_t>(block.parent) + l
                           : static_cast<std::size_t>(block.parents[l]);
}

}  // namespace

void TreeJoints::add_limit(std::size_t joint, NearLimit limit) {
  limit.lane = lane_of_[joint];
  limit.n = memory_[limit.lane].sign * limit.n;
  limits_.push_back(limit);
}

void TreeJoints::add_late_limit(std::size_t joint, NearLimit limit, double eta) {
  const auto is_same = [&](const NearLimit& other) { return other.lane == lane_of_[joint] && other.key == limit.key; };
  const auto known = std::find_if(limits_.begin(), limits_.end(), is_same);
  if (known != limits_.end() && !known->is_far) return;
  limit.lambda = 0;
  limit.speed = wanted_speed(limit.C, eta, eta);
  if (known == limits_.end()) return add_limit(joint, limit);
  limit.lane = known->lane, limit.n = memory_[limit.lane].sign * limit.n;
  *known = limit;
}

/// By group, and in an order that does not depend on other trees.
void TreeJoints::sort_limits() {
  limit_order_.clear();  // limits are large: they are moved once
  for (std::size_t i = 0; i < limits_.size(); ++i) limit_order_.push_back({limits_[i].lane, limits_[i].key, i});
  std::sort(limit_order_.begin(), limit_order_.end());
  next_limits_.clear();
  for (const auto& [lane, key, i] : limit_order_) next_limits_.push_back(limits_[i]);
  limits_.swap(next_limits_);
  first_limit_.assign(lanes_.groups.size() + 1, limits_.size());
  std::size_t k = 0;
  for (std::size_t g = 0; g < lanes_.groups.size(); ++g) {
    while (k < limits_.size() && limits_[k].lane / kTreeLanes < lanes_.groups[g].begin) ++k;
    first_limit_[g] = k;
  }
}

std::span<NearLimit> TreeJoints::limits_of(std::size_t g) {
  if (limits_.empty()) return {};
  return std::span(limits_).subspan(first_limit_[g], first_limit_[g + 1] - first_limit_[g]);
}

/// rad/s, ω of the link and of its parent, by u.
std::pair<Vec3, Vec3> TreeJoints::joint_spins(const TreeTask& task, const NearLimit& limit) {
  const std::size_t l = limit.lane % kTreeLanes;
  const TreeBlock& block = task.blocks[limit.lane / kTreeLanes];
  if (block.is_held) return {block.u_w.get(l), block.ground_w.get(l)};
  const std::size_t node = parent_of(block, l);
  return {block.u_w.get(l), task.blocks[node / kTreeLanes].u_w.get(node % kTreeLanes)};
}

/// True if the tree may take half of its part because of its limits.
bool TreeJoints::may_halve_for_limits(const TreeRun& tree) {
  return tree.halvings + kSparedHalvings < tree.most_halvings;
}

/// rad/s, Ċ of u.
double TreeJoints::limit_speed(const TreeTask& task, const NearLimit& limit) {
  const auto [own, parent] = joint_spins(task, limit);
  return dot(limit.n, own - parent);
}

/// kg m², of the two bodies alone; 0 if they cannot turn.
double TreeJoints::limit_mass(const TreeTask& task, const NearLimit& limit) {
  const auto mobility = [&](std::size_t node) {
    const LaneSym3& I = task.blocks[node / kTreeLanes].inertia;
    const std::size_t l = node % kTreeLanes;
    return dot(limit.n, inverse(full({I.xx[l], I.xy[l], I.xz[l], I.yy[l], I.yz[l], I.zz[l]})) * limit.n);
  };
  const TreeBlock& block = task.blocks[limit.lane / kTreeLanes];
  double sum = mobility(limit.lane);
  if (!block.is_held) sum += mobility(parent_of(block, limit.lane % kTreeLanes));
  return sum > 0 ? 1 / sum : 0;
}

/// Before the first solve of a sub-step: what held in the last one.
void TreeJoints::begin_limits(const TreeTask& task, std::span<NearLimit> limits, double eta) const {
  for (NearLimit& limit : limits) {
    limit.holds = limit.lambda > 0;
    limit.speed = wanted_speed(limit.C, eta, eta);
  }
  write_stops(task, limits);
}

/// A bound that is apart is reached in the time that is left; what is beyond it comes back by a part in every sub-step.
double TreeJoints::wanted_speed(double gap, double left, double eta) const {
  return gap > 0 ? -gap / left : std::min(-kRecovery * gap / eta, max_push_);
}

/// At the end of a part: the gaps that the next one begins with.
void TreeJoints::follow_limits(const TreeTask& task, const GroupRun& run, std::span<NearLimit> limits,
                               double eta) const {
  for (NearLimit& limit : limits) {
    const TreeRun& tree = run.tree[task.blocks[limit.lane / kTreeLanes].tree[limit.lane % kTreeLanes]];
    if (tree.phase != Phase::converged || tree.is_done()) continue;
    std::tie(limit.C, limit.n) = gap_at_end(task, limit);
    limit.mass = limit_mass(task, limit), limit.is_far = false;
    limit.speed = wanted_speed(limit.C, tree.left * eta, eta);
    limit.holds = limit.holds && limit.C <= kLinear;
  }
  if (!limits.empty()) write_stops(task, limits);
}

/// The limits that hold become a part of the matrix.
void TreeJoints::write_stops(const TreeTask& task, std::span<const NearLimit> limits) {
  for (std::size_t i = task.group.begin; i < task.group.end; ++i) clear_stops(task.blocks[i]);
  for (const NearLimit& limit : limits) {
    if (!limit.holds) continue;
    TreeBlock& block = task.blocks[limit.lane / kTreeLanes];
    const std::size_t l = limit.lane % kTreeLanes;
    const Vec3 &n = limit.n, kn = kRigid * limit.mass * n;
    LaneSym3& P = block.stop;
    block.has_stops = true;
    P.xx[l] += kn.x * n.x, P.xy[l] += kn.x * n.y, P.xz[l] += kn.x * n.z;
    P.yy[l] += kn.y * n.y, P.yz[l] += kn.y * n.z, P.zz[l] += kn.z * n.z;
    block.push.set(l, block.push.get(l) + limit.speed * kn);
  }
}

/// Updates the active set of limits according to u; the trees of changed limits are in the phase `iterating` afterwards.
bool TreeJoints::change_limits(const TreeTask& task, GroupRun& run, std::span<NearLimit> limits, double eta,
                               bool releases) {
  bool changes = false;
  for (TreeRun& tree : run.tree) tree.phase = Phase::idle;
  for (NearLimit& limit : limits) {
    if (limit.is_far) continue;
    const double speed = limit_speed(task, limit);
    if (limit.holds) limit.lambda = kRigid * limit.mass * (limit.speed - speed);
    const bool takes = !limit.holds && eta * (limit.speed - speed) > kSmallAngle;
    const bool drops = limit.holds && releases && limit.lambda < 0;
    if (!takes && !drops) continue;
    limit.holds = takes, changes = true;
    if (drops) limit.lambda = 0;
    run.tree[task.blocks[limit.lane / kTreeLanes].tree[limit.lane % kTreeLanes]].phase = Phase::iterating;
  }
  return changes;
}

/// Solves trees again whose limits do not hold as it was assumed.
void TreeJoints::settle_limits(StepContext& c, const TreeTask& task, GroupRun& run, std::span<NearLimit> limits,
                               double eta) {
  if (limits.empty()) return;
  for (int k = 0; k < kMaxRounds && change_limits(task, run, limits, eta, k < kReleaseRounds); ++k) {
    write_stops(task, limits);
    factorise_trees(task, /*project=*/false);
    write_moves(task, run, Phase::iterating);
    kick(c, task, run, /*drifts=*/false, /*has_predicted=*/true);
  }
  for (TreeRun& tree : run.tree) tree.phase = Phase::idle;
  write_moves(task, run, Phase::idle);
  run.had_stops = std::any_of(limits.begin(), limits.end(), [](const NearLimit& limit) { return limit.holds; });
  for (NearLimit& limit : limits)
    limit.lambda = limit.holds ? std::max(kRigid * limit.mass * (limit.speed - limit_speed(task, limit)), 0.0) : 0;
}

/// The gap at the end of the part, and the axis about which the link turns when it grows.
std::pair<double, Vec3> TreeJoints::gap_at_end(const TreeTask& task, const NearLimit& limit) {
  const std::size_t l = limit.lane % kTreeLanes;
  const TreeBlock& block = task.blocks[limit.lane / kTreeLanes];
  const std::size_t node = parent_of(block, l);
  const Quat own = block.end_q.get(l), parent = block.is_held
                                                    ? block.ground_q.get(l)
                                                    : task.blocks[node / kTreeLanes].end_q.get(node % kTreeLanes);
  const bool is_b = limit.joint->slot_b == block.body[l];
  const LimitPose end = limit_at(*limit.joint, is_b ? parent : own, is_b ? own : parent, limit.key);
  return {end.gap, is_b ? end.n : -end.n};
}

void TreeJoints::begin_corrections(std::span<NearLimit> limits, std::vector<NearLimit>& start) {
  for (NearLimit& limit : limits) limit.excess = kUnbounded;
  start.assign(limits.begin(), limits.end());
}

/// The limit at the end of the part, if it is exceeded there: what it is exceeded by beyond what may stay, and its axis.
std::optional<TreeJoints::Exceeded> TreeJoints::find_exceeded(const TreeTask& task, const NearLimit& limit,
                                                              double part) {
  // Most limits are far from being reached, or their joints do not turn that far.
  const auto [own, parent] = joint_spins(task, limit);
  const double linear = limit.C + part * dot(limit.n, own - parent), most = std::min(limit.C, 0.0) - kLinear;
  const double bend = kBend * part * part * (length_squared(own) + length_squared(parent));
  if (!limit.holds && !limit.is_far && linear > std::max(kTurned, bend)) return {};
  if (limit.is_far && part * length(own - parent) <= kTurnWorthALook) return {};
  if (limit.is_smooth && linear - bend > most) return {};
  const auto [gap, n] = gap_at_end(task, limit);
  if (gap > most) return {};
  return Exceeded{gap, most - gap, n};
}

/// After the gaps are closed: limits that are exceeded at the end after all, the angles not being linear in the velocities, ask for
/// more speed. The trees that this concerns have a new first solution and are in the phase `iterating`. Trees in which a limit is exceeded by more
/// than before its last correction fail, or stay as they are.
bool TreeJoints::correct_limits(StepContext& c, const TreeTask& task, GroupRun& run, std::span<NearLimit> limits,
                                double eta) {
  thread_local std::vector<std::pair<NearLimit*, Exceeded>> found;
  found.clear();
  std::array<bool, kTreeLanes> diverges{}, changes{};
  const auto tree_of = [&](const NearLimit& limit) {
    return task.blocks[limit.lane / kTreeLanes].tree[limit.lane % kTreeLanes];
  };
  for (NearLimit& limit : limits) {
    const std::size_t t = tree_of(limit);
    if (run.tree[t].phase != Phase::converged) continue;
    const std::optional<Exceeded> exceeded = find_exceeded(task, limit, run.tree[t].share * eta);
    if (!exceeded) continue;
    diverges[t] = diverges[t] || !(exceeded->excess < limit.excess);
    found.emplace_back(&limit, *exceeded);
  }
  for (std::size_t t = 0; t < kTreeLanes; ++t)
    if (diverges[t] && may_halve_for_limits(run.tree[t])) run.tree[t].phase = Phase::failed;
  for (const auto& [limit, exceeded] : found) {
    const std::size_t t = tree_of(*limit);
    if (diverges[t]) continue;
    const double part = run.tree[t].share * eta;
    if (limit->is_far || (!limit->holds && !limit->is_smooth)) {  // a swing that began near zero has no direction there
      limit->n = exceeded.n, limit->is_far = false;
      limit->mass = limit_mass(task, *limit);
    }
    limit->excess = exceeded.excess;
    limit->speed =
        (limit->holds ? limit->speed : limit_speed(task, *limit)) + (std::min(limit->C, 0.0) - exceeded.gap) / part;
    limit->holds = changes[t] = true;
  }
  if (std::none_of(changes.begin(), changes.end(), [](bool yes) { return yes; })) return false;
  for (std::size_t t = 0; t < kTreeLanes; ++t)
    if (changes[t]) run.tree[t].phase = Phase::iterating;
  write_stops(task, limits);
  factorise_trees(task, /*project=*/false);
  write_moves(task, run, Phase::iterating);
  kick(c, task, run);
  return true;
}

/// Trees fail, and take half of the part, where the corrections of their limits have not converged: a limb of little inertia about one
/// axis answers a limit by spinning about that axis, and the gap changes by the square of this turn. Their limits are those of the start of the part.
void TreeJoints::end_corrections(const TreeTask& task, GroupRun& run, std::span<NearLimit> limits,
                                 std::span<const NearLimit> start, double eta) const {
  const auto tree_of = [&](const NearLimit& limit) -> TreeRun& {
    return run.tree[task.blocks[limit.lane / kTreeLanes].tree[limit.lane % kTreeLanes]];
  };
  for (const NearLimit& limit : limits) {
    TreeRun& tree = tree_of(limit);
    if (limit.holds && tree.phase == Phase::converged && may_halve_for_limits(tree) &&
        gap_at_end(task, limit).first < std::min(limit.C, 0.0) - kExceeded)
      tree.phase = Phase::failed;
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const TreeRun& tree = tree_of(limits[i]);
    if (tree.phase != Phase::failed) continue;
    limits[i] = start[i];
    limits[i].speed = wanted_speed(limits[i].C, tree.left * eta, eta);
  }
}

void TreeJoints::clear_stops(TreeBlock& block) {
  if (block.has_stops) block.has_stops = false, block.stop = {}, block.push = {};
}

}  // namespace rigor
