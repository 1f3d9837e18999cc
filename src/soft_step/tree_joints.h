// Joint trees inside the soft steps, solved at once (docs/methods/stepping/soft-step.md has the results).
//
// Over a sub-step η, from poses q₀ and velocities u₀, with f the impulses of forces and contacts (RATTLE: Andersen 1983; for rigid
// bodies Bender and Schmitt 2006):
//
//   M (u − u₀) = f + J₀ᵀ λ,    q₁ = the free motion of q₀ with u,    C(q₁) = 0        λ by Newton's method, matrix J₀ M⁻¹ J₀ᵀ
//   M (u₁ − u) = J₁ᵀ μ,        J₁ u₁ = 0                                            the factors serve the next sub-step, too
//
// The impulse of a joint acts at one point on both of its bodies, where they are: momentum and angular momentum of a free tree stay to
// rounding, whatever the step and the tolerance. It is symplectic and of second order in the joints' forces.
//
// Joints under tension are springs across their links, K_g per body (soft_step/tree_motion_lanes.cpp), that the scheme bears up to
// η² ω² = 4. Trees with faster modes take parts of the sub-step, or, where those would be too many, are damped:
//
//   (M + α η K_g) (u − u₀) = f + J₀ᵀ λ − d α η K_g (ω₀ − ω̄),    α = 1 / (4 − 2 d),   d = 1 − kUndampedRatio / η²ω² ≥ 0
//
// With constant K_g this is stable for every step; d = 1 is implicit Euler. ω̄ is the mean of a free tree, weighted by what damps it; the
// angular momentum that is missing after the solve is given back as a rigid rotation. A damped tree has no projection.
//
// Arms that turn by more than kLargestTurn, and trees whose gaps do not close, take parts as well. A tree that cannot be solved at
// all moves as one rigid body for that part, which keeps momentum and gains no energy; that is counted.
//
// Every decision is made for one tree from that tree alone: lanes of trees that are done keep what they have, so that no bit depends
// on other trees, threads or lane widths. Contacts, limits and motors change velocities in between: couple() lets the trees answer.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "soft_step/joint_trees.h"
#include "soft_step/tree_lanes.h"
#include "stepping/stepping.h"

namespace rigor {

/// A limit of an angle of a joint that is near.
struct NearLimit {
  Vec3 n;                  // axis about which the link (or the joint's second body) turns when the gap grows
  double C = 0;            // rad
  double mass = 0;         // kg m²: 1 / n·(I_a⁻¹ + I_b⁻¹) n
  double lambda = 0;       // N m s, of a sub-step
  double speed = 0;        // rad/s, target of Ċ if it holds
  double excess = 0;       // rad, beyond the limit at the end of the part, before its last correction
  bool holds = false;      // it is a part of the tree's matrix
  bool is_smooth = false;  // linear in the turns but for a bounded term of second order (tree_limits.cpp)
  /// True if it was more than kTreeReach away when the sub-step began, where n, C and mass were not computed. It is here because another
  /// limit of its joint is near.
  bool is_far = false;
  std::uint8_t key = 0;
  std::size_t lane = 0;  // of the joint's link among all lanes
  JointState* memory = nullptr;
  const StepJoint* joint = nullptr;
};

class TreeJoints {
 public:
  // tree_joints.cpp

  /// Chooses from `all` trees those whose joints are `included` (by joint of the list). Call it once a step.
  void choose(StepContext& c, const JointTrees& all, std::span<const std::uint8_t> included);
  bool empty() const { return trees_.links().empty(); }
  /// By joint of the list: what is left for others.
  std::span<const JointRows> rows_left() const { return trees_.rows_left(); }
  const JointTrees& trees() const { return trees_; }

  /// After choose(): impulses of the last step, of which the sub-step is 1 / count. Overlaps are left at `max_push` at most.
  void begin(int count, double sub_step, double max_push, LaneWidth width);
  /// Before forces act: the velocities that the sub-step begins with.
  void start(StepContext& c, bool is_first);
  /// After forces and warm starts have changed the velocities. `is_alone`: nothing else changes them before move().
  void solve(StepContext& c, double eta, bool is_alone);
  /// After others have changed the velocities.
  void couple(StepContext& c);
  /// After the sub-steps: impulses and reactions to the joints. `time` is that of the whole step.
  void store(StepContext& c, double time);

  // tree_limits.cpp

  /// Before solve(): limits that are near, n being the direction in which the second body turns against the first.
  void clear_limits() { limits_.clear(); }
  void add_limit(std::size_t joint, NearLimit limit);
  /// Before move(), in a sub-step of eta seconds: adds a limit that was not near when the sub-step began. Call sort_limits()
  /// afterwards.
  void add_late_limit(std::size_t joint, NearLimit limit, double eta);
  void sort_limits();
  std::span<const NearLimit> limits() const { return limits_; }

  /// Moves the bodies of the trees; before they arrive, `others` moves those that are in none.
  void move(StepContext& c, double eta, const std::function<void()>& others);
  /// How often in this step a tree could not be solved and was moved as one rigid body.
  int refused() const;

  // tree_closing.cpp

  /// After others have moved bodies: the trees follow them.
  void close(StepContext& c);

 private:
  /// The state of a link's joint from step to step, and its format.
  struct LinkMemory {
    JointState* state = nullptr;  // null: of a root, or of an empty lane
    double sign = 1;              // −1: the link is the joint's first body
    bool is_all_ours = false;     // others have no rows of the joint
  };
  enum class Phase : std::uint8_t { idle, iterating, converged, failed };
  /// One tree in the present sub-step.
  struct TreeRun {
    Phase phase = Phase::idle;
    bool is_damped = false;
    double share = 1, left = 1;  // of the sub-step: the present part, and what is to come with it
    double lag = 0.5;            // of the sub-step: how far velocities are behind poses
    bool is_done() const { return !(left > 0); }
    /// The impulses from outside are spread over the parts so that velocities are behind by half a sub-step again at its end,
    /// and the poses are where one push at its start would have brought a free body.
    double push() const { return lag + 0.5 * share; }
    double push_after() const { return is_done() ? lag - 0.5 : 0; }
    bool needs_projection() const { return !is_damped || push_after() != 0; }
    int halvings = 0, most_halvings = 0;
    int parts = 0, most_parts = 0;  // of this sub-step
    double tolerance = 0, gap = 0;  // m
    std::optional<Vec3> momentum;   // kg m²/s: target at the end, about the center of mass; if it takes parts
  };
  /// What a tree does in a part, for its lanes.
  struct LaneParts {
    TreeNumbers share{}, eta{}, damped{}, pushed{}, pushed_after{};
    bool operator==(const LaneParts&) const = default;
  };
  /// One group.
  struct GroupRun {
    std::array<TreeRun, kTreeLanes> tree;
    bool is_factorised = false;  // at the poses that the blocks have
    bool had_stops = false;      // when it was
    bool is_open = false;        // joints have a goal that is not to be closed
    double gap = 0;              // m, the largest
    int refused = 0;             // in this step
    bool is_alone = false;       // nothing else changes velocities in this sub-step
    bool is_first_part = true;   // no part of this sub-step is done
    bool has_drifted = false;    // blocks are where u leads to,
    TreeNumbers drifted{};       // with these squares of gaps, m²
    // What write_moves() and write_parts() have written to the lanes.
    TreeNumbers moves{-1, -1, -1, -1};
    LaneParts parts;
  };
  static constexpr double kTolerance = 1e-4;  // m
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
  /// The same for the links of one tree.
  template <class Visit> static void for_links(const TreeTask& task, std::size_t tree, const Visit& visit) {
    for_links(task, [&](TreeBlock& block, std::size_t l) {
      if (block.tree[l] == tree) visit(block, l);
    });
  }

  TreeTask task(std::size_t g) { return {lanes_.blocks.data(), lanes_.groups[g], width_}; }
  void find_memories(StepContext& c);
  void fetch_ahead(std::size_t i) const;
  void place_holders(StepContext& c, const TreeTask& task, const GroupRun& run, double eta) const;

  void plan(const TreeTask& task, GroupRun& run, double eta);
  static void kick(StepContext& c, const TreeTask& task, GroupRun& run, bool drifts = false,
                   bool has_predicted = false);
  static bool has_momentum_to_give(const TreeTask& task, const GroupRun& run);
  static bool finish_group(const TreeTask& task, GroupRun& run, double eta);
  void move_group(StepContext& c, const TreeTask& task, std::size_t g, double eta);
  static void iterate(StepContext& c, const TreeTask& task, GroupRun& run);
  void end_parts(StepContext& c, const TreeTask& task, GroupRun& run, std::span<NearLimit> limits, double eta);
  static void write_parts(const TreeTask& task, GroupRun& run, double eta);
  static void write_moves(const TreeTask& task, GroupRun& run, Phase which, bool to_project = false);
  static void give_back_momentum(const TreeTask& task, const GroupRun& run);
  void spread_outer(StepContext& c, const TreeTask& task, GroupRun& run);
  static void note_momentum(const TreeTask& task, GroupRun& run, std::size_t tree);
  static void restore_momentum(const TreeTask& task, const GroupRun& run);
  static Vec3 center_of(const TreeTask& task, std::size_t tree);
  static void find_means(const TreeTask& task, const GroupRun& run);
  static void freeze(const TreeTask& task, std::size_t tree);

  // tree_limits.cpp
  std::span<NearLimit> limits_of(std::size_t g);
  double wanted_speed(double gap, double left, double eta) const;
  void follow_limits(const TreeTask& task, const GroupRun& run, std::span<NearLimit> limits, double eta) const;
  void begin_limits(const TreeTask& task, std::span<NearLimit> limits, double eta) const;
  static void settle_limits(StepContext& c, const TreeTask& task, GroupRun& run, std::span<NearLimit> limits,
                            double eta);
  static bool change_limits(const TreeTask& task, GroupRun& run, std::span<NearLimit> limits, double eta,
                            bool releases);
  struct Exceeded {
    double gap, excess;  // rad
    Vec3 n;
  };
  static std::optional<Exceeded> find_exceeded(const TreeTask& task, const NearLimit& limit, double part);
  static void begin_corrections(std::span<NearLimit> limits, std::vector<NearLimit>& start);
  static bool correct_limits(StepContext& c, const TreeTask& task, GroupRun& run, std::span<NearLimit> limits,
                             double eta);
  void end_corrections(const TreeTask& task, GroupRun& run, std::span<NearLimit> limits,
                       std::span<const NearLimit> start, double eta) const;
  static std::pair<Vec3, Vec3> joint_spins(const TreeTask& task, const NearLimit& limit);
  static bool may_halve_for_limits(const TreeRun& tree);
  static double limit_speed(const TreeTask& task, const NearLimit& limit);
  static double limit_mass(const TreeTask& task, const NearLimit& limit);
  static std::pair<double, Vec3> gap_at_end(const TreeTask& task, const NearLimit& limit);
  static void write_stops(const TreeTask& task, std::span<const NearLimit> limits);
  static void clear_stops(TreeBlock& block);

  // tree_closing.cpp
  void leave_open(StepContext& c, const TreeTask& task, GroupRun& run, double eta) const;
  void close_group(StepContext& c, const TreeTask& task, GroupRun& run);
  static void displace(StepContext& c, const TreeTask& task);

  JointTrees trees_;
  TreeBlocks lanes_;
  LaneWidth width_ = LaneWidth::machine;
  double max_push_ = 0;
  int count_ = 1;
  bool is_new_ = false;                   // nothing has been stored since choose() found others
  std::vector<GroupRun> runs_;            // by group
  std::vector<LinkMemory> memory_;        // by lane of the blocks
  std::vector<LinkReactions> reactions_;  // by block
  std::vector<std::uint32_t> lane_of_;    // by joint of the list that is in a tree: where in memory_
  std::vector<NearLimit> limits_;
  std::vector<std::size_t> first_limit_;                                         // by group, and one more
  std::vector<NearLimit> next_limits_;                                           // scratch of sort_limits()
  std::vector<std::tuple<std::size_t, std::uint8_t, std::size_t>> limit_order_;  // lane, key, index; likewise
  // Poses of the kinematic bodies at the start of the sub-step.
  std::vector<Vec3> holder_x_;
  std::vector<Quat> holder_q_;
};

}  // namespace rigor
