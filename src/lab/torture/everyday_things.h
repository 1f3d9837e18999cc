// Pencils, coins, cards and the like, in metres and kilograms.
#pragma once

#include <span>

#include "lab/torture/world_parts.h"

namespace rigor {

struct Thing {
  const char* name;
  ShapePtr (*shape)();
  double density, friction, restitution;  // kg/m³, -, -
  double rolling_friction = 0;            // m
};
std::span<const Thing> everyday_things();
/// Those that are shorter than 20 cm.
std::span<const Thing> small_things();
BodyDef everyday_body(const Thing& thing);

/// Capsules of 3 to 8 cm joined by balls, hanging, swung or dropped.
void add_chain(Scene& scene, Draw& draw);
/// On a hinge with limits and friction, pushed.
void add_door(Scene& scene, Draw& draw);
/// A board on four wheels, pushed.
void add_trolley(Scene& scene, Draw& draw);

}  // namespace rigor
