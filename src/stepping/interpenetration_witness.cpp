#include "stepping/interpenetration_witness.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigor {

double depth_inside(const Shape& shape, const Vec3& p) {
  if (shape.as<Plane>()) return -p.y;
  if (const Sphere* ball = shape.as<Sphere>()) return ball->radius - length(p);
  if (const Box* box = shape.as<Box>())
    return std::min({box->half.x - std::abs(p.x), box->half.y - std::abs(p.y), box->half.z - std::abs(p.z)});
  const Hull* hull = shape.as<Hull>();
  if (!hull) return -std::numeric_limits<double>::infinity();
  double depth = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < hull->normals.size(); ++f)
    depth = std::min(depth, hull->offsets[f] - dot(hull->normals[f], p));
  return depth;
}

double InterpenetrationWitness::depth_now(const World& world) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  if (!owner_ || !world.contains(owner_) || !world.contains(other_)) return kNone;
  const BodyState& s = world.state();
  const std::uint32_t i = world.slot(owner_), k = world.slot(other_);
  const ShapePtr& shape = world.collision_shape(k);
  if (!shape) return kNone;
  const Vec3 p = s.position[i] + rotate(s.orientation[i], point_);
  const Transform frame = Transform{s.position[k], s.orientation[k]} * world.shape_frame(k);
  return depth_inside(*shape, rotate_inverse(frame.rotation, p - frame.translation));
}

void InterpenetrationWitness::find(const World& world, const ContactList& contacts) {
  const Contact* deepest = nullptr;
  const ContactPoint* point = nullptr;
  for (const Contact& contact : contacts)
    for (int i = 0; i < contact.count; ++i) {
      const ContactPoint& p = contact.points[static_cast<std::size_t>(i)];
      if (point && p.separation >= point->separation) continue;
      deepest = &contact;
      point = &p;
    }
  drop();
  if (!deepest || point->separation >= 0) return;
  owner_ = deepest->a;
  other_ = deepest->b;
  point_ = point->local_a;
  const InterpenetrationWitness of_a = *this;
  owner_ = deepest->b;
  other_ = deepest->a;
  point_ = point->local_b;
  if (of_a.depth_now(world) > depth_now(world)) *this = of_a;
}

}  // namespace rigor
