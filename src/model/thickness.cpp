#include "model/thickness.h"

#include <algorithm>

#include "model/shape_index.h"
#include "rigor/fields.h"

namespace rigor {

namespace {

double hull_thickness(const Hull& hull) {
  double least = kUnbounded;
  for (std::size_t f = 0; f < hull.normals.size(); ++f) {
    double lowest = hull.offsets[f];
    for (const Vec3& v : hull.vertices) lowest = std::min(lowest, dot(hull.normals[f], v));
    least = std::min(least, hull.offsets[f] - lowest);
  }
  return least;
}

double leaf_thickness(const Shape& leaf) {
  if (const auto* s = leaf.as<Sphere>()) return 2 * s->radius;
  if (const auto* b = leaf.as<Box>()) return 2 * std::min({b->half.x, b->half.y, b->half.z});
  if (const auto* c = leaf.as<Capsule>()) return 2 * c->radius;
  if (const auto* c = leaf.as<Cylinder>()) return 2 * std::min(c->radius, c->half_height);
  if (const auto* c = leaf.as<Cone>()) return std::min(c->radius, 2 * c->half_height);
  if (const auto* h = leaf.as<Hull>()) return hull_thickness(*h);
  if (const auto* r = leaf.as<Rectangle>()) return r->thickness;
  const Vec3 sides = leaf.local_bounds().upper - leaf.local_bounds().lower;
  return std::min({sides.x, sides.y, sides.z});
}

}  // namespace

double thickness(const Shape& shape) {
  const PartIndex* parts = part_index(shape);
  if (!parts) return leaf_thickness(shape);
  double least = kUnbounded;
  for (const LeafPart& leaf : parts->leaves()) least = std::min(least, leaf_thickness(*leaf.shape));
  return least;
}

}  // namespace rigor
