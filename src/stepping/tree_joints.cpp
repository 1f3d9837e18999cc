#include "stepping/tree_joints.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_pose.h"
#include "constraints/joint_rows.h"
#include "integrators/energy_momentum.h"

namespace rigor {

namespace {

constexpr double kTolerance = 1e-4;        // m, gap of a joint; far below what is seen
constexpr double kAngleTolerance = 1e-3;   // rad, the same at a tenth of a metre
constexpr double kOpen = 10 * kTolerance;  // wider gaps are closed by a motion whose speed is taken back
constexpr double kLost = 10;               // m: such gaps are not worth another iteration
constexpr int kFewIterations = 2, kMaxIterations = 8, kMaxRefinements = 6, kMaxHalvings = 7;
constexpr double kMovedWeight = 1e6;  // of a body that others have moved, relative to its mass: it leads
constexpr std::size_t kTreesPerTask = 4;

/// Geometric stiffness of an impulse at an arm times η, kg m²; shifted to be positive semidefinite.
inline Sym3 stiffness(const Vec3& r, const Vec3& lambda, double eta) {
  const double diagonal = 0.5 * (std::sqrt(length_squared(r) * length_squared(lambda)) + dot(r, lambda));
  const auto sym = [&](double a, double b, double c, double d) { return -0.5 * eta * (a * d + b * c); };
  const double d = eta * diagonal;
  return {d - eta * r.x * lambda.x, sym(r.x, r.y, lambda.x, lambda.y), sym(r.x, r.z, lambda.x, lambda.z),
          d - eta * r.y * lambda.y, sym(r.y, r.z, lambda.y, lambda.z), d - eta * r.z * lambda.z};
}

/// The small rotation that takes one orientation to another.
inline Vec3 turn_between(const Quat& from, const Quat& to) {
  const Quat q = to * conjugate(from);
  return (q.w < 0 ? -2.0 : 2.0) * q.vector();
}

}  // namespace

template <class Visit> void TreeJoints::for_trees(StepContext& c, const Visit& visit) {
  const std::vector<TreeRange>& trees = trees_.trees();
  c.threads.for_range(trees.size(), kTreesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) visit(trees[t], t);
  });
}

void TreeJoints::choose(StepContext& c, bool wanted) {
  bool changed = true;
  if (wanted)
    changed = trees_.find(c.world, c.constraints.list());
  else
    trees_.clear();
  if (!changed) return;
  const std::vector<TreeLink>& links = trees_.links();
  const std::size_t n = links.size();
  pose_.resize(n), inertia_.resize(n), goal_.assign(n, {}), lambda_.resize(n), torque_.resize(n);
  start_.resize(n), star_.resize(n), u_.resize(n), f_.resize(n), delta_.resize(n);
  gap_.assign(trees_.trees().size(), std::numeric_limits<double>::infinity());
  system_.nodes.resize(n), system_.free.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    PivotNode& node = system_.nodes[i];
    node.parent = links[i].parent;
    node.first_free = static_cast<std::uint32_t>(i);
    node.free_count = links[i].kind == TreeLink::Kind::hinge ? 1 : 0;
    node.joint = links[i].kind == TreeLink::Kind::root   ? PivotNode::Joint::none
                 : links[i].kind == TreeLink::Kind::ball ? PivotNode::Joint::ball
                                                         : PivotNode::Joint::other;
  }
  system_.resize();
}

void TreeJoints::begin(StepContext& c, int count, double max_push) {
  count_ = count, max_push_ = max_push;
  if (empty()) return;
  const BodyState& s = c.world.state();
  begin_u_ = c.constraints.bodies().u;
  begin_pose_.resize(static_cast<std::size_t>(c.constraints.bodies().moving));
  for (std::size_t i = 0; i < begin_pose_.size(); ++i) begin_pose_[i] = {s.position[i], s.orientation[i]};
  const double eta = c.size / count;
  for (std::size_t i = 0; i < lambda_.size(); ++i) {
    const TreeLink& link = trees_.links()[i];
    lambda_[i] = {};
    if (link.joint < 0) continue;
    const JointState& last = *c.constraints.list().joints[static_cast<std::size_t>(link.joint)].memory;
    lambda_[i] = (link.is_b ? eta : -eta) * last.force;
  }
}

void TreeJoints::take_back_step(StepContext& c) const {
  BodyState& s = c.world.state();
  for (std::size_t i = 0; i < begin_pose_.size(); ++i) {
    s.position[i] = begin_pose_[i].x, s.orientation[i] = begin_pose_[i].q;
    s.velocity[i] = begin_u_[i].v, s.angular_velocity[i] = begin_u_[i].w;
  }
  c.constraints.bodies().capture(s);
}

void TreeJoints::start(StepContext& c, bool is_first) {
  const BodyState& s = c.world.state();
  const bool was_open = has_open_;
  for_trees(c, [&](TreeRange tree, std::size_t t) {
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      const std::uint32_t slot = trees_.links()[i].body;
      start_[i] = {s.velocity[slot], s.angular_velocity[slot]};
      inertia_[i] = rotated_diagonal(rotation_matrix(s.orientation[slot]), s.inertia[slot]);
    }
    // What the last sub-step, or step, has closed is known to be so unless somebody moved it since.
    const bool is_known = !was_open && gap_[t] <= kTolerance && (!is_first || is_where_it_was(s, tree));
    if (is_known) return;
    for (std::size_t i = tree.begin; i < tree.end; ++i) goal_[i] = {};
    gap_[t] = observe(c, tree);
  });
  has_open_ = false;
  for (const double gap : gap_) has_open_ = has_open_ || gap > kOpen;
}

/// Where the body that a link hangs on will be.
inline TreeJoints::Pose TreeJoints::parent_pose(StepContext& c, const TreeLink& link, double eta) const {
  if (link.parent >= 0) return pose_[static_cast<std::size_t>(link.parent)];
  const BodyState& s = c.world.state();
  const std::uint32_t slot = link.parent_body;
  if (slot >= s.end(BodySet::kinematic)) return {s.position[slot], s.orientation[slot]};
  return {s.position[slot] + eta * s.velocity[slot], turned(s.orientation[slot], s.angular_velocity[slot], eta)};
}

/// Where the bodies will be with the velocities of the iterate.
void TreeJoints::predict(StepContext& c, TreeRange tree, double eta) {
  const BodyState& s = c.world.state();
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const std::uint32_t slot = trees_.links()[i].body;
    pose_[i] = {s.position[slot] + eta * u_[i].v, turned(s.orientation[slot], u_[i].w, eta)};
  }
}

inline void TreeJoints::set_joint(const TreeLink& link, const Pose& parent, double eta, std::size_t i) {
  PivotNode& node = system_.nodes[i];
  const Pose& own = pose_[i];
  node.own = rotate(own.q, link.own.translation);
  node.at_parent = rotate(parent.q, link.at_parent.translation);
  node.r = (1 / eta) * (goal_[i] - ((own.x + node.own) - (parent.x + node.at_parent)));
  node.r_w = {};
  if (link.kind == TreeLink::Kind::hinge) {
    const Vec3 axis = rotate(parent.q, link.axis_parent);
    node.r_w = (1 / eta) * cross(rotate(own.q, link.axis_own), axis);
    system_.free[i] = {{}, axis};
  } else if (link.kind == TreeLink::Kind::fixed) {
    node.r_w = (1 / eta) * turn_between(own.q * link.own.rotation, parent.q * link.at_parent.rotation);
  }
}

inline void TreeJoints::add_stiffness(std::size_t i, double eta) {
  PivotNode& node = system_.nodes[i];
  node.inertia += stiffness(node.own, lambda_[i], eta);
  if (node.parent < 0) return;
  system_.nodes[static_cast<std::size_t>(node.parent)].inertia += stiffness(node.at_parent, -lambda_[i], eta);
}

/// The system at the poses of the iterate.
void TreeJoints::assemble(StepContext& c, TreeRange tree, double eta) {
  const BodyState& s = c.world.state();
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const TreeLink& link = trees_.links()[i];
    PivotNode& node = system_.nodes[i];
    node.mass = 1 / s.inverse_mass[link.body];
    node.inertia = inertia_[i];
    f_[i] = {node.mass * (star_[i].v - u_[i].v), inertia_[i] * (star_[i].w - u_[i].w)};
    if (link.kind == TreeLink::Kind::root) continue;
    set_joint(link, parent_pose(c, link, eta), eta, i);
    add_stiffness(i, eta);
  }
}

void TreeJoints::newton(StepContext& c, TreeRange tree, double eta) {
  assemble(c, tree, eta);
  system_.factorise_and_solve(tree.begin, tree.end, f_, delta_);
  add_change(c, tree);
  if (bends(tree, eta)) refine(c, tree, eta);
}

void TreeJoints::add_change(StepContext& c, TreeRange tree) {
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    u_[i].v += delta_[i].v, u_[i].w += delta_[i].w;
    u[trees_.links()[i].body] = u_[i];
  }
}

/// Whether what is of second order in the last change may open a gap: a turn by η (ω + δ) is not one by η ω and one by η δ.
bool TreeJoints::bends(TreeRange tree, double eta) const {
  constexpr double kMost = kTolerance * kTolerance;
  double worst = 0;
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const Vec3 &w = u_[i].w, &d = delta_[i].w;
    const double square = 0.5 * eta * eta;
    const double turn = length_squared(cross(w, d)) + length_squared(d) * length_squared(d);
    worst = std::max(worst, square * square * turn * length_squared(system_.nodes[i].own));
  }
  return worst > kMost;
}

/// Newton's method for the gaps alone with the factors that are there, at the poses of the free motion.
void TreeJoints::refine(StepContext& c, TreeRange tree, double eta) {
  double last = std::numeric_limits<double>::infinity();
  for (std::size_t i = tree.begin; i < tree.end; ++i) f_[i] = {};
  for (int k = 0; k < kMaxRefinements; ++k) {
    predict_exactly(c, tree, eta);
    double worst = 0;
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      const TreeLink& link = trees_.links()[i];
      if (link.kind == TreeLink::Kind::root) continue;
      PivotNode& node = system_.nodes[i];
      const Vec3 own = node.own, at_parent = node.at_parent;  // those of the factors
      set_joint(link, parent_pose(c, link, eta), eta, i);
      node.own = own, node.at_parent = at_parent;
      worst = std::max(worst, length_squared(node.r));
    }
    if (!(worst < 0.5 * last)) return;
    last = worst;
    if (worst * eta * eta < 0.6 * kTolerance * kTolerance) return;
    system_.solve(tree.begin, tree.end, f_, PivotTree::Wanted::as_given, delta_);
    add_change(c, tree);
  }
}

/// As predict(), with the turn of the free body.
void TreeJoints::predict_exactly(StepContext& c, TreeRange tree, double eta) {
  const BodyState& s = c.world.state();
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const std::uint32_t slot = trees_.links()[i].body;
    pose_[i].x = s.position[slot] + eta * u_[i].v;
    if (!c.dynamics.gyroscopic()) {
      pose_[i].q = turned(s.orientation[slot], u_[i].w, eta);
      continue;
    }
    Spin spin{s.orientation[slot], inertia_[i] * u_[i].w};
    drift_energy_momentum(spin, s.inertia[slot], s.inverse_inertia[slot], eta);
    pose_[i].q = spin.q;
  }
}

void TreeJoints::solve(StepContext& c, double eta) {
  for_trees(c, [&](TreeRange tree, std::size_t t) {
    const std::vector<BodyVelocity>& u = c.constraints.bodies().u;
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      star_[i] = u[trees_.links()[i].body];
      u_[i] = start_[i];
    }
    if (gap_[t] > max_push_ * eta) leave_open(c, tree, eta);
    predict(c, tree, eta);
    newton(c, tree, eta);
  });
}

void TreeJoints::couple(StepContext& c) {
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  for_trees(c, [&](TreeRange tree, std::size_t) {
    bool changed = false;
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      const BodyVelocity& now = u[trees_.links()[i].body];
      const Vec3 dv = now.v - u_[i].v, dw = now.w - u_[i].w;
      changed = changed || dv != Vec3{} || dw != Vec3{};
      star_[i].v += dv, star_[i].w += dw;
      f_[i] = {system_.nodes[i].mass * dv, inertia_[i] * dw};
    }
    if (!changed) return;
    system_.solve(tree.begin, tree.end, f_, PivotTree::Wanted::zero, delta_);
    add_change(c, tree);
  });
}

/// Takes over the present poses; the largest gap beyond what may be left, angles as gaps at a tenth of a metre.
double TreeJoints::observe(StepContext& c, TreeRange tree) {
  const BodyState& s = c.world.state();
  double worst = 0;
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const TreeLink& link = trees_.links()[i];
    const Pose own{s.position[link.body], s.orientation[link.body]};
    pose_[i] = own;
    if (link.kind == TreeLink::Kind::root) continue;
    const Vec3 x = s.position[link.parent_body];
    const Quat& q = s.orientation[link.parent_body];
    const Vec3 gap =
        (own.x + rotate(own.q, link.own.translation)) - (x + rotate(q, link.at_parent.translation)) - goal_[i];
    double squared = length_squared(gap);
    constexpr double kPerAngle = (kTolerance / kAngleTolerance) * (kTolerance / kAngleTolerance);
    if (link.kind == TreeLink::Kind::hinge) {
      const Vec3 a = rotate(q, link.axis_parent), b = rotate(own.q, link.axis_own);
      squared = std::max(squared, kPerAngle * (dot(a, b) > 0 ? length_squared(cross(b, a)) : 4));
    } else if (link.kind == TreeLink::Kind::fixed) {
      const Vec3 turn = turn_between(own.q * link.own.rotation, q * link.at_parent.rotation);
      squared = std::max(squared, kPerAngle * length_squared(turn));
    }
    worst = squared > worst || std::isnan(squared) ? squared : worst;
  }
  return std::sqrt(worst);
}

/// Joints that are far from closed come together at max_push.
void TreeJoints::leave_open(StepContext& c, TreeRange tree, double eta) {
  const BodyState& s = c.world.state();
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const TreeLink& link = trees_.links()[i];
    if (link.kind == TreeLink::Kind::root) continue;
    const Vec3 gap =
        (s.position[link.body] + rotate(s.orientation[link.body], link.own.translation)) -
        (s.position[link.parent_body] + rotate(s.orientation[link.parent_body], link.at_parent.translation));
    const double wide = length(gap), most = max_push_ * eta;
    if (wide > most) goal_[i] = (1 - most / wide) * gap;
  }
}

void TreeJoints::go_back(StepContext& c) {
  BodyState& s = c.world.state();
  std::copy(saved_x_.begin(), saved_x_.end(), s.position.begin());
  std::copy(saved_q_.begin(), saved_q_.end(), s.orientation.begin());
  std::copy(saved_u_.begin(), saved_u_.end(), c.constraints.bodies().u.begin());
}

/// Newton's method, with motions that are taken back until the gaps are closed.
bool TreeJoints::settle(StepContext& c, double eta, const std::function<void(double)>& drift) {
  const BodyState& s = c.world.state();
  const auto moving = static_cast<std::ptrdiff_t>(c.constraints.bodies().moving);
  saved_x_.assign(s.position.begin(), s.position.begin() + moving);
  saved_q_.assign(s.orientation.begin(), s.orientation.begin() + moving);
  saved_u_ = c.constraints.bodies().u;
  double last = 0;
  for (int k = 0; k < kMaxIterations; ++k) {
    drift(eta);
    for_trees(c, [&](TreeRange tree, std::size_t t) { gap_[t] = observe(c, tree); });
    double worst = 0;
    for (const double gap : gap_) worst = gap > worst || std::isnan(gap) ? gap : worst;
    if (worst <= kTolerance) return true;
    if (!(worst <= kLost) || (k > kFewIterations && worst > 0.7 * last)) return false;
    last = worst;
    go_back(c);
    for_trees(c, [&](TreeRange tree, std::size_t t) {
      if (gap_[t] > kTolerance) newton(c, tree, eta);
    });
    for (std::size_t i = 0; i < u_.size(); ++i) saved_u_[trees_.links()[i].body] = u_[i];
  }
  return false;
}

bool TreeJoints::move_part(StepContext& c, double eta, const std::function<void(double)>& drift, int depth) {
  const bool settled = settle(c, eta, drift);
  if (settled) for_trees(c, [&](TreeRange tree, std::size_t) { find_impulses(tree); });
  if (settled || depth == kMaxHalvings) return settled;
  go_back(c);
  return move_halves(c, eta, drift, depth);
}

/// Twice half of what changes the velocities, for half of the time.
bool TreeJoints::move_halves(StepContext& c, double eta, const std::function<void(double)>& drift, int depth) {
  std::vector<BodyVelocity> change = star_;
  for (std::size_t i = 0; i < change.size(); ++i) change[i].v -= start_[i].v, change[i].w -= start_[i].w;
  std::vector<Vec3> sum(lambda_.size());
  for (Vec3& lambda : lambda_) lambda *= 0.5;
  for (int half = 0; half < 2; ++half) {
    const BodyState& s = c.world.state();
    std::vector<BodyVelocity>& u = c.constraints.bodies().u;
    for (std::size_t i = 0; i < change.size(); ++i) {
      const std::uint32_t slot = trees_.links()[i].body;
      if (half == 1) start_[i] = u[slot];
      inertia_[i] = rotated_diagonal(rotation_matrix(s.orientation[slot]), s.inertia[slot]);
      star_[i] = {start_[i].v + 0.5 * change[i].v, start_[i].w + 0.5 * change[i].w};
      u_[i] = start_[i];
    }
    for_trees(c, [&](TreeRange tree, std::size_t) {
      predict(c, tree, 0.5 * eta);
      newton(c, tree, 0.5 * eta);
    });
    if (!move_part(c, 0.5 * eta, drift, depth + 1)) return false;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += lambda_[i];
  }
  lambda_ = sum;
  return true;
}

bool TreeJoints::move(StepContext& c, double eta, const std::function<void(double)>& drift) {
  if (!move_part(c, eta, drift, 0)) return false;
  for (std::size_t i = 0; i < u_.size(); ++i) u_[i] = c.constraints.bodies().u[trees_.links()[i].body];
  if (has_open_) take_back_closing(c);
  return true;
}

/// Nobody has moved its bodies since observe().
bool TreeJoints::is_where_it_was(const BodyState& s, TreeRange tree) const {
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const TreeLink& link = trees_.links()[i];
    if (s.position[link.body] != pose_[i].x || s.orientation[link.body] != pose_[i].q) return false;
  }
  return true;
}

void TreeJoints::close(StepContext& c) {
  for_trees(c, [&](TreeRange tree, std::size_t) { close_tree(c, tree); });
}

/// The least displacement, by mass, that closes the gaps; bodies that were moved stay where they are as far as they can.
void TreeJoints::close_tree(StepContext& c, TreeRange tree) {
  const BodyState& s = c.world.state();
  if (is_where_it_was(s, tree)) return;
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const std::uint32_t slot = trees_.links()[i].body;
    const bool moved = s.position[slot] != pose_[i].x || s.orientation[slot] != pose_[i].q;
    const double weight = moved ? kMovedWeight : 1;
    system_.nodes[i].mass = weight / s.inverse_mass[slot];
    system_.nodes[i].inertia = rotated_diagonal(rotation_matrix(s.orientation[slot]), weight * s.inertia[slot]);
  }
  for (int k = 0; k < kMaxIterations && observe(c, tree) > kTolerance; ++k) displace(c, tree);
}

void TreeJoints::displace(StepContext& c, TreeRange tree) {
  BodyState& s = c.world.state();
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const TreeLink& link = trees_.links()[i];
    f_[i] = {};
    if (link.kind == TreeLink::Kind::root) continue;
    const Pose parent{s.position[link.parent_body], s.orientation[link.parent_body]};
    set_joint(link, parent, 1, i);
  }
  system_.factorise_and_solve(tree.begin, tree.end, f_, delta_);
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    const std::uint32_t slot = trees_.links()[i].body;
    s.position[slot] += delta_[i].v;
    s.orientation[slot] = normalized(quaternion_from_rotation_vector(delta_[i].w) * s.orientation[slot]);
  }
}

/// What a subtree lacks of momentum came through its joint.
void TreeJoints::find_impulses(TreeRange tree) {
  for (std::size_t i = tree.begin; i < tree.end; ++i) lambda_[i] = torque_[i] = {};
  for (std::size_t i = tree.end; i-- > tree.begin;) {
    const PivotNode& node = system_.nodes[i];
    lambda_[i] += node.mass * (u_[i].v - star_[i].v);
    const bool turns = node.joint == PivotNode::Joint::other;
    if (turns)
      torque_[i] += inertia_[i] * (u_[i].w - star_[i].w) - cross(node.own, lambda_[i]);
    else
      torque_[i] = {};
    if (node.parent < 0) continue;
    const auto p = static_cast<std::size_t>(node.parent);
    lambda_[p] += lambda_[i];
    if (system_.nodes[p].joint == PivotNode::Joint::other) torque_[p] += torque_[i] + cross(node.at_parent, lambda_[i]);
  }
}

/// The speed with which open joints have come together: velocities afterwards fulfil J u = 0.
void TreeJoints::take_back_closing(StepContext& c) {
  for_trees(c, [&](TreeRange tree, std::size_t) {
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      PivotNode& node = system_.nodes[i];
      f_[i] = {};
      if (node.joint == PivotNode::Joint::none) continue;
      const BodyVelocity parent = node.parent >= 0 ? u_[static_cast<std::size_t>(node.parent)] : BodyVelocity{};
      node.r = parent.v + cross(parent.w, node.at_parent) - (u_[i].v + cross(u_[i].w, node.own));
      node.r_w = parent.w - u_[i].w;
    }
    system_.solve(tree.begin, tree.end, f_, PivotTree::Wanted::as_given, delta_);
    add_change(c, tree);
  });
}

void TreeJoints::store(StepContext& c, double time) const {
  const BodyState& s = c.world.state();
  for (std::size_t i = 0; i < lambda_.size(); ++i) {
    const TreeLink& link = trees_.links()[i];
    if (link.joint < 0) continue;
    const StepJoint& joint = c.constraints.list().joints[static_cast<std::size_t>(link.joint)];
    const Vec3 impulse = (link.is_b ? count_ : -count_) * lambda_[i];
    const Vec3 along = rotate_inverse(s.orientation[joint.slot_a] * joint.frame_a.rotation, impulse);
    for (int k = 0; k < 3; ++k) joint.memory->lambda[static_cast<std::size_t>(kKeyLocked + k)] = along[k];
    joint.memory->force += impulse / time;
    joint.memory->torque += ((link.is_b ? count_ : -count_) / time) * torque_[i];
  }
}

}  // namespace rigor
