// Joint trees inside the soft steps, solved at once to a tolerance of positions (the findings that it follows are in
// docs/methods/stepping/soft-step.md).
//
// Over a sub-step η, from poses q₀ and velocities u₀, with u* what forces and contacts make of them:
//
//   M (u₁ − u*) = Jᵀ(q₁) λ,   C(q₁) = 0,   q₁ = the integrator's free motion of q₀ with u₁
//
// Impulses act along the arms at the END of the sub-step. Newton's method begins with u₀ and the last λ:
//
//   (M + η K_g) δ − J₁ᵀ λ = M (u* − u),   J₁ δ = −C₁ / η,   u ← u + δ          by multibody/tree_lanes.h
//   K_g = ½ (|r||λ| + r·λ) 1 − ½ (r λᵀ + λ rᵀ)   per joint impulse λ at the arm r of a body
//
// K_g is the geometric stiffness of the joint forces: without it a chain under tension has modes faster than the step and blows
// up, however exactly its joints are solved. It is shifted by ½ (|r||λ| − r·λ) 1 to be positive semidefinite, so that the system
// can always be solved. One iteration is the rule; turns of second order are taken into account with its factors. More follow
// while a gap exceeds the tolerance. A sub-step that does not converge is taken in halves; one that still does not is refused,
// and the caller takes the step back.
//
// Contacts, limits and motors change velocities in between: couple() lets the trees answer, with the last factors.
//
// Up to four trees are iterated together, as one group of lanes: whether a tree gets another iteration may depend on others of
// its group, never on threads or lane widths.
#pragma once

#include <functional>
#include <vector>

#include "multibody/tree_lanes.h"
#include "stepping/stepping.h"

namespace rigor {

/// How bodies move by their velocities for a time, every body by itself.
struct FreeMotion {
  std::function<void(double)> all;
  std::function<void(std::span<const std::uint32_t>, double)> some;  // velocities to be taken from the state
  bool in_parallel = false;                                          // several threads may ask for different ones
};

class TreeJoints {
 public:
  // tree_joints.cpp

  /// Once a step: the trees among the joints of the list that are `included`, by joint.
  void choose(StepContext& c, std::span<const std::uint8_t> included);
  bool empty() const { return trees_.links().empty(); }
  /// By joint of the list: what is left for others.
  std::span<const JointRows> rows_left() const { return trees_.rows_left(); }
  const JointTrees& trees() const { return trees_; }

  /// After choose(): impulses of the last step, of which the sub-step is 1 / count. Overlaps are left at `max_push` at most.
  void begin(StepContext& c, int count, double sub_step, double max_push, LaneWidth width);
  /// Before forces act: the velocities that the sub-step begins with.
  void start(StepContext& c, bool is_first);
  /// After forces and warm starts have changed the velocities. `alone`: contacts and limits will not change the velocities
  /// afterwards, so that gaps of second order are worth closing at once.
  void solve(StepContext& c, double eta, bool alone);
  /// After others have changed the velocities. `relax`: without what limits that hold have pushed with to get back.
  void couple(StepContext& c, bool relax);
  /// Before solve(), for every limit that holds: along n, by which the second body of the joint turns against the first, the
  /// joint turns at `speed` (rad/s), but for an impulse of `stiffness` (kg m²) times what it misses.
  void add_stop(std::size_t joint, const Vec3& n, double stiffness, double speed);
  void clear_stops();
  static void clear_stops(TreeBlock& block);
  /// After the sub-steps: impulses and reactions to the joints. `time` is that of the whole step.
  void store(StepContext& c, double time);

  // tree_move.cpp

  /// Moves all bodies; false when there is no way that keeps the joints closed.
  bool move(StepContext& c, double eta, const FreeMotion& motion);
  /// Everything as it was at begin().
  void take_back_step(StepContext& c) const;

  // tree_closing.cpp

  /// After others have moved bodies: the trees follow them.
  void close(StepContext& c);

 private:
  /// What a link's joint remembers, and how.
  struct LinkMemory {
    JointState* state = nullptr;  // null: of a root, or of an empty lane
    Quat frame_a;                 // joint frame in the principal frame of the joint's first body
    std::uint32_t slot_a = 0;
    double sign = 1;           // −1: the link is the joint's first body
    bool is_all_ours = false;  // others have no rows of the joint
  };
  /// Of the sub-step, for one group: [since, since + eta].
  struct Part {
    TreeTask task;
    std::size_t number = 0;  // of the group
    double since = 0, eta = 0;
    int depth = 0;  // halvings
  };
  static constexpr double kTolerance = 1e-4;       // m, gap of a joint; far below what is seen
  static constexpr double kAngleTolerance = 1e-3;  // rad, the same at a tenth of a metre
  static constexpr int kMaxIterations = 8;

  /// On all threads: visit(task, its number).
  template <class Visit> void for_groups(StepContext& c, const Visit& visit) {
    constexpr std::size_t kGroupsPerTask = 1;
    c.threads.for_range(lanes_.groups.size(), kGroupsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t g = begin; g < end; ++g) visit(task(g), g);
    });
  }
  /// visit(block, lane) for every link of a group.
  template <class Visit> static void for_links(const TreeTask& task, const Visit& visit) {
    for (std::size_t i = task.group.begin; i < task.group.end; ++i)
      for (std::size_t l = 0; l < kTreeLanes; ++l)
        if (task.blocks[i].link[l] >= 0) visit(task.blocks[i], l);
  }

  TreeTask task(std::size_t g) { return {lanes_.blocks.data(), lanes_.groups[g], width_}; }
  double observe(StepContext& c, const TreeTask& task) const;
  double observe_moved(StepContext& c, const TreeTask& task, double eta) const;
  void find_memories(StepContext& c);
  void fetch_ahead(std::size_t i) const;
  void list_slots();
  void place_holders(StepContext& c, const TreeTask& task, double time) const;
  void newton(StepContext& c, const TreeTask& task, double eta, EndPoses poses, bool exactly, bool from_bodies = false);
  static void refine(StepContext& c, const TreeTask& task, double eta);

  bool move_group(StepContext& c, const Part& part, const FreeMotion& motion, bool has_moved);
  bool settle(StepContext& c, const Part& part, const FreeMotion& motion, bool has_moved);
  bool move_halves(StepContext& c, const Part& whole, const FreeMotion& motion);
  void move_links(StepContext& c, const Part& part, const FreeMotion& motion);
  static void go_back(StepContext& c, const TreeTask& task);

  void leave_open(StepContext& c, const TreeTask& task, double eta) const;
  void close_group(StepContext& c, const TreeTask& task);
  static void displace(StepContext& c, const TreeTask& task);
  void take_back_closing(StepContext& c);

  JointTrees trees_;
  TreeBlocks lanes_;
  LaneWidth width_ = LaneWidth::machine;
  double max_push_ = 0;
  int count_ = 1;
  bool is_new_ = false;                  // nothing has been stored since choose() found others
  bool has_open_ = false;                // a joint was far from closed when the sub-step began
  std::vector<std::uint8_t> left_open_;  // by group: joints have a goal that is not to be closed
  std::vector<double> gap_;              // m, by group: largest
  std::vector<LinkMemory> memory_;       // by lane of the blocks
  std::vector<std::uint32_t> lane_of_;   // by joint of the list that is in a tree: where in memory_
  std::vector<std::uint32_t> slots_;     // of the links, group by group
  std::vector<std::size_t> first_slot_;  // by group, and one more
  std::vector<std::uint8_t> refused_;    // by group: it could not be moved
  // By slot of what moves, at the begin of the step.
  std::vector<Vec3> begin_x_;
  std::vector<Quat> begin_q_;
  std::vector<BodyVelocity> begin_u_;
  // Of the kinematic bodies, at the begin of the sub-step.
  std::vector<Vec3> holder_x_;
  std::vector<Quat> holder_q_;
};

}  // namespace rigor
