// Makes shapes of extensions, after checking their support function in many directions.
#include "model/support_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "registry/entry.h"
#include "registry/extension_call.h"
#include "rigor/error.h"
#include "rigor/extend/shape.h"

namespace rigor {

namespace {

constexpr int kDirections = 400;  // of the polyhedron that approximates the shape; chosen: 1 % of a ball's volume
/// Rounding error that a support function may have, relative to the size of the shape.
constexpr double kSlack = 1e-9;

/// Directions spread evenly over the sphere (Fibonacci lattice), and the six axes.
std::vector<Vec3> directions() {
  std::vector<Vec3> all = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  const double golden = kPi * (3 - std::sqrt(5.0));
  for (int i = 0; i < kDirections; ++i) {
    const double y = 1 - (2 * i + 1.0) / kDirections, r = std::sqrt(1 - y * y);
    double sine, cosine;
    sin_cos(golden * i, sine, cosine);
    all.push_back({r * cosine, y, r * sine});
  }
  return all;
}

/// Checks that every support point is at least as far along its direction as all others.
void check_support(const std::string& place, const std::vector<Vec3>& d, const std::vector<Vec3>& points) {
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, length(p));
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double claimed = dot(d[i], points[i]);
    for (const Vec3& other : points)
      if (dot(d[i], other) > claimed + kSlack * size)
        throw Error(
            place, "its support function contradicts itself: it knows a point that is farther than the one it returns");
  }
}

}  // namespace

Vec3 support_of(const SupportShape& shape, const Vec3& d) {
  const Vec3 p = call_extension(Kind::shape, shape.name, [&] { return shape.shape->support(d); });
  if (!is_finite(p))
    throw ExtensionFailure(extension_name(Kind::shape, shape.name),
                           "its support function returned a point that is not finite");
  return p;
}

Vec3 interior_of(const SupportShape& shape) {
  return call_extension(Kind::shape, shape.name, [&] { return shape.shape->interior(); });
}

Aabb support_bounds(const SupportShape& shape, const Mat3& r) {
  Aabb bounds;
  for (int i = 0; i < 3; ++i) {
    bounds.upper[i] = dot(r.row[i], support_of(shape, r.row[i]));
    bounds.lower[i] = dot(r.row[i], support_of(shape, -r.row[i]));
  }
  return bounds;
}

ShapePtr shape_of_type(std::string_view type, const Settings& parameters) {
  const std::string place = extension_name(Kind::shape, type);
  const Entry& e = entry(Kind::shape, type, "shape");
  if (!e.make) throw Error(place, "it is a built-in shape, which has a function of its own");
  std::unique_ptr<Configurable> made = e.make();
  if (!made) throw Error(place, "its maker returned nothing");
  configure(*made, parameters, std::string(type));
  SupportShape shape{e.name, std::shared_ptr<const extend::Shape>(static_cast<extend::Shape*>(made.release())),
                     nullptr};
  const std::vector<Vec3> d = directions();
  std::vector<Vec3> points;
  for (const Vec3& direction : d) points.push_back(support_of(shape, direction));
  check_support(place, d, points);
  try {
    shape.hull = convex_hull(points);
  } catch (const Error& error) {
    throw Error(place, std::string("its support points make no solid: ") + error.what());
  }
  return std::make_shared<const Shape>(std::move(shape));
}

}  // namespace rigor
