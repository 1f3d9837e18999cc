// How deep bodies are stacked: the contacts between a body and what does not move, along the shortest way. A joint tree counts
// as one body: its joints are solved at once, however many there are. Bodies without a way to the ground count for nothing.
//
// Rounds over contacts carry an impulse from one body to the next, so this is how many of them a load needs to get down.
#pragma once

#include <vector>

#include "constraints/constraint_list.h"
#include "multibody/joint_trees.h"

namespace rigor {

class ContactDepth {
 public:
  /// The largest, but no more than `most` + 1. Time: contacts times the depth.
  int find(const ConstraintList& list, const JointTrees& trees, std::uint32_t awake, int most);

 private:
  void find_nodes(const JointTrees& trees, std::uint32_t awake);

  std::uint64_t version_ = 0;         // of the list that the nodes are of
  std::vector<std::uint32_t> node_;   // by slot of awake bodies: the first body of its tree, or itself
  std::vector<std::uint32_t> level_;  // by slot of nodes
};

}  // namespace rigor
