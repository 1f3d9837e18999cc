// Bodies on joints that are put elsewhere keep the momenta of what hangs together.
//
// Continuous collision sets one body of a joint tree back, and the others follow until the joints are closed. Displacements δx_i change
// the angular momentum by Σ m_i δx_i × v_i. A set of bodies that joints connect, and that no joint holds to anything else, gets it back:
//
//   δX = Σ m_i δx_i / M   goes along the velocity V of the center of mass: all bodies move by −(δX − (δX·V) V / V²)
//   u ← u + (Ω × (x_i − c), Ω),   Ω = I⁻¹ ΔL: a rigid motion, which no joint resists
//   u ← ū + k (u − ū),  k ≤ 1     where that has raised the kinetic energy; ū is the rigid motion with the momenta of u
//
// The first takes away what a small set of bodies could only answer with a large Ω: the remaining ΔL comes from the motion of the bodies against
// each other.
#pragma once

#include <cstdint>
#include <vector>

#include "constraints/constraint_list.h"
#include "math/disjoint_sets.h"
#include "rigor/state.h"

namespace rigor {

class JoinedMomentum {
 public:
  /// Before bodies are put elsewhere.
  void remember(const ConstraintList& list, const BodyState& state);
  /// After the work of forces has changed their velocities, which is no loss.
  void take_velocities(const BodyState& state);
  /// After joints were closed.
  void restore(BodyState& state);

 private:
  struct Set {
    std::vector<std::uint32_t> slots;
    bool is_held = false;
  };
  void restore(const Set& set, BodyState& state) const;
  bool was_moved(const Set& set, const BodyState& state) const;

  std::vector<Set> sets_;
  std::vector<Vec3> x_, v_, spin_;  // m, m/s, kg m²/s by slot
  std::vector<Quat> q_;
  DisjointSets connected_{0};
};

}  // namespace rigor
