#pragma once

#include "rigor/contacts.h"
#include "rigor/material.h"

namespace rigor {

/// Fills in how the two surfaces of a contact rub and bounce (7.4.1); its normal has to be there already. The orientations
/// are those of the bodies' own frames.
void combine_materials(const MaterialRules& rules, const Material& a, const Material& b, const Quat& q_a,
                       const Quat& q_b, Contact& contact);

/// True if a material's friction or surface velocity depends on the body's orientation.
inline bool has_direction(const Material& m) {
  return (m.grain != Vec3{} && m.friction_across != 1) || m.surface_velocity != Vec3{};
}

}  // namespace rigor
