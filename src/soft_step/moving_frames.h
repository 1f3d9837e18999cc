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
#pragma once

#include <cstdint>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"
#include "soft_step/soft_islands.h"
#include "state/step_bodies.h"

namespace rigor {

class MovingFrames {
 public:
  static constexpr double kWedge = 6;  // chosen: wedges of ±10° throw bodies out, narrower ones jam

  /// Once a step: the frames of the islands that moving fixed bodies drive.
  void find(const ConstraintList& list, const SoftIslands& islands, const BodyState& state);
  /// r of a body of an island, at the poses of the state; nothing for islands that stand.
  BodyVelocity at(std::uint32_t island, const Vec3& position, const BodyState& state) const;
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

}  // namespace rigor
