// Finds the joints of a step that form trees, which are solved directly, and their pivots (JointTrees), and lays their links out in
// blocks of four for the kernels of tree_lanes.h (TreeBlocks).
//
// A joint can be part of a tree when it holds two points together rigidly and leaves all rotations free, one, or none: ball,
// hinge and fixed joints, with limits of angles or without. A joint is taken only together with all joints that are
// connected to it: a set with loops, other kinds of joints, motors or springs is left to other solvers as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "constraints/write_rows.h"
#include "multibody/joint_forest.h"
#include "multibody/symmetric3.h"
#include "rigor/impulses.h"
#include "state/step_bodies.h"

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

// Links of joint trees, four at a time: the data that the kernels of tree_lanes.h work on.
//
// A block is four links of one kind and depth, one per lane. Up to four trees are solved together as a group. Where it can be,
// the children of a block's links are in the same lanes of another block ("aligned"): then what goes up and down the tree are
// whole registers. Near the root of a single tree that would leave lanes empty; there links are packed in any order.
// Parents come before their children, so a sweep down is one over the blocks and a sweep up is one backwards.

inline constexpr int kTreeLanes = 4;
/// η² ω² of a body alone up to which its modes are not damped (soft_step/tree_joints.h).
inline constexpr double kUndampedRatio = 1;
using LaneNumber = std::array<double, kTreeLanes>;
using LaneSlots = std::array<std::uint32_t, kTreeLanes>;

struct Lane3 {
  LaneNumber x{}, y{}, z{};
  Vec3 get(std::size_t l) const { return {x[l], y[l], z[l]}; }
  void set(std::size_t l, const Vec3& v) { x[l] = v.x, y[l] = v.y, z[l] = v.z; }
};
struct LaneQuat {
  LaneNumber w{}, x{}, y{}, z{};
  Quat get(std::size_t l) const { return {w[l], x[l], y[l], z[l]}; }
  void set(std::size_t l, const Quat& q) { w[l] = q.w, x[l] = q.x, y[l] = q.y, z[l] = q.z; }
};
struct LaneSym3 {
  LaneNumber xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
};
struct LaneMat3 {
  Lane3 row[3];
};

struct alignas(64) TreeBlock {
  // What it is. Written by TreeBlocks::build().
  TreeLink::Kind kind = TreeLink::Kind::root;   // of all links
  bool is_full = false;                         // no lane is empty
  bool has_stops = false;                       // limits hold in some lane; see below
  int parent = -1;                              // aligned: block; otherwise -1
  std::array<int, kTreeLanes> parents{};        // not aligned: block * 4 + lane; empty lanes repeat the first one
  bool is_held = false;                         // by what does not move freely: neither of them
  std::array<int, kTreeLanes> link{};           // -1: empty
  std::array<std::uint8_t, kTreeLanes> tree{};  // which of the group's trees; empty lanes repeat the first one
  LaneSlots body{}, parent_body{};              // slots; of empty lanes those of the first one
  LaneNumber present{};                         // 1, or 0 where it is empty
  Lane3 own_local, parent_local;                // m, the pivot in the two principal frames
  LaneNumber mass{};                            // kg
  Lane3 moments, inverse_moments;               // kg m², and the inverses
  LaneNumber size{};                            // m, the longest arm or gyration radius of the tree

  // The start of a part of the sub-step. Written by start_trees(), then by close_parts().
  Lane3 x;                 // m
  LaneQuat q;              // principal frame to world
  LaneSym3 inertia;        // kg m², world frame
  Lane3 start_v, start_w;  // u₀
  // Only held blocks use these: the pose and velocity of the holder at the end of the part. place_holders() writes them.
  Lane3 ground_x, ground_v, ground_w;
  LaneQuat ground_q;

  // What a tree does in this part; equal in all lanes of a tree. Written by soft_step/tree_joints.cpp.
  LaneNumber eta{};           // s, duration of the part
  LaneNumber share{};         // η over the duration of the sub-step
  LaneNumber pushed{};        // part of outer_v and outer_w that acts at the start of the part,
  LaneNumber pushed_after{};  // and after it, with the projection
  LaneNumber moves{};         // 1 while the tree is iterated, 0 where it is done: its lanes keep what they have
  LaneNumber damped{};        // 1 where modes are too fast for the step
  Lane3 mean_w;               // rad/s, what the damping leaves alone

  // Geometric stiffness. Written by stiffen_trees() and factorise_trees().
  LaneSym3 stiff;        // kg m², η K_g of the whole sub-step
  LaneNumber ratio{};    // η² ω² of the body alone: half the trace of I⁻¹ stiff
  LaneNumber weight{};   // α s² of the part
  LaneNumber braking{};  // α d s²

  // The iterate.
  Lane3 outer_v, outer_w;  // N s, N m s: impulses of forces and contacts in the whole sub-step
  Lane3 u_v, u_w;
  Lane3 end_x, end_w;  // at the end of the part, as far as is known
  LaneQuat end_q;
  Lane3 gain_v, gain_w;          // N s, N m s: what came through joints in this part; summed over the subtree
  Lane3 sum_lambda, sum_torque;  // of the parts that are done
  Lane3 lambda, torque;          // N s, N m s, on the body at the pivot, of the last sub-step
  Lane3 goal, goal_w;            // m, rad: gap and tilt that may be left; of joints that were far from closed

  // The linear system: arms and targets, then its factors (lane_pivots-inl.h).
  Lane3 own, at_parent;  // m, from the centers of mass to the pivot of the link, world frame
  Lane3 r, r_w;          // m/s, rad/s: velocity of the link relative to its parent at the pivot; balls have no r_w
  LaneSym3 A, C;         // M while children are added; then by kind
  LaneMat3 B;
  Lane3 b_v, b_w;          // right side
  Lane3 delta_v, delta_w;  // solution

  // Only hinges use these; fixed links use the last two.
  Lane3 axis_own, axis_parent;  // in the principal frames
  Lane3 axis, U_v, U_w;
  LaneNumber inverse_D{}, beta{};
  LaneQuat frame_own, frame_parent;

  // Only limits that hold use these (soft_step/tree_limits.h): impulses push − stop (ω − ω of the parent) turn the link, and its parent back.
  LaneSym3 stop;       // kg m²
  Lane3 push;          // N m s
  LaneSym3 stopped_C;  // of balls: factors (lane_pivots-inl.h)
  LaneMat3 stopped_B;
};

/// One tree of a group.
struct TreeShape {
  std::size_t links = 0;
  double size = 0;       // m, its longest arm or gyration radius
  bool is_free = false;  // nothing holds it
};

/// Blocks [begin, end): whole trees that are solved together.
struct TreeGroup {
  std::size_t begin = 0, end = 0;
  bool has_torques = false;  // hinges or fixed links are among them, or balls with limits
  int trees = 0;
  std::array<TreeShape, kTreeLanes> shape{};  // by tree
};

class TreeBlocks {
 public:
  void build(const JointTrees& trees, const BodyState& state);
  void clear() { blocks.clear(), groups.clear(); }

  std::vector<TreeBlock> blocks;
  std::vector<TreeGroup> groups;

 private:
  using Level = std::vector<std::size_t>;  // blocks
  void add_group(std::span<const TreeRange> trees);
  Level add_roots(std::span<const TreeRange> trees);
  Level add_children(const Level& parents);
  bool add_aligned(const Level& parents, Level& level);
  void add_loose(std::vector<int> links, Level& level);
  TreeBlock& add_block(std::span<const int> links);
  void describe_trees(TreeGroup& group);
  void fill_lane(TreeBlock& block, std::size_t lane, int link);

  std::span<const TreeLink> links_;
  const BodyState* state_ = nullptr;
  std::vector<std::vector<int>> children_;  // by link
  std::vector<int> node_;                   // by link: block * 4 + lane
  std::vector<std::uint8_t> tree_;          // by link: number within its group
};

// Records the impulses of joints in trees, for Simulation::impulses() (rigor/impulses.h).
//
// A tree changes velocities several times in a sub-step: in its solve, after each sweep over contacts, and when it moves.
// Between start() and stop() nothing else acts, so that the change of a body's momentum p and angular momentum L is what its
// joints did. The impulse λ of a joint is the momentum that all bodies beyond it have gained, and its torque follows in the
// same way, from the leaves to the root:
//
//   λ = Δp + Σ λ_child,   τ = ΔL − r × λ + Σ (τ_child + r_child × λ_child)      r from the centers of mass to the pivots
//
// The rotation that a damped free tree gets back (tree_joints.cpp) counts as an impulse of its joints. Impulses of limits are part of τ.

class TreeRecord {
 public:
  /// Call this before the first sub-step.
  void begin(const JointTrees& trees);
  /// Call these before and after the trees change velocities u or poses.
  void start(const BodyState& state, std::span<const BodyVelocity> u);
  void stop(const BodyState& state, std::span<const BodyVelocity> u);
  /// Appends the impulses of the joints since the last call.
  void write(const ConstraintList& list, const BodyState& state, std::vector<ConstraintImpulse>& to);

 private:
  struct Momentum {
    Vec3 p, L;  // kg m/s, kg m²/s about the center of mass
  };
  static Momentum momentum(const BodyState& state, const BodyVelocity& u, std::uint32_t slot);

  std::span<const TreeLink> links_;
  std::vector<Momentum> before_, gained_;  // by link
};

}  // namespace rigor
