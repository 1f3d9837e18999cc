// The joints of one island — bodies that joints connect — solved all at once, twice in every sub-step η.
//
// From poses q₀ and the velocities u* that forces and contacts have made, find impulses along J₀ = J(q₀) with
//
//   correction    M (u − u*) = J₀ᵀ λ     rigid equations   J₀ u = −C(q₀)/η                 at most max_push, see below
//                                        soft (k, d)       λ = −η (k (C + η J₀ u) + d J₀ u)   implicit Euler
//                                        motors, friction  J₀ u = target, |λ| ≤ η F
//                                        limits            C + η J₀ u ≥ 0, λ ≥ 0
//
// bodies then move with u to q₁, and along J₁ = J(q₁)
//
//   relaxation    M (u₁ − u) = J₁ᵀ Δλ    rigid equations   J₁ u₁ = 0;  soft rows have acted;  limits, motors, friction as above
//
// Linearised, the correction leaves gaps of ½ r ω² η². Large ones are closed at once by Newton's method with the factors that
// are there, C(q₁(u)) = 0, small ones by the next correction: both are RATTLE (Andersen 1983), the latter a sub-step late. The
// relaxation keeps what the closing has done to the motion along the joint, so the energy of smooth motion errs by O(η²), and
// only joints that the scene makes soft are soft. Joints that begin open close at max_push, plus what the rotation of their
// bodies opens.
//
// Each row acts on both bodies at one point, so momentum and angular momentum stay to rounding. The relaxation is a projection in
// the norm of M: it cannot add energy. What both together add in a sub-step beyond the work of motors and springs is taken out of
// the motion of the bodies against each other, which keeps momenta and joints (joint_island_closing.cpp).
//
// A joint under tension F at an arm r is a spring of stiffness F·r against rotations of its bodies, which a step that takes F
// at q₀ resolves up to η² F·r < I. Beyond that, or if bodies turn so far that Newton's method fails, only this island divides
// the sub-step into up to sixteen parts, with the velocity changes by forces and contacts distributed over them. If
// that is not enough, rows in the correction limit the change of the relative angular velocity of its two bodies
// to Δω = −Δλ / k, k = η² F·r − I/2: an inertia of their relative rotation (compare
// solvers/geometric_stiffness.h, which adds it to the bodies and so takes angular momentum).
//
// A motor without a bound on its force may drive two bodies of the island into each other, or one into something fixed if something
// fixed holds the island: no velocities satisfy both. Where such a contact exists, the impulse of the motor in a sub-step is at most
// B = 2 Σm |v| + 10 η Σ|F|, with its target v and the forces F on the island; for angles both terms are multiplied by the size of the
// island. So the contact holds, and the motor is reported.
//
// Nets, islands in which many joints close loops, have a compliance: J₀ u + Γ λ = −C(q₀)/η with Γ = ε K, K the row's own J M⁻¹ Jᵀ. It
// keeps the motions finite by which a net in a singular position closes its gaps. The relaxation is J₁ u + Γ Δλ = 0.
#pragma once

#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "soft_step/bounded_joint_system.h"
#include "state/step_bodies.h"
#include "stepping/stepping.h"

namespace rigor {

/// What islands see of the step.
struct IslandStep {
  const ConstraintList& list;
  const BodyState& state;
  double eta = 0;       // s, sub-step
  int count = 1;        // sub-steps
  double max_push = 0;  // m/s or rad/s
};

/// Joints and contacts may make a body this many times as fast as the fastest one was. Chosen.
inline constexpr double kMostLever = 10;

class JointIsland {
 public:
  /// The joints of the list with these indices, which connect bodies of these slots.
  JointIsland(const IslandStep& step, std::span<const std::uint32_t> joints, const StepBodies& bodies);

  /// Once a step: which rows there are, at the present poses, with the joints' states of the last step.
  void begin(const IslandStep& step);
  /// Before forces act on the velocities of a sub-step.
  void start(const std::vector<BodyVelocity>& u);
  /// Rows and masses at the present poses.
  void see_poses(const IslandStep& step);
  /// Selects whether the next solves are corrections of a new sub-step, or relaxations.
  void start_correction(const IslandStep& step, const std::vector<BodyVelocity>& u);
  void start_relaxation(const IslandStep& step, const std::vector<BodyVelocity>& u);
  /// Changes the velocities of its bodies by the joints' impulses.
  void solve(const IslandStep& step, std::vector<BodyVelocity>& u);

  /// The work of motors and springs in a sub-step, by the mean of the velocities before and after it.
  struct Drive {
    double work = 0;       // J, of springs, servos and motors with a bound
    double free_work = 0;  // J, of motors without one
    double speed = 0;      // m/s, that these aim at: the sum, angular ones times the size of the island
  };
  /// After forces have acted, and after the last solve of the sub-step.
  void start_drive(const std::vector<BodyVelocity>& u);
  Drive drive(const std::vector<BodyVelocity>& u) const;

  // joint_island_closing.cpp

  /// After the last solve of a correction: closes the gaps at the end of the sub-step that the linearisation leaves, or finds
  /// the motion in parts.
  void close(StepContext& c, const IslandStep& step);
  /// True if a body of the island is marked; `mark` by slot, or empty.
  bool has_any(std::span<const std::uint8_t> mark) const {
    return !mark.empty() && std::any_of(slots_.begin(), slots_.end(), [&](std::uint32_t i) { return mark[i] != 0; });
  }
  /// After the last solve of a relaxation: removes unexplained energy.
  void limit_energy(std::vector<BodyVelocity>& u) const;
  /// After the sub-steps, when others have moved bodies: the rest of the island follows them.
  void follow(BodyState& state, const IslandStep& step);

  // joint_island_parts.cpp

  /// After the bodies have moved: sets the poses of those that moved in parts.
  void arrive(BodyState& state, std::vector<BodyVelocity>& u) const;

  /// After the sub-steps: stores impulses and reactions in the joints, for a step of `time` seconds.
  void store(const ConstraintList& list, double time) const;

  /// visit(index of the joint in the list, row) for its rows as they were written last.
  template <class Visit> void for_written(const Visit& visit) const {
    for (std::size_t k = 0; k < joints_.size(); ++k)
      for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(joints_[k].stiff_begin);
           ++i)
        if (is_present_[i]) visit(joints_[k].index, written_[i]);
  }
  /// visit(index, target, J u − target) for its motors without a bound on their force.
  template <class Visit> void for_unbounded_motors(const std::vector<BodyVelocity>& u, const Visit& visit) const {
    for (std::size_t k = 0; k < joints_.size(); ++k)
      for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(joints_[k].stiff_begin);
           ++i)
        if (is_present_[i] && is_unbounded_motor(written_[i]) && rows_.place[i] != RowPlace::out)
          visit(joints_[k].index, target_[i], speed(i, joints_[k], u) - target_[i]);
  }
  /// True if a motor without a bound on its force is among its joints. Such a motor may do any work, which smaller steps do not change.
  bool has_unbounded_motor() const {
    for (std::size_t i = 0; i < written_.size(); ++i)
      if (is_present_[i] && is_unbounded_motor(written_[i])) return true;
    return false;
  }
  /// The joint, by its index in the list, at which a solve of this step failed; -1: none did.
  int failed_joint() const { return failed_joint_; }
  std::span<const std::uint32_t> slots() const { return slots_; }
  /// Joints that close loops, the ground being one of the bodies where something is held.
  int loops() const { return static_cast<int>(joints_.size()) - static_cast<int>(slots_.size()) + (is_tied() ? 0 : 1); }
  /// An island of many loops. Flat nets have more rows than their bodies have freedoms and lie in a singular position, in which an
  /// exact solve of the linearised rows opens them; so their rigid equations have a compliance, and they move in one part.
  bool is_net() const { return loops() > kMostLoops; }
  /// True if contacts push its bodies; is_blocked: also those that may contradict a motor, with each other or with a body of
  /// infinite mass where another one holds the island. Written by the caller at the start of a step.
  bool has_contacts = false, is_blocked = false;
  bool is_tied() const { return is_held_ || is_carried_; }

 private:
  struct Joint {
    std::uint32_t index = 0;  // in the list
    int a = 0, b = 0;         // places
    int stiff_begin = 0;      // row: the first of three rows of geometric stiffness, the last ones of the joint
    double stiffness = 0;     // kg m², of these; 0: they take no part
    bool every_limit = true;  // limits have rows wherever they are
    Vec3 arm_b;               // m, from b's center of mass to the joint frame
    Vec3 impulse, turn;       // N s, N m s on b at its joint frame, of the step
    Vec3 impulse_0, turn_0;   // where the sub-step began
    Vec3 saved_impulse, saved_turn;
  };

  /// What a solve changes, to take it back.
  struct Saved {
    std::vector<double> lambda, sum;
    std::vector<BodyVelocity> u, answered;
    double work = 0;
  };
  struct Pose {
    Vec3 x;
    Quat q;
  };

  static constexpr int kMostLoops = 8;  // chosen: mechanisms have fewer

  // visit(row, joint)
  template <class Visit> void for_rows(const Visit& visit) {
    for (std::size_t k = 0; k < joints_.size(); ++k)
      for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(edges_[k].end); ++i)
        visit(i, joints_[k]);
  }
  void lay_out_rows(const IslandStep& step);
  bool gives_way(std::size_t i) const;
  bool is_net_equation(const Row& row) const;
  void find_mobilities();
  double find_changes(std::span<const double> delta, const std::vector<BodyVelocity>& u);
  void write_joint_rows(const IslandStep& step, std::size_t k);
  double tension_stiffness(const IslandStep& step, const Joint& joint, const Vec3& force) const;
  bool stiffen(const IslandStep& step, bool from_memory);
  void remember_places(const IslandStep& step);
  void set_target(const IslandStep& step, std::size_t i, double push);
  void set_place(std::size_t i, bool takes_part);
  double speed(std::size_t i, const Joint& joint, const std::vector<BodyVelocity>& u) const;
  double opening_speed(const IslandStep& step, const Joint& joint, const std::vector<BodyVelocity>& u) const;
  bool is_near(const IslandStep& step, std::size_t i, const Joint& joint, const std::vector<BodyVelocity>& u) const;
  bool is_closed_by_push(std::size_t i) const;
  void limit_push(const IslandStep& step);
  static bool is_unbounded_motor(const Row& row) {
    return row.kind == RowKind::motor && std::isinf(row.lo) && std::isinf(row.hi);
  }
  void find_scales(const IslandStep& step);
  double most_impulse(const IslandStep& step, std::size_t i) const;
  bool is_answered(const std::vector<BodyVelocity>& u) const;
  void answer(std::vector<BodyVelocity>& u);
  bool solve_rows();
  void apply(std::vector<BodyVelocity>& u);
  void take_velocities(const std::vector<BodyVelocity>& u, std::vector<BodyVelocity>& own) const;
  bool drives(std::size_t i) const;
  double kinetic_energy(std::span<const BodyVelocity> own) const;
  double spring_energy() const;

  void save(const std::vector<BodyVelocity>& u);
  void take_back(std::vector<BodyVelocity>& u);
  bool turns_far(const IslandStep& step, const std::vector<BodyVelocity>& u) const;
  void predict(StepContext& c, const IslandStep& step);
  double find_errors(const IslandStep& step, const std::vector<BodyVelocity>& u);
  double moved_by_others(const IslandStep& step, std::size_t i, const Joint& joint,
                         const std::vector<BodyVelocity>& u) const;
  void hold_back(const IslandStep& step, std::vector<BodyVelocity>& u);
  int find_runaway(const IslandStep& step, const std::vector<BodyVelocity>& u) const;
  void take_back_correction(std::vector<BodyVelocity>& u);
  bool close_gaps(StepContext& c, const IslandStep& step);
  int parts_for_tension(const IslandStep& step) const;
  int parts_for_turns(const IslandStep& step, const std::vector<BodyVelocity>& u) const;
  bool pushes_cancel(const IslandStep& step, const std::vector<BodyVelocity>& u) const;
  bool shorten_parts(const IslandStep& step, std::span<const Pose> start, std::span<const BodyVelocity> coarse);
  void move_in_parts(StepContext& c, const IslandStep& step, int parts);
  void move_part(StepContext& c, const IslandStep& part);
  void go_back_to_start(std::vector<BodyVelocity>& u);
  void displace(BodyState& state, const IslandStep& step, std::span<const double> weight);
  Vec3 angular_momentum(const BodyState& state) const;
  void turn_back(BodyState& state, const Vec3& wanted);
  void go_to(std::span<const Vec3> x, std::span<const Quat> q, BodyState& state) const;
  double find_displacement(const IslandStep& step, std::span<const double> weight);
  void scale_motion(std::vector<BodyVelocity>& u, double excess) const;
  std::vector<BodyVelocity> common_motion(std::span<const BodyVelocity> own) const;

  std::vector<std::uint32_t> slots_;  // of its bodies, in the order of ids
  std::vector<Joint> joints_;
  std::vector<TreeEdge> edges_;   // by joint: its bodies as numbers of slots_, its rows
  std::vector<Row> written_;      // by row, as the joint wrote it last
  std::vector<char> is_present_;  // by row: the joint wrote it at the present poses
  // The same at the end of the sub-step; scratch of close_gaps().
  std::vector<Row> ahead_;
  std::vector<char> is_ahead_present_;
  BoundedRows rows_;
  std::vector<double> target_;        // by row: target of J u + γ λ
  std::vector<double> goal_;          // by row: the error C that a correction leaves in a rigid row
  std::vector<double> C_0_;           // by row: C where the sub-step began
  std::vector<double> own_mobility_;  // by row with bounds: J M⁻¹ Jᵀ
  std::vector<double> sum_;           // by row: N s of the step
  std::vector<RowPlace> guess_;       // by row: where it was when it took part last
  std::vector<BodyMass> masses_;
  std::vector<BodyInverseMass> inverse_masses_;
  std::vector<BodyVelocity> x_;
  BoundedJointSystem system_;
  bool corrects_ = true;
  bool is_answered_ = false;  // in this phase, when the velocities were
  std::vector<BodyVelocity> last_u_;
  double mass_ = 0, force_ = 0, size_ = 0;  // kg, N, m of the island at the start of a step, where it bounds its motors
  bool is_held_ = false;                    // by something that does not move freely
  bool is_carried_ = false;                 // by something that moves as it likes
  double work_ = 0;                         // J, of the joints in this sub-step without that of their motors
  double springs_ = 0;                      // J, energy in springs where the sub-step began
  std::vector<double> speed_0_;             // by row that drives: J u of start_drive()
  std::vector<Vec3> x_0_;                   // m, of its bodies
  std::vector<Quat> q_0_;
  int parts_ = 1;  // of this sub-step
  // Where the sub-step began.
  std::vector<BodyVelocity> u_0_;
  std::vector<double> sum_0_;
  std::vector<BodyVelocity> answered_;  // by body: what the joints have added in this sub-step
  std::vector<Pose> end_;               // by body, after parts
  std::vector<BodyVelocity> end_u_;
  Saved saved_;
  int failed_joint_ = -1;
};

}  // namespace rigor
