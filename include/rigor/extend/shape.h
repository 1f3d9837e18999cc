// A custom convex shape, given by its support function.
//
//   support(d) = the point of the shape that lies farthest along d
//
// GJK and EPA find contacts with every other convex shape, with planes, meshes and height fields. A pair has one contact point,
// which is exact for smooth shapes; a shape with flat faces rests better as a convex hull. A polyhedron of support points
// replaces the shape where faces are needed: drawing, buoyancy, and mass properties if mass() gives none.
//
// Rules. All functions are const, may be called by several threads at once, and have to be pure functions of the parameters: a
// shape does not change. support() is checked at some hundred directions when a shape is made; one that contradicts itself (two
// points of which the one claimed to be farthest is not) or is not finite is refused with an Error. If support() throws or is
// not finite later, Simulation::step() throws an Error that names the shape.
#pragma once

#include <optional>

#include "rigor/fields.h"
#include "rigor/mass_properties.h"
#include "rigor/registry.h"

namespace rigor::extend {

class Shape : public Configurable {
 public:
  static constexpr Kind kKind = Kind::shape;
  /// The farthest point along d, which is of any length but zero. For equal candidates always the same one.
  virtual Vec3 support(const Vec3& d) const = 0;
  /// Some point well inside.
  virtual Vec3 interior() const { return {}; }
  /// At a density of 1 kg/m³; nothing: those of a polyhedron of support points, a few per cent too small.
  virtual std::optional<MassProperties> mass() const { return std::nullopt; }
};

}  // namespace rigor::extend
