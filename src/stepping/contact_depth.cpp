#include "stepping/contact_depth.h"

#include <algorithm>

namespace rigor {

void ContactDepth::find_nodes(const JointTrees& trees, std::uint32_t awake) {
  node_.resize(awake);
  for (std::uint32_t i = 0; i < awake; ++i) node_[i] = i;
  for (const TreeRange& tree : trees.trees())
    for (std::size_t i = tree.begin; i < tree.end; ++i) node_[trees.links()[i].body] = trees.links()[tree.begin].body;
}

int ContactDepth::find(const ConstraintList& list, const JointTrees& trees, std::uint32_t awake, int most) {
  if (version_ != list.version() || node_.size() != awake) find_nodes(trees, awake), version_ = list.version();
  constexpr std::uint32_t kNone = 1U << 30;
  level_.assign(awake, kNone);
  const auto level = [&](std::uint32_t slot) { return slot < awake ? level_[node_[slot]] : 0U; };
  // What is at a level is known once the contacts have been passed as often.
  for (std::uint32_t depth = 1; depth <= static_cast<std::uint32_t>(most) + 1; ++depth) {
    bool is_new = false;
    for (const StepContact& c : list.contacts) {
      const std::uint32_t a = level(c.slot_a), b = level(c.slot_b);
      if (std::min(a, b) + 1 != depth || std::max(a, b) != kNone) continue;
      level_[node_[a < b ? c.slot_b : c.slot_a]] = depth;
      is_new = true;
    }
    if (!is_new) return static_cast<int>(depth) - 1;
  }
  return most + 1;
}

}  // namespace rigor
