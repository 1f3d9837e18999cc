#include "soft_step/tree_blocks.h"

#include <algorithm>
#include <cmath>

namespace rigor {

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

}  // namespace rigor
