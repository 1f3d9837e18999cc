// The impulse of one contact with friction, after Hahn and after Guendelman et al. (4.44–4.57), in the contact's own
// coordinates: x along the normal, y and z along the two tangents.
//
//   missing   v₊ − v₋, what the relative velocity lacks (4.48: −e v_n n − v)
//   K         velocity per impulse (4.46), as J M⁻¹ Jᵀ + γ of the three rows
//
// Both try first whether the contact sticks: J = K⁻¹ missing is valid where |J_t| ≤ μ J_n (4.52).
#pragma once

#include "solvers/impulse_blocks.h"

namespace rigor {

struct ContactMatrix {
  Mat3 K, inverse;
};

/// True if the block is a contact with a normal and two rows of friction.
inline bool has_friction_pair(const RowBlock& block) {
  return block.source == RowBlock::Source::contact && block.size() >= 3;
}
/// By block; of those in the context that are contacts with friction. `blocks` is prepared.
void contact_matrices(const SolverContext& c, const ImpulseBlocks& blocks, std::vector<ContactMatrix>& matrices);

struct FrictionEllipse {
  double mu_1, mu_2;  // along the two tangents
};

/// Hahn: where it does not stick, the tangential part of the same impulse is clamped to the cone (4.53). The normal velocity
/// then misses its target, because less friction acts than K⁻¹ counted on.
Vec3 hahn_impulse(const ContactMatrix& matrix, const Vec3& missing, const FrictionEllipse& friction);

/// Guendelman: where it does not stick, friction acts against the direction of `slip` and the normal impulse is found anew,
/// j = missing_n / nᵀK (n − μ t) (4.54–4.57). Only y and z of `slip` are read.
Vec3 guendelman_impulse(const ContactMatrix& matrix, const Vec3& missing, const Vec3& slip,
                        const FrictionEllipse& friction);

}  // namespace rigor
