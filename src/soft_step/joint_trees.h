// Finds the joints of a step that form trees, which are solved directly, and their pivots.
//
// A joint can be part of a tree when it holds two points together rigidly and leaves all rotations free, one, or none: ball,
// hinge and fixed joints, with limits of angles or without. A joint is taken only together with all joints that are
// connected to it: a set with loops, other kinds of joints, motors or springs is left to other solvers as a whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/write_rows.h"
#include "multibody/joint_forest.h"

namespace rigor {

/// A body of a tree and the joint to its parent.
struct TreeLink {
  enum class Kind : std::uint8_t { root, ball, hinge, fixed };
  Kind kind = Kind::root;
  bool is_b = false;                        // whether the body is the second one of the joint
  int parent = -1;                          // link; -1: none, or a body that does not move freely
  int joint = -1;                           // in ConstraintList::joints
  std::uint32_t body = 0, parent_body = 0;  // slots
  Transform own, at_parent;                 // joint frames in the two principal frames
  Vec3 axis_own, axis_parent;               // of a hinge, in the two principal frames
};

struct TreeRange {
  std::size_t begin = 0, end = 0;  // links
};

class JointTrees {
 public:
  /// Finds the trees among the joints of the list, or among those that are `included` (by joint). Returns false if
  /// nothing has changed since the last call.
  bool find(const World& world, const ConstraintList& list, std::span<const std::uint8_t> included = {});
  /// Copies from `all`, which was found among all joints of the list, the trees whose joints are `included` (by joint).
  /// A tree has to be included as a whole or not at all. Returns false if nothing has changed since the last call.
  bool take(const JointTrees& all, const ConstraintList& list, std::span<const std::uint8_t> included);
  /// Changes whenever find() or take() has returned true.
  std::uint64_t revision() const { return revision_; }

  /// Parents come before their children; the links of a tree are contiguous.
  const std::vector<TreeLink>& links() const { return links_; }
  const std::vector<TreeRange>& trees() const { return trees_; }
  /// By joint of the list: the rows that remain for other solvers.
  std::span<const JointRows> rows_left() const { return left_; }
  /// Joints of trees that have limits of angles with room between them, in their order. The trees themselves solve those limits.
  std::span<const std::uint32_t> limited() const { return limited_; }

 private:
  void collect_edges(const ConstraintList& list, std::uint32_t awake);
  void refuse(int body);
  void refuse_loops();
  bool is_whole(std::size_t begin, std::size_t end) const;
  void leave(const StepJoint& joint, int index);
  void take_tree(const ConstraintList& list, std::size_t begin, std::size_t end);

  std::uint64_t version_ = 0;  // of the list
  std::uint64_t revision_ = 0;
  std::vector<std::uint8_t> included_;
  std::vector<TreeLink> links_;
  std::vector<TreeRange> trees_;
  std::vector<JointRows> left_;
  std::vector<std::uint32_t> limited_;
  JointForest forest_;
  std::vector<TreeEdge> edges_;        // begin: the joint
  std::vector<std::uint8_t> refused_;  // by slot: a joint that trees cannot have meets the body
};

}  // namespace rigor
