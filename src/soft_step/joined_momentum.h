// Restores momentum and angular momentum of jointed bodies after continuous collision has moved them.
//
// Continuous collision sets one body of a joint tree back, and the other bodies follow when the joints are closed. The
// displacements δx_i change the angular momentum by Σ m_i δx_i × v_i. A set of bodies that joints connect, and that no
// joint holds to a body outside of the set, gets this change ΔL back in three steps (M, c, I: mass, center of mass and
// inertia of the whole set; V: velocity of c):
//
//   x_i ← x_i − (δX − (δX·V) V / V²),  δX = Σ m_i δx_i / M:  the center of mass is displaced along V only
//   u ← u + (Ω × (x_i − c), Ω),  Ω = I⁻¹ ΔL:  a rigid motion, which no joint resists
//   u ← ū + k (u − ū),  k ≤ 1:  only if the kinetic energy has risen; ū is the rigid motion with the momenta of u
//
// The first step removes the part of ΔL that a small set could only balance with a large Ω. The part that remains comes
// from the motion of the bodies relative to each other. Where the bodies come to lie so close to each other that no motion with these
// momenta has so little energy, the set goes on as if nothing had stopped it: conservation comes before tunnelling.
#pragma once

#include <cstdint>
#include <vector>

#include "constraints/constraint_list.h"
#include "math/disjoint_sets.h"
#include "rigor/state.h"

namespace rigor {

class JoinedMomentum {
 public:
  /// Stores poses, velocities and angular momenta; call it before bodies are set back.
  void remember(const ConstraintList& list, const BodyState& state);
  /// Stores velocities; call it after the work of forces has changed them, which restore() must not undo.
  void take_velocities(const BodyState& state);
  /// Restores the momenta; call it after the joints were closed.
  void restore(BodyState& state);

 private:
  struct Set {
    std::vector<std::uint32_t> slots;
    bool is_held = false;
  };
  void restore(const Set& set, BodyState& state) const;
  bool was_moved(const Set& set, const BodyState& state) const;

  std::vector<Set> sets_;
  std::vector<Vec3> x_, v_, spin_;       // by slot: m, m/s, angular momentum in kg m²/s
  std::vector<Vec3> start_v_, start_w_;  // by slot: m/s, rad/s, before bodies were set back
  std::vector<Quat> q_;
  DisjointSets connected_{0};
};

}  // namespace rigor
