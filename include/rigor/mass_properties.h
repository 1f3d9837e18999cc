#pragma once

#include <string>

#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

/// Mass, center of mass and inertia about it, in the frame of the shape or body that they belong to.
struct MassProperties {
  double mass = 0;      // kg
  Vec3 center_of_mass;  // m
  Mat3 inertia;         // kg m², about the center of mass, axes of the frame

  bool operator==(const MassProperties&) const = default;
};

/// Closed forms for the simple shapes; Mirtich's integrals (1996) for hulls and closed meshes; sums with the parallel-axis
/// theorem for composites, whose parts may have densities of their own. Throws Error for a shape without volume.
MassProperties mass_properties(const Shape& shape, double density);

/// The same body with its mass scaled to `mass`.
MassProperties with_mass(const MassProperties& properties, double mass);
/// Expressed in the frame in which the old frame is placed by `transform`.
MassProperties transformed(const MassProperties& properties, const Transform& transform);
/// The sum for two bodies welded together, both given in one frame.
MassProperties operator+(const MassProperties& a, const MassProperties& b);
/// Inertia about `point` instead of the center of mass (Huygens–Steiner).
Mat3 inertia_about(const MassProperties& properties, const Vec3& point);

/// Principal moments and the frame in which the inertia is diagonal: inertia = R diag(moments) Rᵀ with R = axes.
/// An inertia that is already diagonal keeps its axes; otherwise the moments ascend.
struct PrincipalAxes {
  Vec3 moments;
  Quat axes;
};
PrincipalAxes principal_axes(const Mat3& inertia);

/// Throws an Error with the reason unless the inertia can belong to a real body: finite, symmetric, positive definite, and no
/// principal moment larger than the sum of the other two.
void check_inertia(const Mat3& inertia, const std::string& place);

}  // namespace rigor
