// The half-space y <= 0 against cylinder, cone and shapes of extensions.
//
// A disc on the plane rests on its rim. Four rim points are fixed in the shape's own frame, so that they and their
// impulses stay when it spins about its axis; the lowest rim point, which slides along the rim, takes the place of the
// nearest of the four as soon as it is lower by more than a small fraction of the radius. Upright that makes four
// points, tilted one. Lying, the lowest rim points of both discs (or the lowest rim point and the apex) make two.
// Heights are exact; all points are on the surface.
#include <cmath>

#include "model/support_shape.h"
#include "narrowphase/clip.h"
#include "narrowphase/pair_functions.h"

namespace rigor {

namespace {

constexpr double kUpright = 0.7;  // cosine of the tilt above which the fixed rim points are offered
constexpr std::uint32_t kLowestKey = 8, kApexKey = 16, kUpperDisc = 32;

void add_point(const Vec3& p, std::uint32_t key, double envelope, PointBuffer& points) {
  if (p.y <= envelope) points.add({{p.x, 0, p.z}, p, p.y, key});
}

/// A disc of radius r around `center`; x, axis and z are the shape's axes in the frame of the plane.
struct Disc {
  Vec3 center, x, axis, z;
  double radius;
};

/// The direction in the disc that goes down most, as cosine and sine from x to z; x itself when the disc is level.
void downwards(const Disc& d, double& cosine, double& sine) {
  const double steepness = std::sqrt(d.x.y * d.x.y + d.z.y * d.z.y);
  cosine = steepness > 0 ? -d.x.y / steepness : 1;
  sine = steepness > 0 ? -d.z.y / steepness : 0;
}

void add_lowest(const Disc& d, std::uint32_t disc, double envelope, PointBuffer& points) {
  double c, s;
  downwards(d, c, s);
  add_point(d.center + d.radius * (c * d.x + s * d.z), kLowestKey | disc, envelope, points);
}

/// Rim points of the disc that the shape may stand on.
void add_rim(const Disc& d, std::uint32_t disc, double envelope, PointBuffer& points) {
  double c, s;
  downwards(d, c, s);
  const Vec3 lowest = d.center + d.radius * (c * d.x + s * d.z);
  // A disc that leans so far that its other side is out of reach rolls on its lowest point alone. A fixed point that took its place would
  // change the gap by a jump, and the speed that closes a jump of the gap grows as the step shrinks.
  const Vec3 highest = 2.0 * d.center - lowest;
  const bool rolls = highest.y > envelope;
  // Quarter 0..3: +x, +z, -x, -z.
  const int nearest = std::abs(c) >= std::abs(s) ? (c >= 0 ? 0 : 2) : (s >= 0 ? 1 : 3);
  for (int quarter = 0; quarter < 4; ++quarter) {
    const Vec3& direction = quarter % 2 == 0 ? d.x : d.z;
    const Vec3 fixed = d.center + (quarter < 2 ? d.radius : -d.radius) * direction;
    const bool slides = quarter == nearest && (rolls || fixed.y - lowest.y > kClipSlack * d.radius);
    add_point(slides ? lowest : fixed, (slides ? kLowestKey : static_cast<std::uint32_t>(quarter)) | disc, envelope,
              points);
  }
}

Disc disc_at(const Transform& pose, double radius, double height) {
  const Mat3 r = rotation_matrix(pose.rotation);
  const Vec3 axis = r.column(1);
  return {pose.translation + height * axis, r.column(0), axis, r.column(2), radius};
}

void finish(const PointBuffer& points, std::vector<Manifold>& out) {
  if (points.count > 0) reduce(points, {0, 1, 0}, out.emplace_back());
}

}  // namespace

void plane_cylinder(const Shape&, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Cylinder& cylinder = *b.as<Cylinder>();
  const double half = cylinder.half_height;
  PointBuffer points;
  for (const double height : {-half, half}) {
    const Disc disc = disc_at(query.b_in_a, cylinder.radius, height);
    const bool stands_on_it = disc.axis.y * height < 0 && std::abs(disc.axis.y) > kUpright;
    const std::uint32_t name = height > 0 ? kUpperDisc : 0;
    if (stands_on_it) {
      add_rim(disc, name, query.envelope, points);
    } else if (std::abs(disc.axis.y) <= kUpright) {
      add_lowest(disc, name, query.envelope, points);
    }
  }
  finish(points, out);
}

void plane_cone(const Shape&, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Cone& cone = *b.as<Cone>();
  const Disc base = disc_at(query.b_in_a, cone.radius, -cone.half_height);
  PointBuffer points;
  if (base.axis.y > kUpright) {
    add_rim(base, 0, query.envelope, points);
  } else {
    add_lowest(base, 0, query.envelope, points);
    add_point(base.center + 2 * cone.half_height * base.axis, kApexKey, query.envelope, points);
  }
  finish(points, out);
}

/// The lowest point, which is the only one that a smooth shape touches a plane with.
void plane_support(const Shape&, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Vec3 down = rotate_inverse(query.b_in_a.rotation, {0, -1, 0});
  const Vec3 p = transform_point(query.b_in_a, support_of(*b.as<SupportShape>(), down));
  if (!(p.y <= query.envelope)) return;
  Manifold& m = out.emplace_back();
  m.normal = {0, 1, 0};
  m.add({{p.x, 0, p.z}, p, p.y, 0});
}

}  // namespace rigor
