// Limits of angles in joint trees: what is left of a joint of a tree that has no motors, springs or friction.
//
// With n the direction along which an angle grows towards the limit's gap C, ω of the joint's bodies a and b:
//
//   Ċ = n·(ω_b − ω_a),   λ ≥ 0,   C + η Ċ ≥ 0,   λ (C + η Ċ) = 0
//
// In every sub-step those that are near are found at the present poses. Which of them hold is decided tree by tree (TreeJoints,
// in the second half of tree_limits.cpp): a limit holds if the tree would turn beyond it, and lets go if it would have to pull. What holds is a part of the
// tree's matrix: λ = k (w − Ċ) with a large k and the wanted speed w.
#pragma once

#include <vector>

#include "constraints/joint_pose.h"
#include "soft_step/joint_trees.h"
#include "soft_step/limit_lanes.h"
#include "soft_step/tree_joints.h"

namespace rigor {

class TreeLimits {
 public:
  /// Once a step: which joints have limits.
  void begin(StepContext& c, const JointTrees& trees, int count, LaneWidth width);
  /// Once a sub-step of eta: the trees get those that are near, with the impulses of the last sub-step.
  void find(StepContext& c, TreeJoints& trees, double eta);
  /// Call this after contacts have changed the velocities, before the trees move. Adds limits that were not near but that the present
  /// velocities reach within the sub-step: a contact may turn a limb by more than kTreeReach in a sub-step.
  void find_reached(StepContext& c, TreeJoints& trees, double eta) const;
  /// After the sub-steps, and after the trees: impulses to the joints.
  void store(StepContext& c, const TreeJoints& trees) const;

 private:
  /// A joint in a lane of a block.
  struct Limited {
    JointState* memory = nullptr;  // null: the lane is empty
    const StepJoint* step_joint = nullptr;
    std::uint32_t joint = 0;
    std::array<std::uint8_t, kLimitSides> key{};  // by side
  };
  /// The rotation q from a joint's frame a to its frame b, and ω_b − ω_a in the axes of a.
  struct Attitude {
    const StepJoint& joint;
    Quat to_world;  // of the axes of a
    JointPose pose;
    Vec3 w;
    double late = 0;  // s, duration of the sub-step if contacts have acted in it; 0 at its start
  };

  void build(StepContext& c, const JointTrees& trees);
  void add_block(StepContext& c, std::span<const std::uint32_t> joints);
  void take_near(StepContext& c, std::size_t block, TreeJoints& trees) const;
  static void add_far(const Limited& joint, std::size_t side, TreeJoints& trees);
  void take_side(const LimitBlock& block, const Limited& joint, std::size_t side, std::size_t lane,
                 TreeJoints& trees) const;
  void find_near(StepContext& c, std::uint32_t index, TreeJoints& trees) const;
  void find_near(StepContext& c, std::uint32_t index, const Vec3& w, double late, TreeJoints& trees) const;
  /// visit(key, gap, n) for every limit of an angle, n in the axes of the joint's frame a.
  template <class Visit> static void for_limits(const Attitude& at, const Visit& visit);
  void add(StepContext& c, std::uint32_t index, const Attitude& at, int key, double gap, const Vec3& n,
           TreeJoints& trees) const;
  void forget(StepContext& c) const;

  std::uint64_t version_ = 0;          // of the trees
  std::vector<LimitBlock> blocks_;     // joints whose limits are looked at in lanes,
  std::vector<Limited> limited_;       // by lane of the blocks,
  std::vector<std::uint32_t> others_;  // and those of other kinds
  LaneWidth width_ = LaneWidth::machine;
  double reach_time_ = 0;  // s
  int count_ = 1;
};

}  // namespace rigor
