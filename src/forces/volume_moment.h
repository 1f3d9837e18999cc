// Zeroth and first moment of a region, which unlike a centroid can be added and exist for empty
// regions, and functions that compute those of the submerged part of a shape in the shape's own frame.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "forces/submerged_volume.h"
#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

struct VolumeMoment {
  double volume = 0;  // m³, ∫ dV
  Vec3 moment;        // m⁴, ∫ p dV

  VolumeMoment& operator+=(const VolumeMoment& b) {
    volume += b.volume;
    moment += b.moment;
    return *this;
  }
};

// submerged_polyhedron.cpp: exact.
VolumeMoment submerged_box(const Box& box, const HalfSpace& wet);
VolumeMoment submerged_hull(const Hull& hull, const HalfSpace& wet);
VolumeMoment submerged_mesh(const Mesh& mesh, const HalfSpace& wet);
VolumeMoment submerged_rectangle(const Rectangle& rectangle, const HalfSpace& wet);

// submerged_round.cpp: closed form for the sphere, quadrature to about 1e-14 for the others.
VolumeMoment submerged_sphere(const Sphere& sphere, const HalfSpace& wet);
VolumeMoment submerged_capsule(const Capsule& capsule, const HalfSpace& wet);
VolumeMoment submerged_cylinder(const Cylinder& cylinder, const HalfSpace& wet);
VolumeMoment submerged_cone(const Cone& cone, const HalfSpace& wet);

}  // namespace rigor
