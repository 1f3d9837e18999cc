#include "forces/constant_forces.h"

namespace rigor {

bool forces_are_constant(const World& world, double from, double to) {
  for (const ForceId id : world.forces()) {
    const ForceDef& force = world.force(id);
    if (!force.active || force.end_time <= from) continue;
    const ForceEffect* effect = force.effect.get();
    const bool is_air_at_rest = dynamic_cast<const Drag*>(effect) && !effect->depends_on_velocity();
    if (force.end_time <= to || (!is_air_at_rest && !dynamic_cast<const Gravity*>(effect))) return false;
  }
  return true;
}

}  // namespace rigor
