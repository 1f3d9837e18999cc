#include "stepping/tree_joints.h"

#include <cmath>
#include <limits>
#include <utility>

#include "constraints/joint_rows.h"
#include "integrators/rotation.h"
#include "math/prefetch.h"

namespace rigor {

namespace {

constexpr double kOpen = 1e-3;  // m: wider gaps are closed by a motion whose speed is taken back
constexpr int kMaxRefinements = 6;
constexpr std::size_t kAhead = 8;  // links: a joint's memory is far from the next one's, and known that early

}  // namespace

void TreeJoints::choose(StepContext& c, std::span<const std::uint8_t> included) {
  if (!trees_.find(c.world, c.constraints.list(), included)) return;
  is_new_ = true;
  lanes_.build(trees_, c.world.state());
  if (!trees_.limited().empty())
    for (TreeGroup& group : lanes_.groups) group.has_torques = true;
  gap_.assign(lanes_.groups.size(), std::numeric_limits<double>::infinity());
  left_open_.assign(lanes_.groups.size(), 0);
  find_memories(c);
  list_slots();
}

void TreeJoints::list_slots() {
  slots_.clear(), first_slot_.clear();
  for (std::size_t g = 0; g < lanes_.groups.size(); ++g) {
    first_slot_.push_back(slots_.size());
    for_links(task(g), [&](const TreeBlock& block, std::size_t l) { slots_.push_back(block.body[l]); });
  }
  first_slot_.push_back(slots_.size());
}

void TreeJoints::find_memories(StepContext& c) {
  memory_.assign(kTreeLanes * lanes_.blocks.size(), {});
  lane_of_.assign(c.constraints.list().joints.size(), 0);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const int link = lanes_.blocks[i / kTreeLanes].link[i % kTreeLanes];
    const int joint = link < 0 ? -1 : trees_.links()[static_cast<std::size_t>(link)].joint;
    if (joint < 0) continue;
    const StepJoint& from = c.constraints.list().joints[static_cast<std::size_t>(joint)];
    lane_of_[static_cast<std::size_t>(joint)] = static_cast<std::uint32_t>(i);
    const bool is_b = trees_.links()[static_cast<std::size_t>(link)].is_b;
    const bool is_all_ours = rows_left()[static_cast<std::size_t>(joint)] == JointRows::none;
    memory_[i] = {from.memory, from.frame_a.rotation, from.slot_a, is_b ? 1.0 : -1.0, is_all_ours};
  }
}

void TreeJoints::begin(StepContext& c, int count, double sub_step, double max_push, LaneWidth width) {
  count_ = count, max_push_ = max_push, width_ = width;
  if (empty()) return;
  const BodyState& s = c.world.state();
  const auto moving = static_cast<std::ptrdiff_t>(c.constraints.bodies().moving);
  begin_u_ = c.constraints.bodies().u;
  begin_x_.assign(s.position.begin(), s.position.begin() + moving);
  begin_q_.assign(s.orientation.begin(), s.orientation.begin() + moving);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    fetch_ahead(i);
    if (const LinkMemory& m = memory_[i]; m.state)
      lanes_.blocks[i / kTreeLanes].lambda.set(i % kTreeLanes, (m.sign * sub_step) * m.state->force);
  }
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
  const bool was_open = has_open_;
  for_groups(c, [&](const TreeTask& task, std::size_t g) {
    const bool is_where_it_was = start_trees(task, c.world.state());
    // What the last sub-step, or step, has closed is known to be so unless somebody moved it since.
    if (!was_open && !left_open_[g] && gap_[g] <= kTolerance && (!is_first || is_where_it_was)) return;
    left_open_[g] = 0;
    for_links(task, [](TreeBlock& block, std::size_t l) { block.goal.set(l, {}); });
    gap_[g] = observe(c, task);
  });
  has_open_ = false;
  for (const double gap : gap_) has_open_ = has_open_ || gap > kOpen;
}

/// Takes over the present poses; the largest gap beyond what may be left, angles as gaps at a tenth of a metre.
double TreeJoints::observe(StepContext& c, const TreeTask& task) const {
  return std::sqrt(observe_trees(task, c.world.state(), kTolerance / kAngleTolerance));
}
/// The same after a motion of eta, holders being where they were predicted, and what would have closed the gaps.
double TreeJoints::observe_moved(StepContext& c, const TreeTask& task, double eta) const {
  return std::sqrt(observe_trees(task, c.world.state(), kTolerance / kAngleTolerance, /*with_holders=*/false, eta));
}

/// Where the bodies that hold trees will be so long after the start of the sub-step.
void TreeJoints::place_holders(StepContext& c, const TreeTask& task, double time) const {
  const BodyState& s = c.world.state();
  const std::uint32_t kinematic = s.begin(BodySet::kinematic);
  for_links(task, [&](TreeBlock& block, std::size_t l) {
    if (!block.is_held) return;
    const std::uint32_t slot = block.parent_body[l];
    const bool is_still = slot >= s.end(BodySet::kinematic);
    block.ground_x.set(l, is_still ? s.position[slot] : holder_x_[slot - kinematic] + time * s.velocity[slot]);
    block.ground_w.set(l, is_still ? Vec3{} : s.angular_velocity[slot]);
    block.ground_q.set(
        l, is_still ? s.orientation[slot] : turned(holder_q_[slot - kinematic], s.angular_velocity[slot], time));
  });
}

void TreeJoints::solve(StepContext& c, double eta, bool alone) {
  for_groups(c, [&](const TreeTask& task, std::size_t g) {
    left_open_[g] = gap_[g] > max_push_ * eta;
    if (left_open_[g]) leave_open(c, task, eta);
    place_holders(c, task, eta);
    newton(c, task, eta, EndPoses::predicted, alone, /*from_bodies=*/true);
  });
}

/// The bodies have u afterwards; `from_bodies`: and u* before.
void TreeJoints::newton(StepContext& c, const TreeTask& task, double eta, EndPoses poses, bool exactly,
                        bool from_bodies) {
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  const double worst = newton_trees(task, eta, poses, from_bodies ? u.data() : nullptr, exactly ? nullptr : u.data());
  if (!exactly) return;
  if (worst > kTolerance * kTolerance) refine(c, task, eta);
  give_velocities(task, u);
}

/// Newton's method for the gaps alone with the factors that are there, at the poses of the free motion.
void TreeJoints::refine(StepContext& c, const TreeTask& task, double eta) {
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxRefinements; ++k) {
    const double worst = find_exact_gaps(task, eta, c.dynamics.gyroscopic());
    if (!(worst < 0.5 * last) || worst * eta * eta < 0.6 * kTolerance * kTolerance) return;
    last = worst;
    solve_trees(task);
  }
}

void TreeJoints::clear_stops() {
  for (TreeBlock& block : lanes_.blocks) clear_stops(block);
}

void TreeJoints::clear_stops(TreeBlock& block) {
  if (block.has_stops) block.has_stops = false, block.stop = {}, block.push = {};
}

void TreeJoints::add_stop(std::size_t joint, const Vec3& n, double stiffness, double speed) {
  const std::size_t i = lane_of_[joint], l = i % kTreeLanes;
  TreeBlock& block = lanes_.blocks[i / kTreeLanes];
  block.has_stops = true;
  LaneSym3& P = block.stop;
  const Vec3 kn = stiffness * n;
  P.xx[l] += kn.x * n.x, P.xy[l] += kn.x * n.y, P.xz[l] += kn.x * n.z;
  P.yy[l] += kn.y * n.y, P.yz[l] += kn.y * n.z, P.zz[l] += kn.z * n.z;
  block.push.set(l, block.push.get(l) + (memory_[i].sign * speed) * kn);
}

void TreeJoints::couple(StepContext& c, bool relax) {
  for_groups(c, [&](const TreeTask& task, std::size_t) { couple_trees(task, c.constraints.bodies().u, relax); });
}

void TreeJoints::store(StepContext& c, double time) {
  const BodyState& s = c.world.state();
  const double per_second = 1 / time;
  const bool forget = std::exchange(is_new_, false);  // what others have left in joints that are all ours now
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const LinkMemory& m = memory_[i];
    fetch_ahead(i);
    if (!m.state) continue;
    const TreeBlock& block = lanes_.blocks[i / kTreeLanes];
    const std::size_t l = i % kTreeLanes;
    const Vec3 impulse = (m.sign * count_) * block.lambda.get(l), angular = (m.sign * count_) * block.torque.get(l);
    const Vec3 along = rotate_inverse(s.orientation[m.slot_a] * m.frame_a, impulse);
    if (m.is_all_ours) m.state->force = m.state->torque = {};
    if (m.is_all_ours && forget) m.state->lambda = {};
    for (int k = 0; k < 3; ++k) m.state->lambda[static_cast<std::size_t>(kKeyLocked + k)] = along[k];
    m.state->force += per_second * impulse, m.state->torque += per_second * angular;
  }
}

}  // namespace rigor
