// Prevents unexplained energy gains in a sub-step, island by island: the last safeguard of the soft step.
//
// Contact and joint impulses of a sub-step cannot raise the kinetic energy T of an island (bodies that contacts and joints connect)
// as long as every row is solved exactly and nothing drives it. Sweeps that have not converged, impulses of the last step that no
// longer fit, and pushes that were not taken back can. With T* after the forces have acted and u the velocities at the end:
//
//   T(u) > T*   ⇒   u ← ū + k (u − ū),   k² = (T* − T(ū)) / (T(u) − T(ū))
//
// ū is the rigid motion with the momentum and angular momentum of u, or rest for an island that is attached to a fixed body. The
// scaling conserves both momenta to rounding, and every joint that u satisfies. Where moving fixed bodies drive an island, T is the energy
// relative to a frame in which they do no work, or little (MovingFrames), and ū is that frame's motion. Islands that belts on
// moving bodies drive are not limited, nor are nets with motors or springs. Interventions are counted.
//
// Motors and springs of joints do the work W = Σ λ ½ (q̇* + q̇), which T* is raised by. That of a motor without a bound on its force
// has no bound where contacts block it: it counts as far as T stays below ½ m (kLever s)², s being the speed that it aims at, and as
// far as it restores what forces take from single bodies (a load that is lifted).
//
// The energy of a driven island would let a light body among heavy ones leave at any speed. So where surfaces close on an island without
// joints, every body i has a bound of its own, with the speeds v when the sub-step began:
//
//   |uᵢ − r| ≤ max(kWedge δ, vᵢ, 2 mⱼ / (mᵢ + mⱼ) vⱼ)        over all other bodies j of the island
//
// the wedge of MovingFrames, its own speed, or an elastic hit by another body. No hit raises the largest energy of a body, so that the
// bounds do not grow from sub-step to sub-step: a bound of twice the fastest speed, the body's own included, doubles as long as a jam lasts.
//
// Sub-steps move bodies by the velocities of the soft solve, so those of driven islands and of nets are limited as well, before they
// move: to T* and a push `max_push` apart. Elsewhere soft impulses of contacts cannot grow from sweep to sweep, as some velocities
// satisfy all contacts.
//
// Most islands gain nothing, and bounds of T that need no rotations show it: T ≤ ½ Σ (m v² + J ω²), J being the largest moment of inertia of
// a body. Only islands that pass such a bound are looked at exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rigor/state.h"
#include "soft_step/joint_island.h"
#include "soft_step/rigid_motion.h"
#include "soft_step/soft_islands.h"
#include "state/step_bodies.h"

namespace rigor {

// The frames in which moving fixed bodies do no work. The energy limit of islands that such bodies drive refers to them.
//
// An impulse λ n of a fixed body that moves with velocity w at the contact does the work λ n·w, so in the world's frame the kinetic
// energy of an island may rise. Let r be a field of velocities, rᵢ of body i. With the relative energy
//
//   T_r(u) = ½ Σ (u − r)ᵢ·Mᵢ (u − r)ᵢ
//
// an impulse of a fixed body changes T_r by at most λ n·(w − r) more than friction and inelastic contacts take away:
//
//   one moving body touches the island    r is its rigid motion: w = r, T_r does not rise. A rebound off it is included.
//   several do, or one and the ground     r is the middle of their surface velocities w_k, and `spread` is δ ≥ |w_k − r|
//
// A body between two surfaces that close with δ each, at the angle α to the direction in which it can escape, leaves at δ / sin α
// at most. Narrower wedges than α = asin(1 / kWedge) count as jams: no velocities satisfy two surfaces that meet, impulses
// grow with every sweep, and the result is not a valid motion. Hence
//
//   T_r(u) ≤ max(T_r(u*), ½ m (kWedge δ)²)       m: mass of the island, u*: velocities after the forces have acted
//
// A belt counts as a fixed body that moves with its surface.

class MovingFrames {
 public:
  static constexpr double kWedge = 6;  // chosen: wedges of ±10° throw bodies out, narrower ones jam

  /// Once a step: the frames of the islands that moving fixed bodies drive.
  void find(const ConstraintList& list, const SoftIslands& islands, const BodyState& state);
  /// r of a body of an island, at the poses of the state; nothing for islands that stand.
  BodyVelocity at(std::uint32_t island, const Vec3& position, const BodyState& state) const;
  /// True if some island is moved.
  bool has_any() const { return !frames_.empty(); }
  /// True if one moving body drives the island, and nothing else that is fixed touches it: then it goes with that body.
  bool is_carried(std::uint32_t island) const {
    return !frames_.empty() && frames_[island].is_moved && frames_[island].is_one && frames_[island].mover != kNone;
  }
  /// m/s, δ; of islands that are moved.
  double spread(std::uint32_t island) const { return frames_[island].spread; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Frame {
    bool is_moved = false, is_begun = false, is_one = true;
    std::uint32_t mover = kNone;  // slot, if is_one
    Vec3 low, high;               // m/s, bounds of the surface velocities
    Vec3 middle;                  // m/s
    double spread = 0;            // m/s
  };
  void add(Frame& frame, std::uint32_t fixed, const Vec3& point, const Vec3& belt, const BodyState& state);

  std::vector<Frame> frames_;  // by island; none if no island is moved
};

class IslandEnergy {
 public:
  /// Once a step. `islands` stays as it is until the step is done; `soft` says by joint of the list which rows are solved one after the
  /// other.
  void begin(const ConstraintList& list, const SoftIslands& islands, std::span<const JointRows> soft,
             const BodyState& state);
  /// T* of the islands of a pace, from the velocities and poses of the state, after forces have acted. `force` stays as it is until limit().
  /// limit_rebounds() needs every sub-step with `rebounds`.
  void remember(const Pace& pace, const BodyState& state, std::span<const Vec3> force, bool rebounds);
  /// Once a sub-step, after remember(): corrections of soft joints give the island of a body up to this energy (J), which relaxing
  /// need not take back.
  void allow_closing(std::uint32_t slot, double energy) { island(slot).closing += energy, any_closing_ = true; }
  /// Before limit(): adds the work of motors and springs of joints in this sub-step to the island of a body.
  void allow_drive(std::uint32_t slot, const JointIsland::Drive& drive);
  /// After warm starting has changed the velocities of the state to u by Δu: an island that has gained gets u + s Δu with the s of least
  /// energy, 0 ≤ s ≤ 1. Impulses of the step before, an impact's for example, need not fit; nor do those of a net whose velocities
  /// were limited, and with arms that have grown by its gaps they would tear it further. Islands with other joints are left alone:
  /// contacts also carry what these have not answered yet. Returns s by island, or nothing where all
  /// are 1.
  std::span<const double> limit_warm_start(const Pace& pace, const BodyState& state, StepBodies& bodies);
  /// Limits the velocities u by which islands that moving fixed bodies drive, and nets, are about to move; `push` in m/s. Returns how many had
  /// gained noticeably.
  int limit_motion(const Pace& pace, const BodyState& state, double push, StepBodies& bodies);
  /// Limits the velocities u of single bodies in islands with contacts and joints, where these are solved in turns, and light links next to heavy bodies diverge within
  /// the energy of the island:
  ///
  ///   √(2 T / m) ≤ kWhip max(vᵢ, l vⱼ) + 2 push,     l = 2 mⱼ / (mᵢ + mⱼ) for lighter bodies j, up to kMostLever for heavier ones
  ///
  /// with the speeds v when the sub-step began. The heaviest body of an island that nothing holds takes the momenta of the others. is_limited() lists the bodies. Returns how many had gained noticeably.
  int limit_hits(const Pace& pace, const BodyState& state, double push, StepBodies& bodies);
  /// By slot, after limit_hits(): 1 if it has changed the velocity. Empty in worlds without such islands.
  std::span<const std::uint8_t> is_limited() const { return is_limited_; }
  /// The same for islands with contacts and joints, after the joints have been closed: √T ≤ kJoined (√T* + √(m/2) (push + δ)). Contacts and joints are solved in turns, which can
  /// diverge. Islands with motors are not limited. Joint islands that move in parts know their poses already, and have a bound of their own (JointIsland::pushes_cancel()).
  int limit_corrections(const Pace& pace, const BodyState& state, double push, StepBodies& bodies);
  /// Limits the velocities u of a pace at the poses of the state. Returns how many islands had gained noticeably.
  int limit(const Pace& pace, const BodyState& state, StepBodies& bodies);
  /// By slot of awake bodies, at the present poses: the motion of the moving body that carries their island, zero where none does; empty if nothing is
  /// carried.
  std::span<const BodyVelocity> frames(const BodyState& state);
  /// The island of a body has a rebound with this coefficient of restitution. `is_new`: the contact did not push in the step before.
  void mark_rebound(std::uint32_t slot, double restitution, bool is_new) {
    Island& own = island(slot);
    own.rebounds = true;
    own.is_hit = own.is_hit || is_new;
    own.restitution = std::max(own.restitution, restitution);
  }
  /// The same for islands with rebounds, after those, which act at the end of the step: the largest T* of the step bounds them, with the
  /// work F·Δx that the forces of now have done since.
  int limit_rebounds(const BodyState& state, std::span<const Vec3> force, StepBodies& bodies);

 private:
  struct Island {
    double mass = 0;               // kg
    double before = 0, after = 0;  // J
    double work = 0, most = 0;     // J: F·(x − x of the step's start) now, largest T* − work of the step
    double frame_change = 0;       // √J: Σ ‖r′ − r‖ over the sub-steps of the step; r: MovingFrames::at()
    double last_change = 0;        // √J: frame_change when the sub-step began
    double closing = 0;            // J: of this sub-step, see allow_closing()
    double kick = 0;  // J, that the forces of this sub-step would give to its bodies at rest; where `closing` counts
    double lift = 0;  // J, that forces have taken from single bodies in this sub-step
    JointIsland::Drive drive;      // of this sub-step
    double added = 0, driven = 0;  // J, that drives may have added in this sub-step, in this step
    double bound = 0;              // J, scratch
    double most_after = 0;         // J, upper bound of `after`, scratch
    bool is_watched = false;       // has contacts or a net, and no belt on a moving body drives it
    bool is_moved = false;         // by such
    bool is_powered = false;       // by motors or springs of joints
    int answering = 0;             // joints that are not solved one after the other
    bool is_net = false;           // has joints that are
    bool is_held = false;
    bool is_begun = false;
    bool rebounds = false;
    bool is_hit = false;     // one of its rebounds is that of a new contact
    double restitution = 0;  // -, largest of its rebounds
    bool gains = false;
    bool may_gain = false;  // by warm starting, scratch
  };
  /// The rigid motion of a free island: v = V + Ω × (x − center).
  struct CommonMotion {
    RigidMotion rigid;  // relative to V
    Vec3 V, Omega;      // m/s of the center of mass, rad/s
    double energy = 0;  // J, if the island moved so
  };
  using Slots = std::span<const std::uint32_t>;
  /// By body: what bounds its energy, T ≤ ½ (m v² + J ω²).
  struct Inertia {
    double mass = 0, largest = 0;  // kg, kg m²
  };
  /// By island: sums of warm starts that bound the gain of T without rotations.
  struct WarmStart {
    double along = 0, half = 0;   // J: Σ m Δv·v, Σ ½ m Δv²
    double spin = 0, change = 0;  // J: Σ J ω², Σ J Δω²
    double size = 0;              // J: Σ m v²
    bool may_gain() const;
  };
  /// True if the island has contacts and joints that are solved at once, and no motors.
  static bool is_joined(const Island& own) { return own.is_watched && own.answering > 0 && !own.is_powered; }
  Island& island(std::uint32_t slot) { return islands_[island_of_[slot]]; }
  /// visit(island) at least once for every island of the bodies.
  template <class Visit> void for_islands(Slots slots, const Visit& visit) {
    std::uint32_t last = ~0U;
    for (const std::uint32_t i : slots)
      if (const std::uint32_t k = island_of_[i]; k != last) visit(islands_[last = k]);
  }
  double work(const BodyState& state, std::span<const Vec3> force, std::uint32_t i) const {
    return dot(force[i], state.position[i] - start_[i] - (any_moved_ ? frame_path_[i] : Vec3{}));
  }
  /// T_r of a body with the velocities u.
  double relative_energy(const BodyState& state, std::uint32_t i, const BodyVelocity& u) const;
  void note_work(Slots slots, const BodyState& state);
  void find_kicks(Slots slots, const BodyState& state, double sub_step);
  bool may_gain_by_warm_start(Slots slots, const BodyState& state, const StepBodies& bodies);
  double pushed_apart(std::uint32_t island, double push) const;
  double least_bound(std::uint32_t island) const;
  double drive_bound(const Island& island) const;
  void allow_for_movers();
  void note_frames(Slots slots, const BodyState& state, double sub_step);
  void note_frame_changes(Slots slots, const BodyState& state);
  int limit(Slots slots, const BodyState& state, StepBodies& bodies, double Island::*reference);
  struct Limited {
    std::uint32_t slot;
    double part;  // of its velocities that stays
  };
  void slow_down(Slots slots, const BodyState& state, const Limited& body, StepBodies& bodies) const;
  double lever_bound(Slots slots, const BodyState& state, std::uint32_t i) const;
  double hit_bound(Slots slots, const BodyState& state, std::uint32_t i) const;
  int limit_pinched(Slots slots, const BodyState& state, StepBodies& bodies);
  void find_rigid_motions(Slots slots, const BodyState& state, const StepBodies& bodies);
  BodyVelocity rigid_motion(const BodyState& state, std::uint32_t i) const;  // ū
  void scale(Slots slots, const BodyState& state, StepBodies& bodies, double Island::*reference);

  Slots island_of_;  // by slot
  MovingFrames frames_;
  bool any_moved_ = false, any_net_ = false, any_joined_ = false;
  bool any_closing_ = false;              // in this sub-step
  std::span<const Vec3> force_;           // N, by slot: of this sub-step
  std::vector<BodyVelocity> frame_;       // by slot: r when the sub-step began; of islands that are moved, as the next
  std::vector<BodyVelocity> end_frame_;   // by slot: r, at the end of the step
  std::vector<Vec3> frame_path_;          // m, by slot: path of r since the step began
  std::vector<std::uint8_t> is_limited_;  // by slot
  std::vector<Limited> limited_;          // scratch
  std::vector<double> speed2_;            // m²/s², by slot: 2 T_r / m when the sub-step began
  std::vector<Island> islands_;
  std::vector<CommonMotion> common_;            // by island
  std::vector<Inertia> inertia_;                // by slot
  std::vector<WarmStart> warm_start_;           // by island, scratch
  std::vector<Vec3> start_;                     // m, by slot: positions at the start of the step
  std::vector<std::uint32_t> awake_;            // all slots
  std::vector<std::uint32_t> moved_;            // slots of islands that are moved, scratch
  std::vector<double> along_, change_, scale_;  // J and -, by island: Δu·M u, Δu·M Δu, s
};

}  // namespace rigor
