// Islands of the soft step, and how many sub-steps each of them takes.
//
// An island is a set of awake bodies that joints and contacts with points connect. Whatever adapts is decided by island, from that
// island alone, so that a body that touches nothing changes no bit of the others:
//
//   1 sub-step         all joints are in trees, without friction, and nothing touches: trees are solved at once
//   count × shallow    all joints are in trees, several of them, and bodies are stacked no deeper than eight, a tree counting as one
//   count              everything else
//   count × 2, 4, …    bodies with contacts that would turn by more than `max_turn` in a sub-step: their inertias change with it
//                      and tall islands, which would buckle, and islands of thin bodies, which would sink into each other
//
// Contacts are springs of frequency ω = 2π contact_stiffness / η. A column of N cubes of side L, each of mass m and held by a spring of
// stiffness m ω² / 2, buckles under its own weight m a N from N³ a L = 7.84 ω² L² / 8 on (Greenhill 1881). The sub-step η has to be
// so small that this does not happen. With two sweeps layers of several bodies creep apart, hence more of them. Light bodies are
// softer springs under the same load: for unlike bodies without joints column_sway.h has the limit.
//
// Islands with the same number form a pace: they take their sub-steps together. Where forces change within a step, they may couple
// islands; all of them then take `count`. A fixed body that moves connects what touches it as far as the number is concerned.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "math/disjoint_sets.h"
#include "rigor/state.h"
#include "soft_step/column_sway.h"
#include "soft_step/joint_trees.h"
#include "state/step_bodies.h"

namespace rigor {

/// Islands that take the same number of sub-steps.
struct Pace {
  int count = 1;
  double sub_step = 0;               // s
  std::vector<std::uint32_t> slots;  // awake bodies, then kinematic ones
  std::size_t awake = 0;             // of the slots
};

struct SoftIsland {
  bool has_contacts = false, has_joints = false;
  bool all_in_trees = true;  // every joint
  bool is_plain = true;      // and none has friction
  bool is_held = false;      // by a joint or contact with something that is not part of it
  bool is_powered = false;   // motors or springs of joints may put energy in
  bool is_driven = false;    // belts on moving bodies may
  bool is_moved = false;     // fixed bodies that move, or whose surface runs, may put energy in
  std::int64_t levels = 0;   // sum over the nodes of find_depths()
  int nodes = 0;
  int depth = 0;  // bodies stacked on each other, a tree counting as one; of tall islands and islands of trees
  int contacts = 0, joints = 0;
  double turn = 0;         // rad/s, of the body whose inertia turns fastest
  bool is_loaded = false;  // a contact at rest carries too much for `count` sub-steps; four times as many sweeps
  bool is_tall = false;    // it would buckle with `count` sub-steps, and takes twice as many sweeps, too
  double sway2 = 0;        // rad²/s², of tall islands: ω² that keeps it from buckling
  double sag2 = 0;         // rad²/s², of thin and unlike bodies: ω² at which they sink in as far as they may
  int pace = 0;
};

class SoftIslands {
 public:
  struct Options {
    int count = 4;
    double shallow = 0.5;
    double max_turn = 0.25;  // rad
    double h = 0;            // s
    double contact_stiffness = 0.25;
    double max_sag = 0;     // m: bodies ten times as thick are not thin
    double max_depth = 0;   // m: where corrections of depth begin at bodies that heavier ones squeeze
    bool adapts = true;     // forces are constant in the step
    bool has_trees = true;  // joints of trees are solved at once
    bool operator==(const Options&) const = default;
  };

  /// Joints that are in no tree are all left to others.
  void find(const ConstraintList& list, const BodyState& state, const JointTrees& trees, const Options& options);

  std::span<const SoftIsland> islands() const { return islands_; }
  /// By slot of awake bodies.
  std::span<const std::uint32_t> island_of() const { return island_of_; }
  std::span<const Pace> paces() const { return paces_; }
  /// By slot of awake and kinematic bodies.
  std::span<const std::uint8_t> pace_of() const { return pace_of_; }
  /// Some body would have needed more sub-steps than there may be.
  bool is_too_fast() const { return is_too_fast_; }

 private:
  bool take_joints(const ConstraintList& list, const BodyState& state, const JointTrees& trees);
  void connect(const ConstraintList& list, const BodyState& state);
  void describe(const ConstraintList& list, const BodyState& state);
  void find_extents(const BodyState& state);
  void find_tall(const Options& options);
  void find_depths(const ConstraintList& list, const JointTrees& trees, std::uint32_t awake);
  void find_columns(const ConstraintList& list, const BodyState& state, const Options& options);
  void find_loads(const ConstraintList& list, const BodyState& state, const Options& options);
  void connect_nodes(const ConstraintList& list, std::uint32_t awake);
  int count_of(const SoftIsland& island, const Options& options);
  static double angular_frequency(int count, const Options& options);
  static bool is_coarse(const SoftIsland& island, int count, const Options& options);
  void choose_paces(const ConstraintList& list, const BodyState& state, const Options& options);
  void share_kinematic(const ConstraintList& list, const BodyState& state);
  void list_numbers(const Options& options);
  std::uint8_t pace_with(int count) const;

  std::vector<std::uint32_t> island_of_;
  std::vector<SoftIsland> islands_;
  std::vector<Pace> paces_;
  std::vector<std::uint8_t> pace_of_;
  // Scratch of find_extents() and find_depths(): extents by island; islands whose depth is needed; a node for each body that stands for
  // all bodies of its tree; its neighbours; levels; nodes in order of their levels.
  struct Extent {
    Vec3 low, high;             // m, of the centres of its bodies
    double thickness = 0;       // m, of its thinnest body
    Vec3 push, pull;            // m/s², largest acceleration by forces along and against each axis
    std::int64_t size_sum = 0;  // in units of kSizeUnit: sums of integers do not depend on the order of bodies
    std::array<std::int64_t, 3> position_sum{};  // likewise
    int bodies = 0;
    double mass = 0;                                // kg; for a bound only, as the sum depends on the order
    Vec3 moment;                                    // kg m, about the origin; likewise
    double least_mass = 0, largest_mass = 0;        // kg
    double least_inertia = 0, largest_inertia = 0;  // kg m², of the least principal moments
    double largest = 0;                             // m, side of the largest body as a cube
    double size() const;                            // m, mean
    double acceleration() const;
    double height() const;  // m, mean over its bodies, above its lowest one
    double sway2(double layers) const;
    Vec3 net_acceleration() const { return push - pull; }
    bool is_soft() const;
    bool is_unlike() const;
    double most_sag(const Options& options) const;
    double column_load() const;                // m/s²: no less than ColumnSway finds
    double column_sway2(double layers) const;  // rad²/s²: no less than ColumnSway finds
  };
  std::vector<Extent> extents_;
  ColumnSway columns_;
  std::vector<std::uint8_t> needs_depth_;
  std::vector<std::uint32_t> node_, first_neighbour_, neighbours_, level_, queue_;
  std::vector<int> counts_;   // sub-steps, by island, then by kinematic body
  std::vector<int> numbers_;  // of sub-steps that occur, ascending
  DisjointSets sets_{0};

  // Islands as far as joints alone decide, cached while the joints and the slots of their bodies stay. Written by
  // take_joints().
  struct JointSet {
    std::uint32_t slot = 0;  // slot of one of its bodies
    SoftIsland joined;       // what the joints contribute to their island
  };
  std::uint64_t joints_version_ = 0, trees_revision_ = 0;
  std::uint32_t joints_awake_ = 0;
  DisjointSets joined_{0};
  std::vector<JointSet> joint_sets_;
  std::vector<std::uint32_t> carried_;  // joints between an awake and a kinematic body
  bool is_too_fast_ = false;
  // Where joints between moving bodies alone connect them, islands and paces stay as long as these and the options do.
  bool was_by_joints_ = false;
  Options options_;
};

/// Decides which islands need another sweep over their contacts.
///
/// A sweep that has changed the velocities of an island by less than kSettled of what forces have changed in the sub-step is the last one
/// for it, or the last one that it may take: `iterations`, tall islands twice as many. Decided by island; the root mean square over its
/// bodies counts. In islands with joints, contacts and joints are solved in turns. If links press on each other through their joints, a turn brings them only a part of the way, and
/// they stay deep in each other; so islands with joints and with a contact that is too deep take ten times as many sweeps. Islands
/// that motors or moving fixed bodies drive do not: in a jam no velocities satisfy contacts, joints and motors, and every turn would make them larger.
class IslandSweeps {
 public:
  /// Once a step: which islands with joints have a contact deeper than `depth` (m).
  void find_deep(const SoftIslands& islands, const ConstraintList& list, double depth);
  /// Once a sub-step, for the pace that the other functions are called with: stores the velocity changes by forces.
  void begin(const SoftIslands& islands, const Pace& pace, const BodyState& state, std::span<const Vec3> force);
  /// Before the first sweep.
  void remember(const Pace& pace, const StepBodies& bodies);
  enum class Next : std::uint8_t { none, some, all };
  /// After `sweeps` sweeps, each time once: returns whether none, some or all of the islands with contacts need another one; needs() lists them.
  Next find_unsettled(const SoftIslands& islands, const Pace& pace, const StepBodies& bodies, int sweeps,
                      int iterations);
  /// The largest number of sweeps of an island of the pace.
  int most_sweeps(int iterations) const;
  /// By island: 1 if it needs another sweep.
  std::span<const std::uint8_t> needs() const { return needs_; }

 private:
  int sweeps_of(const SoftIslands& islands, std::uint32_t island, int iterations) const;

  std::vector<double> kick_, change_;  // m²/s², by island
  std::vector<std::uint8_t> needs_;    // by island
  std::vector<Vec3> before_;           // m/s, by slot: before the last sweep
  std::vector<std::uint8_t> is_deep_;  // by island
  bool has_deep_ = false;
  int most_ = 1;  // sweeps of the pace's islands that are not deep, in units of `iterations`
};

}  // namespace rigor
