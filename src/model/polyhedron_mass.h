#pragma once

#include <array>
#include <vector>

#include "rigor/mass_properties.h"

namespace rigor {

/// Mass properties of the solid inside a closed surface, triangles counter-clockwise seen from outside.
MassProperties polyhedron_mass(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles,
                               double density);
MassProperties polyhedron_mass(const Hull& hull, double density);

/// +1 for a surface that encloses a volume, -1 for one that is inside out, 0 for one whose volume is rounding noise.
int sign_of_volume(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles);

}  // namespace rigor
