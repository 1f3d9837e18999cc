#include "narrowphase/composite_seams.h"

#include <algorithm>
#include <cmath>

#include "narrowphase/convex.h"

namespace rigor {

namespace {

using Core = Convex::Core;

// Parts are flush up to kPlace of the smaller body; a normal leaves the cone by more than kTilt of the part's size.
constexpr double kPlace = 2e-4, kTilt = 5e-7;

bool hull_contains(const Hull& hull, const Vec3& p, double slack) {
  for (std::size_t i = 0; i < hull.normals.size(); ++i)
    if (dot(hull.normals[i], p) - hull.offsets[i] > slack) return false;
  return true;
}

bool cone_contains(const Vec3& half, const Vec3& p, double slack) {
  const double across = std::sqrt(p.x * p.x + p.z * p.z), slant = std::hypot(2 * half.y, half.x);
  return p.y >= -half.y - slack && (2 * half.y * across + half.x * (p.y - half.y)) / slant <= slack;
}

bool contains(const Convex& c, const Vec3& p, double slack) {
  const Vec3& half = c.half;
  const double reach = c.radius + slack, across = p.x * p.x + p.z * p.z;
  switch (c.core) {
    case Core::point: return length_squared(p) <= reach * reach;
    case Core::segment: {
      const double y = p.y - std::clamp(p.y, -half.y, half.y);
      return across + y * y <= reach * reach;
    }
    case Core::cylinder: return across <= (half.x + slack) * (half.x + slack) && std::abs(p.y) <= half.y + slack;
    case Core::cone: return cone_contains(half, p, slack);
    case Core::polyhedron: return hull_contains(*c.hull, p, slack);
    case Core::support: return hull_contains(*c.custom->hull->as<Hull>(), p, slack);
    case Core::box:
    case Core::rectangle:
      return std::abs(p.x) <= half.x + slack && std::abs(p.y) <= half.y + slack && std::abs(p.z) <= half.z + slack;
    case Core::triangle: break;  // surfaces have their own rule
  }
  return false;
}

bool covers(const LeafPart& leaf, const Vec3& p, const Vec3& n, double slack) {
  const Vec3 local_p = inverse_transform_point(leaf.transform, p), local_n = rotate_inverse(leaf.transform.rotation, n);
  if (leaf.shape->as<Plane>()) return local_p.y <= slack && (local_p.y < -slack || local_n.y < 1 - kTilt);
  if (!is_convex(*leaf.shape)) return false;
  const Convex convex = convex_view(*leaf.shape);
  const double size = leaf.shape->bounding_radius();
  const double beyond = dot(local_n, support(convex, local_n) - local_p) + convex.radius;
  return beyond > kTilt * size && contains(convex, local_p, std::min(slack, kPlace * size));
}

}  // namespace

void find_covering(const PartIndex& parts, std::uint32_t own, const Vec3& p, const Vec3& n, double size,
                   std::vector<std::uint32_t>& leaves) {
  leaves.clear();
  const double slack = kPlace * std::min(size, parts.leaves()[own].shape->bounding_radius());
  const Vec3 margin{slack, slack, slack};
  parts.query({p - margin, p + margin}, [&](std::uint32_t leaf) {
    if (leaf != own && covers(parts.leaves()[leaf], p, n, slack)) leaves.push_back(leaf);
  });
}

}  // namespace rigor
