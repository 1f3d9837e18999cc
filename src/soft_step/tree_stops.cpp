// Limits of joint trees that hold, found together with the motion of their tree: an active set of
//
//   λ ≥ 0,   C + η Ċ ≥ 0,   λ (C + η Ċ) = 0
//
// It begins with what held in the last sub-step. Limits that the tree would exceed are added, those that would have to pull let go,
// and the tree is solved again with its matrix for the new set.
#include <algorithm>

#include "constraints/joint_limits.h"
#include "constraints/joint_pose.h"
#include "soft_step/tree_joints.h"

namespace rigor {

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
constexpr double kTurned = 0.05;   // rad: of such gaps at the end it is not asked whether they are that wide
constexpr int kMaxRounds = 5;      // of an active set,
constexpr int kReleaseRounds = 2;  // of which these may let go: no cycles

/// The gap of a limit for orientations of the joint's bodies.
double gap_at(const StepJoint& joint, const Quat& q_a, const Quat& q_b, int key) {
  const auto& kind = std::get<AxesJoint>(joint.def->kind);
  JointPose pose;
  pose.q_b = conjugate(q_a * joint.frame_a.rotation) * (q_b * joint.frame_b.rotation);
  const Mat3 r = rotation_matrix(pose.q_b);
  for (int i = 0; i < 3; ++i) pose.axis_a[i][i] = 1, pose.axis_b[i] = r.column(i);
  if (key == kKeySwing) return kind.max_swing - swing_angle(pose).value;
  if (key == kKeyTwist) return twist_angle(pose).value - kind.min_twist;
  if (key == kKeyTwist + 1) return kind.max_twist - twist_angle(pose).value;
  const bool is_lower = key < kKeyUpper;
  const int axis = key - (is_lower ? kKeyLower : kKeyUpper);
  const JointAxis& a = kind.axes[static_cast<std::size_t>(axis)];
  const double angle = within_range(a, joint_coordinate(kind, pose, axis).value);
  return is_lower ? angle - a.lower : a.upper - angle;
}

}  // namespace

void TreeJoints::add_limit(std::size_t joint, NearLimit limit) {
  limit.lane = lane_of_[joint];
  limit.n = memory_[limit.lane].sign * limit.n;
  limits_.push_back(limit);
}

void TreeJoints::add_late_limit(std::size_t joint, NearLimit limit, double eta) {
  const auto is_same = [&](const NearLimit& other) { return other.lane == lane_of_[joint] && other.key == limit.key; };
  if (std::any_of(limits_.begin(), limits_.end(), is_same)) return;
  limit.lambda = 0;
  limit.speed = wanted_speed(limit.C, eta, eta);
  add_limit(joint, limit);
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
  const std::size_t node = block.parent >= 0 ? kTreeLanes * static_cast<std::size_t>(block.parent) + l
                                             : static_cast<std::size_t>(block.parents[l]);
  return {block.u_w.get(l), task.blocks[node / kTreeLanes].u_w.get(node % kTreeLanes)};
}

/// rad/s, Ċ of u.
double TreeJoints::limit_speed(const TreeTask& task, const NearLimit& limit) {
  const auto [own, parent] = joint_spins(task, limit);
  return dot(limit.n, own - parent);
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
    limit.C = end_gap(task, limit);
    limit.speed = wanted_speed(limit.C, tree.left * eta, eta);
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

/// rad, at the end of the part.
double TreeJoints::end_gap(const TreeTask& task, const NearLimit& limit) {
  const std::size_t l = limit.lane % kTreeLanes;
  const TreeBlock& block = task.blocks[limit.lane / kTreeLanes];
  const std::size_t node = block.parent >= 0 ? kTreeLanes * static_cast<std::size_t>(block.parent) + l
                                             : static_cast<std::size_t>(block.parents[l]);
  const Quat own = block.end_q.get(l), parent = block.is_held
                                                    ? block.ground_q.get(l)
                                                    : task.blocks[node / kTreeLanes].end_q.get(node % kTreeLanes);
  const bool is_b = limit.joint->slot_b == block.body[l];
  return gap_at(*limit.joint, is_b ? parent : own, is_b ? own : parent, limit.key);
}

/// After the gaps are closed: limits that are exceeded at the end after all, the angles not being linear in the velocities, ask for
/// more speed. The trees that this concerns have a new first solution and are in the phase `iterating`.
bool TreeJoints::correct_limits(StepContext& c, const TreeTask& task, GroupRun& run, std::span<NearLimit> limits,
                                double eta) {
  std::array<bool, kTreeLanes> changes{};
  for (NearLimit& limit : limits) {
    const std::size_t t = task.blocks[limit.lane / kTreeLanes].tree[limit.lane % kTreeLanes];
    const TreeRun& tree = run.tree[t];
    if (tree.phase != Phase::converged) continue;
    const double part = tree.share * eta;
    // Most limits are far from being reached, or their joints do not turn that far.
    const auto [own, parent] = joint_spins(task, limit);
    const double linear = limit.C + part * dot(limit.n, own - parent), most = std::min(limit.C, 0.0) - kLinear;
    if (!limit.holds && linear > kTurned) continue;
    const double bend = kBend * part * part * (length_squared(own) + length_squared(parent));
    if (limit.is_smooth && linear - bend > most) continue;
    const double gap = end_gap(task, limit);
    if (gap > most) continue;
    limit.speed = (limit.holds ? limit.speed : limit_speed(task, limit)) + (std::min(limit.C, 0.0) - gap) / part;
    limit.holds = changes[t] = true;
  }
  bool any = false;
  for (std::size_t t = 0; t < kTreeLanes; ++t) any |= changes[t];
  if (!any) return false;
  for (std::size_t t = 0; t < kTreeLanes; ++t)
    if (changes[t]) run.tree[t].phase = Phase::iterating;
  write_stops(task, limits);
  factorise_trees(task, /*project=*/false);
  write_moves(task, run, Phase::iterating);
  kick(c, task, run);
  return true;
}

void TreeJoints::clear_stops(TreeBlock& block) {
  if (block.has_stops) block.has_stops = false, block.stop = {}, block.push = {};
}

}  // namespace rigor
