// All contacts of a step in lanes by graph colour: the contact solver of the soft step.
//
// begin() packs contacts into blocks of sixteen of one colour (contact_blocks.h), of like numbers of points, so that no lane
// idles. The colours are visited in their order; the blocks of one colour share no body, so they run on any number of threads
// with the same result. Large scenes have zones (contact_layout.h): the colours within zones come first, those of contacts
// across zones last. Memory is linear in contacts and kept from step to step.
//
// Contacts of light bodies that heavy ones squeeze are solved at once besides (contact_clusters.cpp).
//
// Impulses are those of a sub-step; finish() stores them as impulses of the whole step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "lcp/boxed_dantzig.h"
#include "lcp/cone_problem.h"
#include "lcp/convex_newton.h"
#include "narrowphase/manifold.h"
#include "soft_step/contact_clusters.h"
#include "soft_step/contact_kernels.h"
#include "soft_step/contact_layout.h"
#include "soft_step/deep_contacts.h"
#include "state/step_impulses.h"
#include "threads/parallel_stages.h"

namespace rigor {

/// Contacts of islands that take the same number of sub-steps.
struct LaneGroup {
  int count = 1;        // sub-steps
  double sub_step = 0;  // s
  int pace = 0;         // groups of one pace take their sub-steps together
};

struct LaneSettings {
  double stick_speed = 1e-3;           // m/s
  double restitution_threshold = 0.1;  // m/s
  double pull_rate = 0;                // 1/s, part of the creep of sticking surfaces that is undone per second
  std::span<const LaneGroup> groups;
  std::span<const std::uint32_t> group_of;  // by slot of what moves
  std::span<const std::uint8_t>
      is_surface;  // by slot: meshes and height fields, whose points need not lie on the normal
  LaneWidth width = LaneWidth::machine;
};

/// Whether the contact has rolling or spinning friction.
inline bool turns(const Contact& c) { return !c.is_plain && (c.rolling_friction > 0 || c.spinning_friction > 0); }

class ContactLanes {
 public:
  ContactLanes() = default;
  ContactLanes(const ContactLanes&) = delete;  // blocks point to their couplings
  ContactLanes& operator=(const ContactLanes&) = delete;

  /// At the start of the step: `bodies` have been captured, contacts have the impulses of the last
  /// step, forces from outside are in the arrays. What pairs push with goes into `impulses`, until finish().
  void begin(const ConstraintList& list, const BodyState& state, StepBodies& bodies, const LaneSettings& settings,
             StepImpulses& impulses, const ThreadPool& threads);
  /// Contacts that may rebound at the end of the step.
  bool has_impacts() const { return !impacts_.empty(); }
  /// visit(contact) for every point of the list's contacts that may.
  template <class Visit> void for_impacts(const ConstraintList& list, const Visit& visit) const {
    for (const Impact& impact : impacts_) visit(list.contacts[static_cast<std::size_t>(impact.contact)]);
  }
  bool empty() const { return blocks_.empty(); }
  bool has_contacts(int pace) const { return pace_runs_[static_cast<std::size_t>(pace)].begin < pace_end(pace); }
  /// Poses of a pace's bodies have changed: inertias follow, and arms and gaps with the next sweep, which has to be one without
  /// correction.
  void place_bodies(std::span<const std::uint32_t> slots, const BodyState& state, const ThreadPool& threads);

  /// After place_bodies(): a contact of the list was found again at the present poses of its bodies, with points in their principal
  /// frames and a normal in the world. Points that were not found again are taken to be `envelope` apart (m).
  void replace(std::uint32_t index, const StepContact& contact, const Manifold& found, double envelope,
               const BodyState& state);

  void warm_start(int pace, StepBodies& bodies, bool is_first, const ThreadPool& threads);
  /// Impulses of a pace by a factor: that of the island of their bodies, `island_of` by slot of awake ones.
  void scale_impulses(int pace, std::span<const std::uint32_t> island_of, std::span<const double> factor);
  /// One sweep over all colours of a pace; `follow`: the first one after place_bodies().
  void solve(int pace, StepBodies& bodies, const LaneStep& step, LaneVisit visit, const ThreadPool& threads);
  /// From now on sweeps pass over contacts of islands that need one only; `island_of` by slot. Without arguments: over all.
  void choose_lanes(int pace, std::span<const std::uint32_t> island_of, std::span<const std::uint8_t> needs);
  void choose_all_lanes(int pace);
  /// After solve_direct(): contacts of light bodies that heavy ones squeeze, at once. Returns whether there were any.
  bool solve_clusters(int pace, StepBodies& bodies, const LaneStep& step, bool correct);
  /// After begin(): which islands solve_direct() is for.
  void choose_direct(const ConstraintList& list, const BodyState& state, const SoftIslands& islands);
  /// Before the sweeps: saves the impulses, which solve_direct() compares with those after the sweeps.
  void save_start_impulses(int pace);
  /// Solves all contacts of each small island of unlike masses at once, and takes the best of the impulses before the sweeps, after them and of that solution. Returns the number
  /// of slow islands whose velocity error still exceeds what forces give a body in a sub-step. solve_clusters() then takes the islands whose error is not small.
  int solve_direct(int pace, StepBodies& bodies, const LaneStep& step, bool correct);
  /// Finds the contacts of the list with a point deeper than `depth` (m), by the gaps that the lanes computed last.
  void find_deep(double depth, std::vector<DeepContact>& contacts) const;
  /// Newton's law for what met faster than the threshold and pushed since.
  void restitute(const ConstraintList& list, const BodyState& state, StepBodies& bodies);
  /// Appends the impulses of the contacts of a pace. Called at the end of a sub-step if impulses are recorded.
  void record(int pace, const ConstraintList& list, std::vector<ConstraintImpulse>& to) const;
  /// Impulses back into the contacts. `is_part`: the step solves contacts more than once.
  void finish(const ConstraintList& list, const BodyState& state, StepImpulses& impulses, const ThreadPool& threads,
              bool is_part);

 private:
  /// Blocks of one colour.
  struct Run {
    int begin = 0, end = 0;  // blocks
    int colour = 0;
    std::uint32_t group = 0;
    bool one_by_one = false, is_across = false;
  };
  /// Runs of one pace, and its stages.
  struct PaceRuns {
    std::size_t begin = 0, stage = 0;
  };
  /// A contact as it was when the blocks were laid out.
  struct Placed {
    std::uint32_t slot_a, slot_b, group;
    int points;
    bool turns;  // a single point with rolling or spinning friction
  };
  /// A block before it is laid out.
  struct Draft {
    std::uint32_t place;  // in the list: its middle contact
    std::uint32_t first_contact, lanes;
    int points;
  };
  /// Where a contact stands.
  struct ClusterLane {
    int block = 0, lane = 0;
  };
  /// A row of a cluster: velocity of b against a along d at a point.
  struct ClusterRow {
    ClusterLane at;
    int point = 0, axis = 0;                       // axis: n, t₁ or t₂
    int a = 0, b = 0;                              // places
    Vec3 d, m_a, m_b, w_a, w_b;                    // direction, r × d, and I⁻¹ of it
    double missing = 0, lambda = 0, diagonal = 0;  // m/s, N s, 1/kg
    double lower = 0, upper = 0;                   // N s
  };
  struct ClusterProblem {
    std::vector<double> A, b, lower, upper, x, s;
    std::vector<int> order;
  };
  /// What decides whether an island is solved at once.
  static constexpr std::uint32_t kNotNumbered = 0xffffffff;
  struct DirectSize {
    double least = kUnbounded, most = 0;  // 1/kg, inverse masses
    int points = 0, bodies = 0;
    std::uint32_t number = kNotNumbered;  // among those that are
    double force = 0, mass = 0;           // N, kg: Σ |F| and Σ m
    bool fits = true;
    bool is_loaded = false;                               // a body carries many times its own weight
    double acceleration() const { return force / mass; }  // m/s²
  };
  /// An island that is solved at once.
  struct DirectIsland {
    std::uint32_t begin = 0, end = 0;  // of direct_lanes_
    std::uint32_t body = 0;            // slot of one of its bodies
    double acceleration = 0;           // m/s², that forces give them on average
    /// True if the interior-point method did not reduce the error in an earlier sub-step of this step.
    bool has_failed = false;
  };
  /// A point that is to rebound.
  struct Impact {
    int contact, block, lane, point;
    double speed;        // m/s, of approach when the step began
    double rebound = 0;  // m/s, of separation at the end of the step
  };
  /// The speed at which a point of a cluster is to separate.
  struct Rebound {
    int point, lane;
    double speed;  // m/s
  };

  void clear() {
    blocks_.clear(), points_.clear(), runs_.clear(), last_position_.clear(), impacts_.clear(), placed_.clear();
    by_place_.clear(), by_stage_.clear(), stage_begin_.clear(), stage_sizes_.clear();
    clusters_.clear(), cluster_lanes_.clear(), lane_of_contact_.clear();
    direct_.clear(), direct_lanes_.clear(), is_solved_.clear(), may_be_hit_.clear();
    pace_runs_.assign(pace_runs_.size(), {});
  }
  std::size_t pace_end(int pace) const {
    const auto next = static_cast<std::size_t>(pace) + 1;
    return next < pace_runs_.size() ? pace_runs_[next].begin : runs_.size();
  }
  std::uint32_t group_of(const StepContact& c) const { return group_of_[std::min(c.slot_a, c.slot_b)]; }
  void mark_touched(const ConstraintList& list, std::size_t moving);
  void place_start(const BodyState& state, const StepBodies& bodies, const ThreadPool& threads);
  bool is_laid_out(const ConstraintList& list, std::uint32_t awake, const ThreadPool& threads);
  void recall_loads(const ConstraintList& list);
  void sort_contacts(const ConstraintList& list, std::uint32_t awake);
  std::size_t zones_per_group() const { return zones_.count() + 1; }
  std::size_t zone_of(const StepContact& contact, std::uint32_t awake) const;
  void sort_by_zone(const ConstraintList& list, std::uint32_t awake);
  void sort_zone(const ConstraintList& list, std::uint32_t begin, std::uint32_t end);
  void draft_runs();
  void lay_out_stages();
  /// Parts that may be solved at once.
  static std::size_t pieces(const Run& run) {
    return run.one_by_one ? 1 : static_cast<std::size_t>(run.end - run.begin);
  }
  void draft_blocks(std::size_t bucket, std::uint32_t per_block);
  void draft_blocks(std::size_t bucket, std::uint32_t begin, std::uint32_t end, std::uint32_t per_block);
  void lay_out_blocks();
  /// Contacts of one colour lie anywhere in the list: the next ones are fetched while the present ones are worked on.
  void fetch_entries(const ConstraintList& list, const LaneBlock& block) const;
  void prefetch_contact(const ConstraintList& list, const LaneBlock& block, int lane) const;
  void prefetch_impulses(const ConstraintList& list, const LaneBlock& block, int lane) const;
  void store_impulses(const ConstraintList& list, const LaneBlock& block, const LaneBlock* next,
                      const BodyState& state);
  void record_lane(const ConstraintList& list, const LaneBlock& block, int lane,
                   std::vector<ConstraintImpulse>& to) const;
  void fill_block(const ConstraintList& list, const BodyState& state, StepBodies& bodies, std::size_t k,
                  const LaneBlock* next, const LaneSettings& settings);
  void find_impacts(const ConstraintList& list, const LaneSettings& settings);
  void locate_lanes();
  void locate_clusters();
  void add_row(const ClusterLane& at, int point, int axis, double target, double lower, double upper,
               const StepBodies& bodies, bool always = false);
  double carried(const ClusterLane& at) const;
  void find_loaded(const ConstraintList& list, const BodyState& state, std::span<const std::uint32_t> island_of);
  void collect_direct(const ConstraintList& list, const BodyState& state, std::span<const std::uint32_t> island_of);
  double contact_error(std::span<const double> lambda, std::span<const double> missing) const;
  void collect_direct_bodies(std::span<const ClusterLane> lanes, const StepBodies& bodies);
  void add_direct_points(const ClusterLane& at, const StepBodies& bodies, const LaneStep& step, bool correct);
  void add_direct_row(const ClusterLane& at, int point, int axis, double target, double scale,
                      const StepBodies& bodies);
  void share_compliance(int row);
  double mean_speed() const;
  void read_start(std::size_t start);
  void apply_impulses(std::span<const double> lambda, const StepBodies& bodies);
  double take_better(StepBodies& bodies);
  double solve_convex(StepBodies& bodies, double error, bool is_exact);
  void collect_normals(std::span<const ClusterLane> lanes, const StepBodies& bodies, const LaneStep& step,
                       bool correct);
  void collect_friction(std::span<const ClusterLane> lanes, const StepBodies& bodies, bool correct);
  double largest_impulse() const;
  bool are_rows_solved(double load) const;
  void solve_rows(StepBodies& bodies);
  void assemble_rows();
  void solve_problem(StepBodies& bodies);
  void push_row(const ClusterRow& row, double lambda, StepBodies& bodies);
  void cut_friction(StepBodies& bodies);
  static double hit_error(double gain);
  bool is_fast(std::span<const ClusterLane> lanes, double speed, const StepBodies& bodies) const;
  bool solve_hit(std::span<const ClusterLane> lanes, double gain, StepBodies& bodies, const LaneStep& step,
                 bool correct);
  void collect_points(std::span<const ClusterLane> lanes, const StepBodies& bodies, const LaneStep& step, bool correct);
  double present_error();
  void solve_in_turn(std::span<const ClusterLane> lanes, StepBodies& bodies, const LaneStep& step, bool correct);
  bool solve_cones(StepBodies& bodies);
  void rebound_clusters(StepBodies& bodies);
  void rebound(Impact& impact, const StepContact& contact, const BodyState& state, StepBodies& bodies);
  template <class Visit> void for_blocks(int pace, const ThreadPool& threads, const Visit& visit);
  /// In the order in which their contacts stand in the list: what blocks of all colours near each other need is fetched once.
  template <class Visit>
  void for_blocks_by_place(const ConstraintList& list, const ThreadPool& threads, const Visit& visit);
  LaneBodies lanes_of(StepBodies& bodies) const { return {bodies.u.data(), bodies_.data(), bodies.awake}; }

  std::vector<LaneBlock> blocks_;
  std::vector<LanePoint> points_;
  std::vector<LaneCouplings> couplings_;  // by block
  std::vector<Run> runs_;                 // by pace, then group
  std::vector<LaneGroup> groups_;
  std::span<const std::uint32_t> group_of_;  // by slot, of the present step
  std::vector<std::uint32_t> group_order_;   // groups, pace by pace
  std::vector<PaceRuns> pace_runs_;          // by pace
  std::vector<std::uint32_t> by_place_;      // blocks, in the order of their middle contacts
  BodyZones zones_;
  // Runs of one colour in all zones are a stage for threads, as are those of one colour across zones.
  std::vector<std::uint32_t> by_stage_, stage_begin_;  // runs_; where each stage begins in it
  std::vector<std::size_t> stage_sizes_;               // pieces
  ParallelStages stages_;
  std::vector<std::uint8_t> is_touched_;  // by slot of what moves: has contacts
  std::vector<LaneBody> bodies_;          // by place; of bodies with contacts
  std::vector<Vec3> last_position_;       // by slot of what moves, when contacts followed it for the last time
  std::vector<Quat> last_orientation_;
  std::vector<Impact> impacts_;
  std::span<ContactImpulse> by_contact_;  // of the present step
  LightClusters clusters_;
  std::vector<ClusterLane> cluster_lanes_;    // by contact of the clusters
  std::vector<ClusterLane> lane_of_contact_;  // empty: not known yet
  std::vector<ClusterRow> cluster_rows_;
  ClusterProblem problem_;
  std::vector<std::uint8_t> has_failed_;  // by cluster: its solve over cones did, in this step
  std::vector<std::uint8_t> may_be_hit_;  // by cluster: its island has no joints and is not solved at once
  std::vector<double> cluster_best_;      // N s, by row: the best candidate so far
  std::vector<Rebound> rebounds_;         // while rebounds of clusters are solved
  ConeProblem cones_;
  std::unique_ptr<ConeSolver> cone_solver_;
  BoxedDantzig dantzig_;
  std::vector<DirectIsland> direct_;       // islands that are solved at once
  std::vector<ClusterLane> direct_lanes_;  // their contacts
  std::vector<std::uint8_t> is_solved_;    // by slot: solve_direct() has solved its island; empty: there are none
  std::vector<DirectSize> direct_sizes_;   // by island; scratch
  std::vector<std::pair<std::uint32_t, std::uint32_t>> direct_members_;  // scratch
  std::vector<int> local_, direct_bodies_;  // number in the convex problem by place, -1: none; and back
  std::vector<double> direct_scale_;        // by row
  std::vector<float> direct_start_;         // N s, three by point of the islands of a pace, before the sweeps
  std::vector<double> direct_guess_;        // N s, by row; scratch
  std::vector<double> direct_after_;        // N s, by row; scratch
  std::vector<double> direct_missing_;      // m/s, by row; scratch
  ConvexProblem convex_;
  ConvexNewton convex_newton_;
  std::vector<double> convex_v_, convex_gamma_;
  std::vector<std::uint64_t> used_colours_;  // scratch
  std::vector<std::uint8_t> colour_;
  std::vector<std::uint32_t> order_, bucket_, by_zone_, zone_begin_;
  std::vector<Draft> drafts_;
  std::vector<std::uint64_t> keys_, old_keys_;   // by contact: which bodies; of the step before
  std::vector<std::uint8_t> loads_, old_loads_;  // by contact: points that pushed at the end of the step
  std::vector<Placed> placed_;                   // by contact
  std::vector<LaneGroup> placed_groups_;
  std::uint32_t placed_awake_ = 0;  // bodies
  int age_ = 0;                     // steps since contacts were sorted
  LaneWidth width_ = LaneWidth::machine;
};

}  // namespace rigor
