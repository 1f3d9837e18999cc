// The motion of joint trees in a sub-step: accepted when all gaps are closed, otherwise iterated, taken in halves or refused. All
// bodies move at once first; the few trees whose gaps are not closed then go back, each group by itself.
#include <algorithm>
#include <cmath>

#include "stepping/tree_joints.h"

namespace rigor {

namespace {

constexpr double kLost = 10;  // m: such gaps are not worth another iteration
constexpr double kNear =
    5e-3;  // m: such gaps are of second order. Chosen: a limb that turns by a tenth of a radian opens as much
constexpr int kFewIterations = 2, kMaxHalvings = 7;

}  // namespace

bool TreeJoints::move(StepContext& c, double eta, const FreeMotion& motion) {
  motion.all(eta);
  refused_.assign(lanes_.groups.size(), 0);
  const auto move_task = [&](const TreeTask& task, std::size_t g) {
    gap_[g] = observe_moved(c, task, eta);
    refused_[g] = !move_group(c, {task, g, 0, eta}, motion, /*has_moved=*/true);
  };
  if (motion.in_parallel)
    for_groups(c, move_task);
  else
    for (std::size_t g = 0; g < lanes_.groups.size(); ++g) move_task(task(g), g);
  if (std::find(refused_.begin(), refused_.end(), 1) != refused_.end()) return false;
  for_groups(c, [&](const TreeTask& task, std::size_t) { take_velocities(task, c.constraints.bodies().u); });
  if (has_open_) take_back_closing(c);
  return true;
}

bool TreeJoints::move_group(StepContext& c, const Part& part, const FreeMotion& motion, bool has_moved) {
  const bool settled = settle(c, part, motion, has_moved);
  if (settled) find_tree_impulses(part.task);
  if (settled || part.depth == kMaxHalvings) return settled;
  go_back(c, part.task);
  return move_halves(c, part, motion);
}

/// Newton's method, with motions that are taken back until the gaps are closed; as long as that is enough with the factors that
/// are there.
bool TreeJoints::settle(StepContext& c, const Part& part, const FreeMotion& motion, bool has_moved) {
  double last = 0, &gap = gap_[part.number];
  for (int k = 0; k < kMaxIterations; ++k) {
    if (k > 0 || !has_moved) {
      move_links(c, part, motion);
      gap = observe_moved(c, part.task, part.eta);
    }
    if (gap <= kTolerance) return true;
    if (!(gap <= kLost) || (k > kFewIterations && gap > 0.7 * last)) return false;
    go_back(c, part.task);
    if (k < kFewIterations && gap < kNear && (k == 0 || gap < 0.3 * last)) {
      solve_trees(part.task, c.constraints.bodies().u.data());
    } else {
      newton(c, part.task, part.eta, EndPoses::observed, /*exactly=*/true);
    }
    last = gap;
  }
  return false;
}

/// Twice half of what changes the velocities, for half of the time.
bool TreeJoints::move_halves(StepContext& c, const Part& whole, const FreeMotion& motion) {
  struct Share {
    Vec3 dv, dw, lambda, torque;
  };
  const TreeTask& task = whole.task;
  std::vector<Share> shares((task.group.end - task.group.begin) * kTreeLanes);
  const auto share = [&](const TreeBlock& block, std::size_t l) -> Share& {
    return shares[static_cast<std::size_t>(&block - (task.blocks + task.group.begin)) * kTreeLanes + l];
  };
  for_links(task, [&](TreeBlock& block, std::size_t l) {
    share(block, l).dv = 0.5 * (block.star_v.get(l) - block.start_v.get(l));
    share(block, l).dw = 0.5 * (block.star_w.get(l) - block.start_w.get(l));
    block.lambda.set(l, 0.5 * block.lambda.get(l));
  });
  for (int half = 0; half < 2; ++half) {
    const Part part{task, whole.number, whole.since + 0.5 * half * whole.eta, 0.5 * whole.eta, whole.depth + 1};
    const BodyState& s = c.world.state();
    for_links(task, [&](TreeBlock& block, std::size_t l) {
      const std::uint32_t slot = block.body[l];
      const BodyVelocity& u = c.constraints.bodies().u[slot];
      if (half == 1) block.start_v.set(l, u.v), block.start_w.set(l, u.w);
      block.x.set(l, s.position[slot]), block.q.set(l, s.orientation[slot]);
      const Vec3 v = block.start_v.get(l), w = block.start_w.get(l);
      block.u_v.set(l, v), block.u_w.set(l, w);
      block.star_v.set(l, v + share(block, l).dv), block.star_w.set(l, w + share(block, l).dw);
    });
    turn_inertias(task);
    place_holders(c, task, part.since + part.eta);
    newton(c, task, part.eta, EndPoses::predicted, /*exactly=*/true);
    if (!move_group(c, part, motion, /*has_moved=*/false)) return false;
    for_links(task, [&](TreeBlock& block, std::size_t l) {
      share(block, l).lambda += block.lambda.get(l), share(block, l).torque += block.torque.get(l);
    });
  }
  for_links(task, [&](TreeBlock& block, std::size_t l) {
    block.lambda.set(l, share(block, l).lambda), block.torque.set(l, share(block, l).torque);
  });
  return true;
}

/// The bodies of a group alone, by their velocities.
void TreeJoints::move_links(StepContext& c, const Part& part, const FreeMotion& motion) {
  BodyState& s = c.world.state();
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  const std::span<const std::uint32_t> slots =
      std::span(slots_).subspan(first_slot_[part.number], first_slot_[part.number + 1] - first_slot_[part.number]);
  for (const std::uint32_t i : slots) s.velocity[i] = u[i].v, s.angular_velocity[i] = u[i].w;
  motion.some(slots, part.eta);
  for (const std::uint32_t i : slots) u[i] = {s.velocity[i], s.angular_velocity[i]};
}

/// The poses at the start of the part.
void TreeJoints::go_back(StepContext& c, const TreeTask& task) {
  BodyState& s = c.world.state();
  for_links(task, [&](const TreeBlock& block, std::size_t l) {
    s.position[block.body[l]] = block.x.get(l), s.orientation[block.body[l]] = block.q.get(l);
  });
}

void TreeJoints::take_back_step(StepContext& c) const {
  BodyState& s = c.world.state();
  std::copy(begin_x_.begin(), begin_x_.end(), s.position.begin());
  std::copy(begin_q_.begin(), begin_q_.end(), s.orientation.begin());
  for (std::size_t i = 0; i < begin_x_.size(); ++i)
    s.velocity[i] = begin_u_[i].v, s.angular_velocity[i] = begin_u_[i].w;
  c.constraints.bodies().capture(s);
}

}  // namespace rigor
