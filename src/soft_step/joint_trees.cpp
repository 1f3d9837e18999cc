#include "soft_step/joint_trees.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "constraints/joint_limits.h"
#include "constraints/joint_rows.h"
#include "rigor/world.h"

namespace rigor {

namespace {

/// `root` for joints that no tree can have.
TreeLink::Kind kind_of(const JointDef& def) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  const auto is_locked = [](const JointAxis& a) { return a.motion == AxisMotion::locked; };
  if (!axes || std::isfinite(axes->stiffness) || !std::all_of(axes->axes.begin(), axes->axes.begin() + 3, is_locked))
    return TreeLink::Kind::root;
  switch (count_locked_angles(*axes)) {
    case 0: return TreeLink::Kind::ball;
    case 2: return TreeLink::Kind::hinge;
    case 3: return TreeLink::Kind::fixed;
    default: return TreeLink::Kind::root;
  }
}

/// No motor or spring acts on it, and its limits leave room.
bool is_undriven(const AxesJoint& kind) {
  const auto is_driven = [](JointAxis a) {
    a.friction = 0;
    return a.motion != AxisMotion::locked && !rigor::is_undriven(a);
  };
  return limits_have_room(kind) && std::none_of(kind.axes.begin(), kind.axes.end(), is_driven);
}

bool has_friction(const AxesJoint& kind) {
  const auto rubs = [](const JointAxis& a) { return a.motion != AxisMotion::locked && a.friction > 0; };
  return std::any_of(kind.axes.begin(), kind.axes.end(), rubs);
}

bool has_limits(const AxesJoint& kind) {
  const auto is_limited = [](const JointAxis& a) { return a.motion == AxisMotion::limited; };
  return limits_swing(kind) || limits_twist(kind) || std::any_of(kind.axes.begin(), kind.axes.end(), is_limited);
}

int free_angle(const AxesJoint& axes) {
  for (int k = 0; k < 3; ++k)
    if (axes.axes[static_cast<std::size_t>(3 + k)].motion != AxisMotion::locked) return k;
  return 0;
}

void set_frames(const StepJoint& joint, TreeLink& link) {
  link.own = link.is_b ? joint.frame_b : joint.frame_a;
  link.at_parent = link.is_b ? joint.frame_a : joint.frame_b;
  link.body = link.is_b ? joint.slot_b : joint.slot_a;
  link.parent_body = link.is_b ? joint.slot_a : joint.slot_b;
  if (link.kind != TreeLink::Kind::hinge) return;
  const int k = free_angle(std::get<AxesJoint>(joint.def->kind));
  link.axis_own = rotation_matrix(link.own.rotation).column(k);
  link.axis_parent = rotation_matrix(link.at_parent.rotation).column(k);
}

}  // namespace

bool JointTrees::find(const World& world, const ConstraintList& list, std::span<const std::uint8_t> included) {
  if (version_ == list.version() && std::ranges::equal(included_, included)) return false;
  version_ = list.version();
  ++revision_;
  included_.assign(included.begin(), included.end());
  const std::uint32_t awake = world.state().awake();
  links_.clear(), trees_.clear(), limited_.clear();
  left_.assign(list.joints.size(), JointRows::all);
  for (std::size_t i = 0; i < included_.size(); ++i)
    if (!included_[i]) left_[i] = JointRows::none;
  collect_edges(list, awake);
  forest_.build(static_cast<int>(awake), edges_);
  refuse_loops();
  const std::vector<TreeNode>& nodes = forest_.nodes();
  for (std::size_t begin = 0, end = 0; begin < nodes.size(); begin = end) {
    for (end = begin + 1; end < nodes.size() && nodes[end].parent >= 0;) ++end;
    const bool has_joints = nodes[begin].edge >= 0 || end > begin + 1;
    if (has_joints && is_whole(begin, end)) take_tree(list, begin, end);
  }
  std::sort(limited_.begin(), limited_.end());
  return true;
}

bool JointTrees::take(const JointTrees& all, const ConstraintList& list, std::span<const std::uint8_t> included) {
  if (version_ == list.version() && std::ranges::equal(included_, included)) return false;
  version_ = list.version();
  ++revision_;
  included_.assign(included.begin(), included.end());
  links_.clear(), trees_.clear(), limited_.clear();
  left_.assign(list.joints.size(), JointRows::none);
  for (std::size_t i = 0; i < left_.size(); ++i)
    if (included_[i]) left_[i] = all.left_[i];
  for (const TreeRange& tree : all.trees_) {
    const bool is_held = all.links_[tree.begin].joint >= 0;
    const int joint = all.links_[is_held ? tree.begin : tree.begin + 1].joint;
    if (!included_[static_cast<std::size_t>(joint)]) continue;
    const int shift = static_cast<int>(links_.size()) - static_cast<int>(tree.begin);
    trees_.push_back({links_.size(), links_.size() + (tree.end - tree.begin)});
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      TreeLink& link = links_.emplace_back(all.links_[i]);
      if (link.parent >= 0) link.parent += shift;
    }
  }
  std::copy_if(all.limited_.begin(), all.limited_.end(), std::back_inserter(limited_),
               [&](std::uint32_t joint) { return included_[joint] != 0; });
  return true;
}

void JointTrees::collect_edges(const ConstraintList& list, std::uint32_t awake) {
  edges_.clear();
  refused_.assign(awake, 0);
  for (std::size_t i = 0; i < list.joints.size(); ++i) {
    const StepJoint& joint = list.joints[i];
    if (!included_.empty() && !included_[i]) continue;
    const bool can_be_taken =
        kind_of(*joint.def) != TreeLink::Kind::root && is_undriven(std::get<AxesJoint>(joint.def->kind));
    const auto node = [&](std::uint32_t slot) { return slot < awake ? static_cast<int>(slot) : -1; };
    if (!can_be_taken || joint.slot_a == joint.slot_b) {
      refuse(node(joint.slot_a)), refuse(node(joint.slot_b));
      continue;
    }
    edges_.push_back({node(joint.slot_a), node(joint.slot_b), static_cast<int>(i), static_cast<int>(i) + 1});
  }
}

void JointTrees::refuse(int body) {
  if (body >= 0) refused_[static_cast<std::size_t>(body)] = 1;
}

void JointTrees::refuse_loops() {
  for (const int e : forest_.loops())
    refuse(edges_[static_cast<std::size_t>(e)].a), refuse(edges_[static_cast<std::size_t>(e)].b);
}

/// No joint that trees cannot have meets a body of these nodes.
bool JointTrees::is_whole(std::size_t begin, std::size_t end) const {
  return std::none_of(forest_.nodes().begin() + static_cast<std::ptrdiff_t>(begin),
                      forest_.nodes().begin() + static_cast<std::ptrdiff_t>(end),
                      [&](const TreeNode& node) { return refused_[static_cast<std::size_t>(node.body)] != 0; });
}

/// Limits and friction are all that others have to do about a joint of a tree.
void JointTrees::leave(const StepJoint& joint, int index) {
  const auto& kind = std::get<AxesJoint>(joint.def->kind);
  left_[static_cast<std::size_t>(index)] = has_friction(kind) ? JointRows::no_locked : JointRows::none;
  if (has_limits(kind)) limited_.push_back(static_cast<std::uint32_t>(index));
}

/// Nodes [begin, end) of the forest become links.
void JointTrees::take_tree(const ConstraintList& list, std::size_t begin, std::size_t end) {
  const int shift = static_cast<int>(links_.size()) - static_cast<int>(begin);
  trees_.push_back({links_.size(), links_.size() + (end - begin)});
  for (std::size_t i = begin; i < end; ++i) {
    const TreeNode& node = forest_.nodes()[i];
    TreeLink link;
    link.body = static_cast<std::uint32_t>(node.body);
    link.parent = node.parent < 0 ? -1 : node.parent + shift;
    if (node.edge >= 0) {
      link.joint = edges_[static_cast<std::size_t>(node.edge)].begin;
      link.is_b = node.is_b;
      const StepJoint& joint = list.joints[static_cast<std::size_t>(link.joint)];
      link.kind = kind_of(*joint.def);
      set_frames(joint, link);
      leave(joint, link.joint);
    }
    links_.push_back(link);
  }
}

}  // namespace rigor
