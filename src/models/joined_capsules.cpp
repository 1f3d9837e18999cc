// Capsules from cylinders with a sphere at each end.
//
// URDF has no capsules. Files write one as a cylinder and two spheres, which together are the same solid; as one shape it collides faster and without seams.
#include "models/robot.h"
#include "rigor/shape.h"

namespace rigor::models {

namespace {

/// The cylinder of a geom and its axis in the frame of the link; null for another shape.
const Cylinder* cylinder_of(const Geom& geom, Vec3& axis) {
  const Transformed* turned = geom.shape->as<Transformed>();
  const Quat rotation = turned ? geom.pose.rotation * turned->transform.rotation : geom.pose.rotation;
  axis = rotate(rotation, {0, 1, 0});
  return (turned ? *turned->shape : *geom.shape).as<Cylinder>();
}

/// True if the two spheres are the ends of a capsule whose middle is the cylinder.
bool form_capsule(const Geom& middle, const Geom& first, const Geom& second) {
  constexpr double kTolerance =
      1e-9;  // of the radius; chosen: far above the rounding of angles, far below what a contact resolves
  Vec3 axis;
  const Cylinder* cylinder = cylinder_of(middle, axis);
  if (!cylinder) return false;
  const auto looks_alike = [&](const Geom& end) {
    const Sphere* sphere = end.shape->as<Sphere>();
    return sphere && sphere->radius == cylinder->radius && end.material == middle.material &&
           end.texture == middle.texture;
  };
  const auto is_at = [&](const Geom& end, double height) {
    const Vec3 expected = middle.pose.translation + height * axis;
    return length(end.pose.translation - expected) <= kTolerance * cylinder->radius;
  };
  const double h = cylinder->half_height;
  return looks_alike(first) && looks_alike(second) &&
         ((is_at(first, h) && is_at(second, -h)) || (is_at(first, -h) && is_at(second, h)));
}

}  // namespace

void join_capsules(std::vector<Geom>& geoms, std::size_t from) {
  for (std::size_t i = from; i + 2 < geoms.size(); ++i)
    for (std::size_t m = 0; m < 3; ++m) {
      Geom& middle = geoms[i + m];
      if (!form_capsule(middle, geoms[i + (m + 1) % 3], geoms[i + (m + 2) % 3])) continue;
      Vec3 axis;
      const Cylinder& cylinder = *cylinder_of(middle, axis);
      ShapePtr joined = capsule(cylinder.radius, 2 * cylinder.half_height);
      const Transformed* turned = middle.shape->as<Transformed>();
      middle.shape = turned ? transformed(std::move(joined), turned->transform) : std::move(joined);
      geoms[i] = Geom(middle);
      geoms.erase(geoms.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                  geoms.begin() + static_cast<std::ptrdiff_t>(i) + 3);
      break;
    }
}

}  // namespace rigor::models
