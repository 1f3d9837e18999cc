// Witnesses of interpenetration, cached while a search looks for the time of contact (Baraff 1997, part II).
//
// A point of one body that lies inside another one, farther from its surface than a depth d, shows that the two overlap by more than d: to
// separate them, that point has to leave. The deepest contact of an overlapping state has such a point, a vertex or a point of an
// edge. At another trial time it is usually still inside, and then one point test, O(faces), takes the place of collision detection. If it
// is not, nothing follows, and contacts have to be found.
//
// Exists for spheres, boxes, hulls and planes to lie in; other shapes give no witness.
#pragma once

#include "rigor/contacts.h"
#include "rigor/world.h"

namespace rigor {

/// m, distance from a point in the coordinates of a shape to the shape's surface, if it is inside; negative outside. −∞ for shapes that give no
/// witness.
double depth_inside(const Shape& shape, const Vec3& point);

class InterpenetrationWitness {
 public:
  /// Takes the deepest point of the contacts, which were found at the present poses. Drops the witness if there is none.
  void find(const World& world, const ContactList& contacts);
  /// True if the witness shows an overlap deeper than `depth` at the present poses.
  bool shows(const World& world, double depth) const { return depth_now(world) > depth; }
  void drop() { owner_ = {}; }

 private:
  double depth_now(const World& world) const;

  BodyId owner_, other_;  // none: no witness
  Vec3 point_;            // m, in the principal frame of its owner
};

}  // namespace rigor
