// Joints of trees that are far from closed, or that were opened from outside.
#include "soft_step/tree_joints.h"

namespace rigor {

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

}  // namespace rigor
