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

// Links in blocks of four.

namespace {

constexpr TreeLink::Kind kKinds[] = {TreeLink::Kind::root, TreeLink::Kind::ball, TreeLink::Kind::hinge,
                                     TreeLink::Kind::fixed};

}  // namespace

void TreeBlocks::build(const JointTrees& trees, const BodyState& state) {
  blocks.clear(), groups.clear();
  links_ = trees.links(), state_ = &state;
  children_.assign(links_.size(), {});
  node_.assign(links_.size(), -1);
  tree_.assign(links_.size(), 0);
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (links_[i].parent >= 0) children_[static_cast<std::size_t>(links_[i].parent)].push_back(static_cast<int>(i));
  // Trees of one size are likely to be of one shape, and then fill all lanes.
  std::vector<TreeRange> sorted = trees.trees();
  const auto size = [](const TreeRange& t) { return t.end - t.begin; };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const TreeRange& a, const TreeRange& b) { return size(a) > size(b); });
  for (std::size_t i = 0; i < sorted.size(); i += kTreeLanes)
    add_group(std::span(sorted).subspan(i, std::min<std::size_t>(kTreeLanes, sorted.size() - i)));
  links_ = {}, state_ = nullptr;
}

void TreeBlocks::add_group(std::span<const TreeRange> trees) {
  const std::size_t begin = blocks.size();
  for (std::size_t k = 0; k < trees.size(); ++k)
    for (std::size_t i = trees[k].begin; i < trees[k].end; ++i) tree_[i] = static_cast<std::uint8_t>(k);
  for (Level level = add_roots(trees); !level.empty();) level = add_children(level);
  const bool has_torques =
      std::any_of(blocks.begin() + static_cast<std::ptrdiff_t>(begin), blocks.end(),
                  [](const auto& b) { return b.kind == TreeLink::Kind::hinge || b.kind == TreeLink::Kind::fixed; });
  groups.push_back({begin, blocks.size(), has_torques, static_cast<int>(trees.size()), {}});
  describe_trees(groups.back());
}

void TreeBlocks::describe_trees(TreeGroup& group) {
  const auto each_lane = [&](const auto& visit) {
    for (std::size_t i = group.begin; i < group.end; ++i)
      for (std::size_t l = 0; l < kTreeLanes; ++l) visit(blocks[i], l, group.shape[blocks[i].tree[l]]);
  };
  each_lane([](const TreeBlock& block, std::size_t l, TreeShape& shape) {
    if (block.link[l] < 0) return;
    ++shape.links;
    shape.is_free = shape.is_free || block.kind == TreeLink::Kind::root;
    const Vec3 I = block.moments.get(l);
    shape.size = std::max(shape.size, std::sqrt(std::max({I.x, I.y, I.z}) / block.mass[l]));
    if (block.kind == TreeLink::Kind::root) return;
    const double at_parent = block.is_held ? 0 : length(block.parent_local.get(l));
    shape.size = std::max({shape.size, length(block.own_local.get(l)), at_parent});
  });
  each_lane([](TreeBlock& block, std::size_t l, const TreeShape& shape) { block.size[l] = shape.size; });
}

TreeBlocks::Level TreeBlocks::add_roots(std::span<const TreeRange> trees) {
  std::vector<int> roots;
  for (const TreeRange& tree : trees) roots.push_back(static_cast<int>(tree.begin));
  Level level;
  add_loose(std::move(roots), level);
  return level;
}

/// Aligned where that takes no more blocks.
TreeBlocks::Level TreeBlocks::add_children(const Level& parents) {
  Level level;
  if (add_aligned(parents, level)) return level;
  std::vector<int> links;
  for (const std::size_t p : parents)
    for (const int link : blocks[p].link)
      if (link >= 0)
        for (const int child : children_[static_cast<std::size_t>(link)]) links.push_back(child);
  add_loose(std::move(links), level);
  return level;
}

/// A block for the first children of a kind of each link of a block, one for the second ones, and so on; false, and nothing is
/// added, when packed ones were fewer.
bool TreeBlocks::add_aligned(const Level& parents, Level& level) {
  std::vector<std::array<int, kTreeLanes>> wanted;
  std::vector<std::size_t> parent_of;
  std::array<std::size_t, std::size(kKinds)> count{};
  for (const std::size_t p : parents) {
    for (std::size_t kind = 0; kind < std::size(kKinds); ++kind) {
      std::array<std::vector<int>, kTreeLanes> children;
      std::size_t most = 0;
      for (std::size_t lane = 0; lane < kTreeLanes; ++lane) {
        if (blocks[p].link[lane] < 0) continue;
        for (const int child : children_[static_cast<std::size_t>(blocks[p].link[lane])])
          if (links_[static_cast<std::size_t>(child)].kind == kKinds[kind]) children[lane].push_back(child);
        most = std::max(most, children[lane].size()), count[kind] += children[lane].size();
      }
      for (std::size_t k = 0; k < most; ++k) {
        std::array<int, kTreeLanes> row{};
        for (std::size_t lane = 0; lane < kTreeLanes; ++lane)
          row[lane] = k < children[lane].size() ? children[lane][k] : -1;
        wanted.push_back(row), parent_of.push_back(p);
      }
    }
  }
  std::size_t packed = 0;
  for (const std::size_t n : count) packed += (n + kTreeLanes - 1) / kTreeLanes;
  if (wanted.size() > packed) return false;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    level.push_back(blocks.size());
    add_block(wanted[k]).parent = static_cast<int>(parent_of[k]);
  }
  return true;
}

void TreeBlocks::add_loose(std::vector<int> links, Level& level) {
  for (const TreeLink::Kind kind : kKinds) {
    std::vector<int> same;
    for (const int link : links)
      if (links_[static_cast<std::size_t>(link)].kind == kind) same.push_back(link);
    for (std::size_t i = 0; i < same.size(); i += kTreeLanes) {
      std::array<int, kTreeLanes> row;
      for (std::size_t lane = 0; lane < kTreeLanes; ++lane) row[lane] = i + lane < same.size() ? same[i + lane] : -1;
      level.push_back(blocks.size());
      TreeBlock& block = add_block(row);
      const int parent = links_[static_cast<std::size_t>(row[0])].parent;
      block.is_held = parent < 0 && kind != TreeLink::Kind::root;
      for (std::size_t lane = 0; lane < kTreeLanes && parent >= 0; ++lane) {
        const int from = row[lane] < 0 ? row[0] : row[lane];
        block.parents[lane] = node_[static_cast<std::size_t>(links_[static_cast<std::size_t>(from)].parent)];
      }
    }
  }
}

TreeBlock& TreeBlocks::add_block(std::span<const int> links) {
  const int index = static_cast<int>(blocks.size());
  TreeBlock& block = blocks.emplace_back();
  const int first = *std::find_if(links.begin(), links.end(), [](int link) { return link >= 0; });
  block.kind = links_[static_cast<std::size_t>(first)].kind;
  block.is_full = true;
  for (std::size_t lane = 0; lane < kTreeLanes; ++lane) {
    const int link = links[lane];
    block.link[lane] = link;
    block.present[lane] = link >= 0 ? 1 : 0;
    block.is_full = block.is_full && link >= 0;
    fill_lane(block, lane, link >= 0 ? link : first);
    if (link >= 0) node_[static_cast<std::size_t>(link)] = kTreeLanes * index + static_cast<int>(lane);
  }
  return block;
}

/// Empty lanes copy another link: their results are finite and not read.
void TreeBlocks::fill_lane(TreeBlock& block, std::size_t lane, int i) {
  const TreeLink& link = links_[static_cast<std::size_t>(i)];
  block.tree[lane] = tree_[static_cast<std::size_t>(i)];
  block.body[lane] = link.body, block.parent_body[lane] = link.parent_body;
  block.own_local.set(lane, link.own.translation), block.parent_local.set(lane, link.at_parent.translation);
  block.mass[lane] = 1 / state_->inverse_mass[link.body];
  block.moments.set(lane, state_->inertia[link.body]);
  block.inverse_moments.set(lane, state_->inverse_inertia[link.body]);
  block.axis_own.set(lane, link.axis_own), block.axis_parent.set(lane, link.axis_parent);
  block.frame_own.set(lane, link.own.rotation), block.frame_parent.set(lane, link.at_parent.rotation);
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
