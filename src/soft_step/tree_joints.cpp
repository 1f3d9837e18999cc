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

}  // namespace rigor
