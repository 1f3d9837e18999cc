#include "soft_step/tree_joints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "constraints/joint_rows.h"
#include "integrators/rotation.h"
#include "math/prefetch.h"

namespace rigor {

namespace {

constexpr std::size_t kAhead = 8;  // links: a joint's memory is far from the next one's, and known that early

}  // namespace

void TreeJoints::choose(StepContext& c, const JointTrees& all, std::span<const std::uint8_t> included) {
  if (!trees_.take(all, c.constraints.list(), included)) return;
  is_new_ = true;
  lanes_.build(trees_, c.world.state());
  if (!trees_.limited().empty())
    for (TreeGroup& group : lanes_.groups) group.has_torques = true;
  runs_.assign(lanes_.groups.size(), {});
  limits_.clear();
  for (GroupRun& run : runs_) run.gap = std::numeric_limits<double>::infinity();
  find_memories(c);
}

void TreeJoints::find_memories(StepContext& c) {
  memory_.assign(kTreeLanes * lanes_.blocks.size(), {});
  reactions_.assign(lanes_.blocks.size(), {});
  lane_of_.assign(c.constraints.list().joints.size(), 0);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const int link = lanes_.blocks[i / kTreeLanes].link[i % kTreeLanes];
    const int joint = link < 0 ? -1 : trees_.links()[static_cast<std::size_t>(link)].joint;
    if (joint < 0) continue;
    const StepJoint& from = c.constraints.list().joints[static_cast<std::size_t>(joint)];
    lane_of_[static_cast<std::size_t>(joint)] = static_cast<std::uint32_t>(i);
    const bool is_b = trees_.links()[static_cast<std::size_t>(link)].is_b;
    const bool is_all_ours = rows_left()[static_cast<std::size_t>(joint)] == JointRows::none;
    memory_[i] = {from.memory, is_b ? 1.0 : -1.0, is_all_ours};
    LinkReactions& reactions = reactions_[i / kTreeLanes];
    reactions.frame_a.set(i % kTreeLanes, from.frame_a.rotation);
    reactions.slot_a[i % kTreeLanes] = from.slot_a, reactions.sign[i % kTreeLanes] = memory_[i].sign;
  }
}

void TreeJoints::begin(int count, double sub_step, double max_push, LaneWidth width) {
  count_ = count, max_push_ = max_push, width_ = width;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    fetch_ahead(i);
    if (const LinkMemory& m = memory_[i]; m.state)
      lanes_.blocks[i / kTreeLanes].lambda.set(i % kTreeLanes, (m.sign * sub_step) * m.state->force);
  }
  for (GroupRun& run : runs_) run.refused = 0;
}

/// Joints have their memories in places that no machine foresees.
void TreeJoints::fetch_ahead(std::size_t i) const {
  if (i + kAhead >= memory_.size() || !memory_[i + kAhead].state) return;
  prefetch(memory_[i + kAhead].state->lambda.data());
  prefetch(&memory_[i + kAhead].state->force);
}

void TreeJoints::start(StepContext& c, bool is_first) {
  const BodyState& s = c.world.state();
  const auto kinematic = static_cast<std::ptrdiff_t>(s.begin(BodySet::kinematic)),
             still = static_cast<std::ptrdiff_t>(s.end(BodySet::kinematic));
  holder_x_.assign(s.position.begin() + kinematic, s.position.begin() + still);
  holder_q_.assign(s.orientation.begin() + kinematic, s.orientation.begin() + still);
  for_groups(c, [&](const TreeTask& task, std::size_t g) {
    GroupRun& run = runs_[g];
    const bool is_where_it_was = start_trees(task, c.world.state(), run.is_factorised);
    if (!is_where_it_was) run.is_factorised = false;
    // Joints that the last sub-step, or step, has closed are still closed unless their bodies were moved since.
    if (!run.is_open && run.gap <= kTolerance && (!is_first || is_where_it_was)) return;
    run.is_open = false;
    for_links(task, [](TreeBlock& block, std::size_t l) { block.goal.set(l, {}), block.goal_w.set(l, {}); });
    run.gap = std::sqrt(observe_trees(task, c.world.state()));
  });
}

/// Where the bodies that hold trees are at the end of each tree's part.
void TreeJoints::place_holders(StepContext& c, const TreeTask& task, const GroupRun& run, double eta) const {
  const BodyState& s = c.world.state();
  const std::uint32_t kinematic = s.begin(BodySet::kinematic);
  for (std::size_t i = task.group.begin; i < task.group.end; ++i) {
    TreeBlock& block = task.blocks[i];
    if (!block.is_held) continue;
    for (std::size_t l = 0; l < kTreeLanes; ++l) {
      const std::uint32_t slot = block.parent_body[l];
      const TreeRun& tree = run.tree[block.tree[l]];
      const double time = (1 - tree.left + tree.share) * eta;
      const bool is_still = slot >= s.end(BodySet::kinematic);
      const Vec3 v = is_still ? Vec3{} : s.velocity[slot], w = is_still ? Vec3{} : s.angular_velocity[slot];
      block.ground_v.set(l, v), block.ground_w.set(l, w);
      block.ground_x.set(l, is_still ? s.position[slot] : holder_x_[slot - kinematic] + time * v);
      block.ground_q.set(l, is_still ? s.orientation[slot] : turned(holder_q_[slot - kinematic], w, time));
    }
  }
}

void TreeJoints::solve(StepContext& c, double eta, bool is_alone) {
  for_groups(c, [&](const TreeTask& task, std::size_t g) {
    GroupRun& run = runs_[g];
    run.is_alone = is_alone, run.has_drifted = false;
    // Angles are gaps at the longest arm, which may be short.
    double shortest = 1;
    for (int t = 0; t < task.group.trees; ++t)
      shortest = std::min(shortest, task.group.shape[static_cast<std::size_t>(t)].size);
    run.is_open = run.gap > max_push_ * eta * shortest;
    take_outer(task, c.constraints.bodies().u);
    plan(task, run, eta);
    if (run.is_open) leave_open(c, task, run, eta);
    place_holders(c, task, run, eta);
    const std::span<NearLimit> limits = limits_of(g);
    if (!limits.empty() || run.had_stops) begin_limits(task, limits, eta);
    const bool has_stops =
        std::any_of(limits.begin(), limits.end(), [](const NearLimit& limit) { return limit.holds; });
    if (!run.is_factorised || has_stops || run.had_stops) factorise_trees(task, /*project=*/false);
    run.is_factorised = true, run.had_stops = has_stops;
    kick(c, task, run, /*drifts=*/is_alone && limits.empty());
    settle_limits(c, task, run, limits, eta);
    if (!is_alone) give_velocities(task, c.constraints.bodies().u);
  });
}

void TreeJoints::couple(StepContext& c) {
  for_groups(c, [&](const TreeTask& task, std::size_t g) {
    std::vector<BodyVelocity>& u = c.constraints.bodies().u;
    if (!runs_[g].is_factorised) {
      bool has_changed = false;
      for_links(task, [&](const TreeBlock& block, std::size_t l) {
        const BodyVelocity& now = u[block.body[l]];
        has_changed = has_changed || now.v != block.u_v.get(l) || now.w != block.u_w.get(l);
      });
      if (!has_changed) return;
      factorise_trees(task, /*project=*/false);
      runs_[g].is_factorised = true;
    }
    couple_trees(task, u);
  });
}

void TreeJoints::store(StepContext& c, double time) {
  const double per_second = 1 / time;
  const bool forget = std::exchange(is_new_, false);  // what others have left in joints that are all ours now
  for (std::size_t g = 0; g < lanes_.groups.size(); ++g) find_reactions(task(g), c.world.state(), count_, reactions_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const LinkMemory& m = memory_[i];
    fetch_ahead(i);
    if (!m.state) continue;
    const LinkReactions& reactions = reactions_[i / kTreeLanes];
    const std::size_t l = i % kTreeLanes;
    const Vec3 force = per_second * reactions.impulse.get(l), torque = per_second * reactions.angular.get(l);
    if (m.is_all_ours && forget) m.state->lambda = {};
    for (int k = 0; k < 3; ++k) m.state->lambda[static_cast<std::size_t>(kKeyLocked + k)] = reactions.along.get(l)[k];
    m.state->force = m.is_all_ours ? force : m.state->force + force;
    m.state->torque = m.is_all_ours ? torque : m.state->torque + torque;
  }
}

// Joints of trees that are far from closed, or that were opened from outside.

namespace {

/// Resistance of joints against turning, relative to the mass and the size of the link: the tree follows as a whole, so that limits and
/// what hangs on it stay as they are.
constexpr double kFollowing = 1000;
constexpr double kMovedWeight = 1e6;  // of a body that others have moved, relative to its mass: it leads

bool was_moved(const BodyState& s, const TreeBlock& block, std::size_t l) {
  const std::uint32_t slot = block.body[l];
  return s.position[slot] != block.end_x.get(l) || s.orientation[slot] != block.end_q.get(l);
}

void put_inertia(const Sym3& I, std::size_t l, LaneSym3& to) {
  to.xx[l] = I.xx, to.xy[l] = I.xy, to.xz[l] = I.xz, to.yy[l] = I.yy, to.yz[l] = I.yz, to.zz[l] = I.zz;
}

void stiffen_joint(TreeBlock& block, std::size_t l) {
  if (block.kind == TreeLink::Kind::root) return;
  const double k = kFollowing * block.mass[l] * block.size[l] * block.size[l];
  block.has_stops = true;
  block.push.set(l, {});
  put_inertia({k, 0, 0, k, 0, k}, l, block.stop);
}

/// The rotation that closes a hinge or fixed joint (lane_joints-inl.h).
Vec3 turn_of(const BodyState& s, const TreeBlock& block, std::size_t l) {
  const Quat own = s.orientation[block.body[l]], parent = s.orientation[block.parent_body[l]];
  if (block.kind == TreeLink::Kind::hinge)
    return cross(rotate(own, block.axis_own.get(l)), rotate(parent, block.axis_parent.get(l)));
  if (block.kind != TreeLink::Kind::fixed) return {};
  const Quat turn = parent * block.frame_parent.get(l) * conjugate(own * block.frame_own.get(l));
  return (turn.w < 0 ? -2.0 : 2.0) * Vec3{turn.x, turn.y, turn.z};
}

}  // namespace

/// Joints that are far from closed come together at max_push, m/s and rad/s, more or less: their tree need not be solved exactly.
void TreeJoints::leave_open(StepContext& c, const TreeTask& task, GroupRun& run, double eta) const {
  const BodyState& s = c.world.state();
  for_links(task, [&](TreeBlock& block, std::size_t l) {
    if (block.kind == TreeLink::Kind::root) return;
    const auto pivot = [&s](std::uint32_t slot, const Vec3& local) {
      return s.position[slot] + rotate(s.orientation[slot], local);
    };
    const Vec3 gap =
        pivot(block.body[l], block.own_local.get(l)) - pivot(block.parent_body[l], block.parent_local.get(l));
    const double wide = length(gap), most = max_push_ * eta;
    if (wide > most) block.goal.set(l, (1 - most / wide) * gap);
    const Vec3 turn = turn_of(s, block, l);
    const double angle = length(turn);
    if (angle > most) block.goal_w.set(l, (1 - most / angle) * turn);
    if (wide > most || angle > most) run.tree[block.tree[l]].tolerance = most;
  });
}

void TreeJoints::close(StepContext& c) {
  for_groups(c, [&](const TreeTask& task, std::size_t g) { close_group(c, task, runs_[g]); });
}

/// The least displacement, by mass, that closes the gaps; bodies that were moved stay where they are as far as they can.
void TreeJoints::close_group(StepContext& c, const TreeTask& task, GroupRun& run) {
  const BodyState& s = c.world.state();
  bool moved = false;
  for_links(task, [&](TreeBlock& block, std::size_t l) { moved = moved || was_moved(s, block, l); });
  if (!moved) return;
  run.is_factorised = false;
  for_links(task, [&](TreeBlock& block, std::size_t l) {
    stiffen_joint(block, l);
    const std::uint32_t slot = block.body[l];
    const double weight = was_moved(s, block, l) ? kMovedWeight : 1;
    block.mass[l] = weight / s.inverse_mass[slot];
    put_inertia(rotated_diagonal(rotation_matrix(s.orientation[slot]), weight * s.inertia[slot]), l, block.inertia);
  });
  for (int k = 0; k < kMaxIterations && observe_trees(task, s) > kTolerance * kTolerance; ++k) displace(c, task);
  for (std::size_t i = task.group.begin; i < task.group.end; ++i) clear_stops(task.blocks[i]);
  for_links(task, [&](TreeBlock& block, std::size_t l) { block.mass[l] = 1 / s.inverse_mass[block.body[l]]; });
}

void TreeJoints::displace(StepContext& c, const TreeTask& task) {
  BodyState& s = c.world.state();
  place_joints(task);
  displace_trees(task);
  for_links(task, [&](const TreeBlock& block, std::size_t l) {
    const std::uint32_t slot = block.body[l];
    s.position[slot] += block.delta_v.get(l);
    s.orientation[slot] = normalized(quaternion_from_rotation_vector(block.delta_w.get(l)) * s.orientation[slot]);
  });
}

void TreeRecord::begin(const JointTrees& trees) {
  links_ = trees.links();
  gained_.assign(links_.size(), {});
}

TreeRecord::Momentum TreeRecord::momentum(const BodyState& s, const BodyVelocity& u, std::uint32_t slot) {
  const Quat& q = s.orientation[slot];
  return {(1 / s.inverse_mass[slot]) * u.v, rotate(q, scale(s.inertia[slot], rotate_inverse(q, u.w)))};
}

void TreeRecord::start(const BodyState& s, std::span<const BodyVelocity> u) {
  before_.clear();
  for (const TreeLink& link : links_) before_.push_back(momentum(s, u[link.body], link.body));
}

void TreeRecord::stop(const BodyState& s, std::span<const BodyVelocity> u) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Momentum now = momentum(s, u[links_[k].body], links_[k].body);
    gained_[k].p += now.p - before_[k].p;
    gained_[k].L += now.L - before_[k].L;
  }
}

void TreeRecord::write(const ConstraintList& list, const BodyState& s, std::vector<ConstraintImpulse>& to) {
  for (std::size_t k = links_.size(); k-- > 0;) {  // children come after their parents
    const TreeLink& link = links_[k];
    if (link.joint < 0) continue;
    const Vec3 pivot = s.position[link.body] + rotate(s.orientation[link.body], link.own.translation);
    const Momentum& own = gained_[k];
    const Vec3 turn = own.L + cross(s.position[link.body] - pivot, own.p);
    const Momentum back{own.p, turn + cross(pivot - s.position[link.parent_body], own.p)};
    if (link.parent >= 0) {
      Momentum& parent = gained_[static_cast<std::size_t>(link.parent)];
      parent.p += back.p;
      parent.L += back.L;
    }
    const StepJoint& joint = list.joints[static_cast<std::size_t>(link.joint)];
    ConstraintImpulse of;
    of.source = ConstraintImpulse::Source::joint;
    of.a = joint.def->a;
    of.b = joint.def->b;
    of.joint = joint.id;
    (link.is_b ? of.linear_b : of.linear_a) = own.p;
    (link.is_b ? of.angular_b : of.angular_a) = own.L;
    (link.is_b ? of.linear_a : of.linear_b) = -back.p;
    (link.is_b ? of.angular_a : of.angular_b) = -back.L;
    to.push_back(of);
  }
  gained_.assign(links_.size(), {});
}

}  // namespace rigor
