// Limits of angles in joint trees: what is left of a joint of a tree that has no motors, springs or friction.
//
// With n the direction along which an angle grows towards the limit's gap C, ω of the joint's bodies a and b:
//
//   Ċ = n·(ω_b − ω_a),   λ ≥ 0,   ω_a ← ω_a − I_a⁻¹ n Δλ,   ω_b ← ω_b + I_b⁻¹ n Δλ
//
// A limit that pushed in the sub-step before holds in this one, λ = k (w − Ċ) with a large k and the wanted speed w, and is solved
// at once with the tree; should it have to pull, it lets go in the next one. Others that would be reached within two sub-steps of
// the full number are solved one after the other, softly as every rigid row of the soft steps (soft_settings.h): what is hit. n
// stays in the step, C follows the velocities: n turns by no more than the bodies do.
#pragma once

#include <vector>

#include "constraints/joint_pose.h"
#include "multibody/joint_trees.h"
#include "multibody/limit_lanes.h"
#include "stepping/soft_settings.h"
#include "stepping/tree_joints.h"

namespace rigor {

class TreeLimits {
 public:
  // tree_limits_near.cpp

  /// Once a step: the limits that are near, of the joints that the trees leave to this, with the impulses of the last step.
  void begin(StepContext& c, const JointTrees& trees, const SoftSettings& settings, double eta, LaneWidth width);
  bool empty() const { return limits_.empty(); }

  // tree_limits.cpp

  /// Once a sub-step: which of them hold, as a part of the trees.
  void hold(TreeJoints& trees);
  /// After the solve with correction: what those have pushed with.
  void observe_held(StepContext& c);
  /// One round for those that do not hold; `correct` also moves out of angles that are beyond their limits.
  void solve(StepContext& c, bool correct);
  /// After the bodies have moved.
  void follow(StepContext& c);
  /// After the sub-steps, and after the trees: impulses and reactions to the joints. `time` is that of the whole step.
  void store(StepContext& c, double time) const;

 private:
  struct Limit {
    int a = 0, b = 0;         // places
    Vec3 n;                   // along which the gap grows
    double C = 0;             // rad
    double lambda = 0;        // N m s of a sub-step
    double mass = 0;          // kg m²: 1 / n·(I_a⁻¹ + I_b⁻¹) n
    Vec3 change_a, change_b;  // rad/s per N m s, of ω
    double push = 0;          // rad/s, wanted where it holds
    bool holds = false;       // as a part of the tree
    std::uint8_t key = 0;
    std::uint32_t joint = 0;
    JointState* memory = nullptr;
  };
  /// A joint in a lane of a block.
  struct Limited {
    JointState* memory = nullptr;  // null: the lane is empty
    std::uint32_t joint = 0;
    int a = 0, b = 0;                             // places
    std::array<std::uint8_t, kLimitSides> key{};  // by side
  };
  /// The rotation q from a joint's frame a to its frame b, and ω_b − ω_a in the axes of a.
  struct Attitude {
    const StepJoint& joint;
    Quat to_world;  // of the axes of a
    JointPose pose;
    Vec3 w;
  };

  void build(StepContext& c, const JointTrees& trees);
  void add_block(StepContext& c, std::span<const std::uint32_t> joints);
  void take_near(StepContext& c, std::size_t block);
  void take_side(const LimitBlock& block, const Limited& joint, std::size_t side, std::size_t lane);
  void find_near(StepContext& c, std::uint32_t index);
  void find_near_axes(StepContext& c, std::uint32_t index, const Attitude& at);
  void find_near_cone(StepContext& c, std::uint32_t index, const Attitude& at);
  void add(StepContext& c, std::uint32_t index, const Attitude& at, int key, double gap, const Vec3& n);
  double wanted(const Limit& limit, bool correct) const;
  static double speed(const Limit& limit, const std::vector<BodyVelocity>& u);
  static void push(const Limit& limit, double impulse, std::vector<BodyVelocity>& u);

  std::uint64_t version_ = 0;          // of the trees
  std::vector<LimitBlock> blocks_;     // joints whose limits are looked at in lanes,
  std::vector<Limited> limited_;       // by lane of the blocks,
  std::vector<std::uint32_t> others_;  // and those of other kinds
  std::vector<Limit> limits_;
  std::vector<std::uint32_t> held_, hit_;  // of limits_: in this sub-step a part of the trees, and not
  Softness softness_;
  double eta_ = 0, max_push_ = 0, reach_time_ = 0;  // s, rad/s, s
  int count_ = 1;
};

}  // namespace rigor
