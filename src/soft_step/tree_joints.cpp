#include "soft_step/tree_joints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "constraints/joint_rows.h"
#include "integrators/rotation.h"
#include "math/prefetch.h"
#include "soft_step/rigid_motion.h"

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

// The motion of joint trees in a sub-step: how many parts each tree takes, its iterations, and what is done when they do not converge.

namespace {

constexpr double kBorneRatio = 1.5;      // η² ω² of a body alone that is left undamped; the scheme bears 4
constexpr double kLargestTurn = 0.5;     // rad, of an arm in a part; beyond 1 there may be no solution
constexpr double kExactTurn = 0.2;       // rad, that keeps energy better, where it is affordable
constexpr int kMaxTurnHalvings = 6;      // of parts that are taken because arms turn
constexpr int kMaxStiffHalvings = 2;     // and because of tension,
constexpr std::size_t kManyLinks = 128;  // as long as parts times links are no more than this
constexpr int kMoreHalvings = 7;         // of a part that does not converge
constexpr int kMostLinkParts = 16384;    // parts times links of a tree in a step: some 0.1 s. Planned parts may be more
constexpr int kLimitCorrections = 3;     // of a limit in one part
constexpr double kRounding = 4e-15;      // of a gap, relative to coordinates
constexpr double kSlow = 0.6;            // a gap that shrinks by less than this in an iteration will not close

Mat3 inertia_of(const TreeBlock& block, std::size_t l) {
  const LaneSym3& I = block.inertia;
  return full({I.xx[l], I.xy[l], I.xz[l], I.yy[l], I.yz[l], I.zz[l]});
}

NextMotion next_motion(const StepContext& c) {
  return c.dynamics.gyroscopic() ? NextMotion::gyroscopic : NextMotion::plain;
}

}  // namespace

/// Parts and damping of every tree, from its joint forces of the last sub-step and its velocities.
void TreeJoints::plan(const TreeTask& task, GroupRun& run, double eta) {
  const auto [ratio, turn, far] = stiffen_trees(task, eta, run.is_factorised);
  for (std::size_t t = 0; t < static_cast<std::size_t>(task.group.trees); ++t) {
    const TreeShape& shape = task.group.shape[t];
    TreeRun& tree = run.tree[t];
    const bool was_damped = tree.is_damped;
    const double angle = eta * std::sqrt(turn[t]);
    int halvings = 0, stiff = 0;
    const auto affords = [&](int k) { return (shape.links << k) <= kManyLinks; };
    const auto turns_far = [&](int k) {
      return std::ldexp(angle, -k) > kLargestTurn || (std::ldexp(angle, -k) > kExactTurn && affords(k + 1));
    };
    while (halvings < kMaxTurnHalvings && turns_far(halvings)) ++halvings;
    while (stiff < kMaxStiffHalvings && std::ldexp(ratio[t], -2 * stiff) > kBorneRatio) ++stiff;
    if (std::ldexp(ratio[t], -2 * stiff) <= kBorneRatio && affords(stiff)) halvings = std::max(halvings, stiff);
    tree = {};
    tree.halvings = halvings, tree.most_halvings = halvings + kMoreHalvings, tree.share = std::ldexp(1.0, -halvings);
    tree.most_parts = std::max(1 << kMaxTurnHalvings, kMostLinkParts / (count_ * static_cast<int>(shape.links)));
    tree.is_damped = !(std::ldexp(ratio[t], -2 * halvings) <= kBorneRatio);
    const double steps = std::min(1.0, 60 * eta);  // consistency: what is left of a gap is a force in the next step
    tree.tolerance = std::max(std::min(kTolerance, 2 * kTolerance * shape.size) * steps * steps * steps,
                              kRounding * (far[t] + shape.size));
    if (tree.is_damped || was_damped) run.is_factorised = false;
  }
  write_parts(task, run, eta);
  write_moves(task, run, Phase::idle);
}

/// To the lanes: what each tree does.
void TreeJoints::write_parts(const TreeTask& task, GroupRun& run, double eta) {
  LaneParts parts;
  for (std::size_t t = 0; t < kTreeLanes; ++t) {
    const TreeRun& tree = run.tree[t];
    parts.share[t] = tree.share, parts.eta[t] = tree.share * eta;
    parts.damped[t] = tree.is_damped && !tree.is_done() ? 1 : 0;
    parts.pushed[t] = tree.push(), parts.pushed_after[t] = tree.push_after();
  }
  if (parts == run.parts) return;
  run.parts = parts;
  for (std::size_t i = task.group.begin; i < task.group.end; ++i) {
    TreeBlock& block = task.blocks[i];
    for (std::size_t l = 0; l < kTreeLanes; ++l) {
      const std::size_t t = block.tree[l];
      block.share[l] = parts.share[t], block.eta[l] = parts.eta[t], block.damped[l] = parts.damped[t];
      block.pushed[l] = parts.pushed[t], block.pushed_after[l] = parts.pushed_after[t];
    }
  }
}

/// To the lanes: the trees in a phase are iterated.
void TreeJoints::write_moves(const TreeTask& task, GroupRun& run, Phase which, bool to_project) {
  TreeNumbers moves{};
  for (std::size_t t = 0; t < static_cast<std::size_t>(task.group.trees); ++t)
    moves[t] = run.tree[t].phase == which && (!to_project || run.tree[t].needs_projection()) ? 1 : 0;
  if (moves == run.moves) return;
  run.moves = moves;
  for (std::size_t i = task.group.begin; i < task.group.end; ++i) {
    TreeBlock& block = task.blocks[i];
    for (std::size_t l = 0; l < kTreeLanes; ++l) block.moves[l] = moves[block.tree[l]];
  }
}

/// Finds the first solution of a part; called after plan() and after the end of the part before. `drifts`: also
/// computes the motion with u, unless momentum has to be given back first. `has_predicted`: only the limits have
/// changed since the last kick, and no body has moved.
void TreeJoints::kick(StepContext& c, const TreeTask& task, GroupRun& run, bool drifts, bool has_predicted) {
  run.has_drifted = drifts && !has_momentum_to_give(task, run);
  find_means(task, run);
  run.drifted = kick_trees(task, run.has_drifted ? next_motion(c) : NextMotion::none, has_predicted);
  give_back_momentum(task, run);
}

void TreeJoints::move(StepContext& c, double eta, const std::function<void()>& others) {
  for_groups(c, [&](const TreeTask& task, std::size_t g) { move_group(c, task, g, eta); });
  others();
  for_groups(c, [&](const TreeTask& task, std::size_t) {
    give_poses(task, c.world.state());
    give_velocities(task, c.constraints.bodies().u);
  });
}

void TreeJoints::move_group(StepContext& c, const TreeTask& task, std::size_t g, double eta) {
  GroupRun& run = runs_[g];
  if (!run.is_alone) add_outer(task, c.constraints.bodies().u);
  const std::span<NearLimit> limits = limits_of(g);
  settle_limits(c, task, run, limits, eta);
  spread_outer(c, task, run);
  const auto trees = std::span(run.tree).first(static_cast<std::size_t>(task.group.trees));
  for (TreeRun& tree : trees) tree.phase = Phase::iterating;
  run.gap = 0, run.is_first_part = true;
  write_moves(task, run, Phase::iterating);
  give_back_momentum(task, run);
  thread_local std::vector<NearLimit> start;  // of a part
  while (std::any_of(trees.begin(), trees.end(), [](const TreeRun& tree) { return tree.left > 0; })) {
    write_moves(task, run, Phase::iterating);
    iterate(c, task, run);
    begin_corrections(limits, start);
    for (int k = 0; k < kLimitCorrections && correct_limits(c, task, run, limits, eta); ++k) iterate(c, task, run);
    end_corrections(task, run, limits, start, eta);
    if (!finish_group(task, run, eta)) end_parts(c, task, run, limits, eta);
  }
  restore_momentum(task, run);
  write_moves(task, run, Phase::idle);
}

/// Spreads the impulses of contacts over the parts of a sub-step. Contacts were solved with their whole impulses, so
/// that they see the velocities that result. Trees that take several parts start again with the share of the first
/// part; each later part adds its own share.
void TreeJoints::spread_outer(StepContext& c, const TreeTask& task, GroupRun& run) {
  bool any = false;
  for (std::size_t t = 0; t < static_cast<std::size_t>(task.group.trees); ++t) {
    TreeRun& tree = run.tree[t];
    tree.phase = tree.push() != 1 ? Phase::iterating : Phase::idle;
    if (tree.phase == Phase::idle) continue;
    any = true;
    note_momentum(task, run, t);
  }
  if (!any) return;
  write_moves(task, run, Phase::iterating);
  kick(c, task, run, /*drifts=*/false);
}

/// Stores, before the first of several parts, the angular momentum about the center of mass that the tree has to have
/// at the end of the sub-step. Impulses from outside act where the bodies are at the start.
void TreeJoints::note_momentum(const TreeTask& task, GroupRun& run, std::size_t t) {
  const Vec3 center = center_of(task, t);
  Vec3 L;
  for_links(task, t, [&](const TreeBlock& block, std::size_t l) {
    const Vec3 p = block.mass[l] * block.start_v.get(l) + block.outer_v.get(l);
    L += cross(block.x.get(l) - center, p) + inertia_of(block, l) * block.start_w.get(l) + block.outer_w.get(l);
  });
  run.tree[t].momentum = L;
}

/// Gives free trees that have taken several parts the stored angular momentum back, as a rigid rotation, which no joint
/// resists: impulses that are spread over parts act at other positions and so change it.
void TreeJoints::restore_momentum(const TreeTask& task, const GroupRun& run) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(task.group.trees); ++t) {
    if (!run.tree[t].momentum || !task.group.shape[t].is_free) continue;
    const Vec3 center = center_of(task, t);
    Vec3 missing = *run.tree[t].momentum;
    Mat3 inertia;
    for_links(task, t, [&](const TreeBlock& block, std::size_t l) {
      const Vec3 r = block.x.get(l) - center;
      const Mat3 I = inertia_of(block, l);
      missing -= block.mass[l] * cross(r, block.u_v.get(l)) + I * block.u_w.get(l);
      inertia = inertia + I + full(point_inertia(block.mass[l], r));
    });
    const Vec3 w = inverse(inertia) * missing;
    for_links(task, t, [&](TreeBlock& block, std::size_t l) {
      block.u_v.set(l, block.u_v.get(l) + cross(w, block.x.get(l) - center));
      block.u_w.set(l, block.u_w.get(l) + w);
    });
  }
}

Vec3 TreeJoints::center_of(const TreeTask& task, std::size_t tree) {
  double mass = 0;
  Vec3 sum;
  for_links(task, tree, [&](const TreeBlock& block, std::size_t l) {
    mass += block.mass[l], sum += block.mass[l] * block.x.get(l);
  });
  return sum / mass;
}

/// Newton's method for the gaps, with the factors that are there, until every tree has converged or failed.
void TreeJoints::iterate(StepContext& c, const TreeTask& task, GroupRun& run) {
  for (int k = 0;; ++k) {
    const TreeNumbers squares = run.has_drifted ? run.drifted : drift_trees(task, c.dynamics.gyroscopic());
    run.has_drifted = false;
    bool goes_on = false;
    for (std::size_t t = 0; t < static_cast<std::size_t>(task.group.trees); ++t) {
      TreeRun& tree = run.tree[t];
      if (tree.phase != Phase::iterating) continue;
      const double gap = std::sqrt(squares[t]), last = tree.gap;
      tree.gap = gap;
      if (gap <= tree.tolerance)
        tree.phase = Phase::converged;
      else if (!std::isfinite(gap) || k == kMaxIterations || (k > 1 && gap > kSlow * last))
        tree.phase = Phase::failed;
      else
        goes_on = true;
    }
    if (!goes_on) return;
    write_moves(task, run, Phase::iterating);
    run.has_drifted = !has_momentum_to_give(task, run);
    run.drifted = correct_trees(task, run.has_drifted ? next_motion(c) : NextMotion::none);
    give_back_momentum(task, run);
  }
}

/// Ends the sub-step in one pass if all trees have converged in their last part and none is damped. Otherwise it does
/// nothing and returns false.
bool TreeJoints::finish_group(const TreeTask& task, GroupRun& run, double eta) {
  const auto trees = std::span(run.tree).first(static_cast<std::size_t>(task.group.trees));
  const auto finishes = [](const TreeRun& tree) {
    const bool keeps_push = tree.lag == 0.5 * tree.share;  // the same before and after the part
    return tree.phase == Phase::converged && tree.share == tree.left && !tree.is_damped && keeps_push;
  };
  if (!std::all_of(trees.begin(), trees.end(), finishes)) return false;
  for (TreeRun& tree : trees) tree.left = 0, run.gap = std::max(run.gap, tree.gap);
  write_parts(task, run, eta);
  write_moves(task, run, Phase::converged);
  finish_parts(task);
  run.is_factorised = true;
  sum_impulses(task, {run.is_first_part, /*is_last=*/true});
  for (TreeRun& tree : trees) tree.phase = Phase::idle;
  return true;
}

/// Trees that have converged go to the end of their part, others go back and take half of it.
void TreeJoints::end_parts(StepContext& c, const TreeTask& task, GroupRun& run, std::span<NearLimit> limits,
                           double eta) {
  const auto trees = std::span(run.tree).first(static_cast<std::size_t>(task.group.trees));
  for (TreeRun& tree : trees)  // a step has to end: the rest of the sub-step is refused
    if (tree.phase != Phase::idle && ++tree.parts > tree.most_parts && tree.left > tree.share)
      tree.phase = Phase::failed, tree.halvings = tree.most_halvings;
  for (std::size_t t = 0; t < trees.size(); ++t)
    if (trees[t].phase == Phase::failed && trees[t].left == 1) note_momentum(task, run, t);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    if (trees[t].phase != Phase::failed || trees[t].halvings < trees[t].most_halvings) continue;
    trees[t].share = trees[t].left;  // for the rest of the sub-step
    write_parts(task, run, eta);
    freeze(task, t);
    trees[t].phase = Phase::iterating, ++run.refused;
    write_moves(task, run, Phase::iterating);
    drift_trees(task, c.dynamics.gyroscopic());
    trees[t].phase = Phase::converged;
  }
  write_moves(task, run, Phase::converged);
  close_parts(task);
  bool is_over = true, projects = false, is_damped = false;
  for (TreeRun& tree : trees) {
    if (tree.phase == Phase::failed) tree.share *= 0.5, ++tree.halvings;
    if (tree.phase == Phase::converged) {
      tree.left -= tree.share, tree.lag = 0.5 * tree.share;
      run.gap = std::max(run.gap, tree.gap);
      projects |= tree.needs_projection();
    }
    is_over &= !(tree.left > 0), is_damped |= tree.is_damped;
  }
  if (is_damped && !is_over) stiffen_trees(task, eta);
  if (!is_over) follow_limits(task, run, limits, eta);
  write_parts(task, run, eta);
  if (projects || !is_over) {
    write_moves(task, run, Phase::converged, /*to_project=*/true);
    factorise_trees(task, projects);
  }
  run.is_factorised = !is_damped;
  write_moves(task, run, Phase::converged);
  sum_impulses(task, {run.is_first_part, is_over});
  run.is_first_part = false;
  for (TreeRun& tree : trees) tree.phase = tree.left > 0 ? Phase::iterating : Phase::idle;
  if (is_over) return;
  place_holders(c, task, run, eta);
  write_moves(task, run, Phase::iterating);
  kick(c, task, run, /*drifts=*/limits.empty());
}

/// Whether give_back_momentum() has to be called for some tree.
bool TreeJoints::has_momentum_to_give(const TreeTask& task, const GroupRun& run) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(task.group.trees); ++t)
    if (run.tree[t].is_damped && task.group.shape[t].is_free) return true;
  return false;
}

/// Computes, before a kick, the mean angular velocity of each damped free tree, which is not damped.
void TreeJoints::find_means(const TreeTask& task, const GroupRun& run) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(task.group.trees); ++t) {
    if (!run.tree[t].is_damped || !task.group.shape[t].is_free) continue;
    Mat3 sum;
    Vec3 braked;
    for_links(task, t, [&](const TreeBlock& block, std::size_t l) {
      const LaneSym3& K = block.stiff;
      const Mat3 W = block.braking[l] * full({K.xx[l], K.xy[l], K.xz[l], K.yy[l], K.yz[l], K.zz[l]});
      sum = sum + W, braked += W * block.start_w.get(l);
    });
    const double trace = sum(0, 0) + sum(1, 1) + sum(2, 2);
    const Vec3 mean = trace > 0 ? inverse(sum + Mat3::diagonal(1e-9 * trace * Vec3{1, 1, 1})) * braked : Vec3{};
    for_links(task, t, [&](TreeBlock& block, std::size_t l) { block.mean_w.set(l, mean); });
  }
}

/// Damping and the stiffness in the matrix act on each body by itself: what that has taken of a free tree's angular momentum comes
/// back as a rigid rotation, which no joint resists. Of trees that move.
void TreeJoints::give_back_momentum(const TreeTask& task, const GroupRun& run) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(task.group.trees); ++t) {
    const TreeRun& tree = run.tree[t];
    if (!tree.is_damped || !task.group.shape[t].is_free) continue;
    RigidMotion missing;
    bool moves = false;
    for_links(task, t, [&](const TreeBlock& block, std::size_t l) {
      moves = block.moves[l] > 0;
      missing.add_mass(block.mass[l], block.x.get(l));
    });
    if (!moves) continue;
    missing.find_center();
    for_links(task, t, [&](const TreeBlock& block, std::size_t l) {
      const double part = block.pushed[l];
      const Mat3 I = inertia_of(block, l);
      missing.add(block.mass[l], I, block.x.get(l),
                  block.mass[l] * (block.start_v.get(l) - block.u_v.get(l)) + part * block.outer_v.get(l),
                  I * (block.start_w.get(l) - block.u_w.get(l)) + part * block.outer_w.get(l));
    });
    const Vec3 w = missing.spin();
    for_links(task, t, [&](TreeBlock& block, std::size_t l) {
      block.u_v.set(l, block.u_v.get(l) + missing.velocity(block.x.get(l), w));
      block.u_w.set(l, block.u_w.get(l) + w);
    });
  }
}

/// The tree moves as one rigid body: with the momentum that it has if it is free, about the joint with the angular momentum that it has
/// there if that is a ball, otherwise with what holds it.
void TreeJoints::freeze(const TreeTask& task, std::size_t tree) {
  RigidMotion all;
  Vec3 holder_v, holder_w;
  bool turns = task.group.shape[tree].is_free;
  for_links(task, tree, [&](const TreeBlock& block, std::size_t l) { all.add_mass(block.mass[l], block.x.get(l)); });
  all.find_center();
  for_links(task, tree, [&](const TreeBlock& block, std::size_t l) {
    if (!block.is_held) return;
    all.center = block.x.get(l) + block.own.get(l);
    holder_w = block.ground_w.get(l), holder_v = block.ground_v.get(l) + cross(holder_w, block.at_parent.get(l));
    turns = block.kind == TreeLink::Kind::ball && holder_v == Vec3{} && holder_w == Vec3{};
  });
  for_links(task, tree, [&](const TreeBlock& block, std::size_t l) {
    const double part = block.pushed[l];
    const Mat3 I = inertia_of(block, l);
    all.add(block.mass[l], I, block.x.get(l), block.mass[l] * block.start_v.get(l) + part * block.outer_v.get(l),
            I * block.start_w.get(l) + part * block.outer_w.get(l));
  });
  if (!task.group.shape[tree].is_free) all.P = all.mass * holder_v;
  const Vec3 w = turns ? all.spin() : holder_w;
  for_links(task, tree, [&](TreeBlock& block, std::size_t l) {
    block.u_v.set(l, all.velocity(block.x.get(l), w)), block.u_w.set(l, w);
  });
}

int TreeJoints::refused() const {
  int sum = 0;
  for (const GroupRun& run : runs_) sum += run.refused;
  return sum;
}

}  // namespace rigor
