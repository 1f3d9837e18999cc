// The half-space y <= 0 against shapes with corners.
//
// Every corner within the envelope is a candidate: separation is its height, the normal is +y, exact and continuous. Of
// a box only the corners of the face that looks down most are taken: the lowest corner is among them, and a thin box
// does not offer the corners of its upper face in the same places. Of a hull, for the same reason, only corners in the
// lower half of its height. Corners below the plane count in any case: a body that has sunk in by more than half would otherwise
// turn from one side to the other. Keys are the numbers of the corners. Cost: O(V).
#include <algorithm>
#include <cmath>

#include "narrowphase/clip.h"
#include "narrowphase/pair_functions.h"

namespace rigor {

namespace {

constexpr Vec3 kUp{0, 1, 0};

void add_corner(const Vec3& p, std::uint32_t key, double envelope, PointBuffer& points) {
  if (p.y <= envelope) points.add({{p.x, 0, p.z}, p, p.y, key});
}

void finish(const PointBuffer& points, std::vector<Manifold>& out) {
  if (points.count > 0) reduce(points, kUp, out.emplace_back());
}

/// Half sides x, y, z: a box, or a rectangle with y = 0.
void plane_cuboid(const Vec3& half, const Transform& pose, double envelope, std::vector<Manifold>& out) {
  const Mat3 r = rotation_matrix(pose.rotation);
  const Vec3& h = r.row[1];  // heights of the three axes
  const Vec3 drop = abs(h);
  if (pose.translation.y - dot(drop, half) > envelope) return;
  const int k = drop.y >= drop.x && drop.y >= drop.z ? 1 : drop.x >= drop.z ? 0 : 2;
  const int u = k == 2 ? 0 : k + 1, v = k == 0 ? 2 : k - 1;
  const bool plus = h[k] < 0;
  const Vec3 middle = pose.translation + (plus ? half[k] : -half[k]) * r.column(k);
  const Vec3 along_u = half[u] * r.column(u), along_v = half[v] * r.column(v);
  PointBuffer points;
  for (std::uint32_t corner = 0; corner < 4; ++corner) {
    const Vec3 p = middle + ((corner & 1u) ? along_u : -along_u) + ((corner & 2u) ? along_v : -along_v);
    // Corners are numbered by the signs of x, y, z, whichever face they are seen on.
    const std::uint32_t key = (corner & 1u) << u | (corner >> 1) << v | (plus ? 1u : 0u) << k;
    add_corner(p, key, envelope, points);
    const Vec3 opposite = p + (plus ? -2 * half[k] : 2 * half[k]) * r.column(k);
    if (opposite.y < 0) add_corner(opposite, key ^ 1u << k, envelope, points);
  }
  finish(points, out);
}

}  // namespace

void plane_sphere(const Shape&, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Vec3& c = query.b_in_a.translation;
  const double separation = c.y - b.as<Sphere>()->radius;
  if (separation > query.envelope) return;
  Manifold& m = out.emplace_back();
  m.normal = kUp;
  m.add({{c.x, 0, c.z}, {c.x, separation, c.z}, separation, 0});
}

void plane_box(const Shape&, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  plane_cuboid(b.as<Box>()->half, query.b_in_a, query.envelope, out);
}

void plane_rectangle(const Shape&, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Rectangle& r = *b.as<Rectangle>();
  const Mat3 m = rotation_matrix(query.b_in_a.rotation);
  PointBuffer points;
  for (std::uint32_t corner = 0; corner < 4; ++corner) {
    const Vec3 p{(corner & 1u) ? r.half_x : -r.half_x, 0, (corner & 2u) ? r.half_z : -r.half_z};
    add_corner(m * p + query.b_in_a.translation, corner, query.envelope, points);
  }
  finish(points, out);
}

void plane_capsule(const Shape&, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Capsule& capsule = *b.as<Capsule>();
  const Vec3 along = rotate(query.b_in_a.rotation, {0, capsule.half_length, 0});
  PointBuffer points;
  for (std::uint32_t end = 0; end < 2; ++end) {
    const Vec3 c = query.b_in_a.translation + (end ? along : -along);
    add_corner({c.x, c.y - capsule.radius, c.z}, end, query.envelope, points);
  }
  finish(points, out);
}

void plane_hull(const Shape&, const Shape& b, const PairQuery& query, PairCache&, std::vector<Manifold>& out) {
  const Hull& hull = *b.as<Hull>();
  const Mat3 r = rotation_matrix(query.b_in_a.rotation);
  const Vec3& t = query.b_in_a.translation;
  double lowest = Aabb::kInfinity, highest = -Aabb::kInfinity;
  for (const Vec3& v : hull.vertices) {
    const double y = dot(r.row[1], v) + t.y;
    lowest = std::min(lowest, y);
    highest = std::max(highest, y);
  }
  if (lowest > query.envelope) return;
  const double limit = std::min(query.envelope, std::max(0.0, 0.5 * (lowest + highest)));
  PointBuffer points;
  for (std::size_t i = 0; i < hull.vertices.size(); ++i) {
    const double y = dot(r.row[1], hull.vertices[i]) + t.y;
    if (y > limit) continue;
    if (points.count == PointBuffer::kCapacity) {  // more than fit: go on with the best four of them
      Manifold best;
      reduce(points, kUp, best);
      points.count = 0;
      for (int k = 0; k < best.count; ++k) points.add(best.points[static_cast<std::size_t>(k)]);
    }
    add_corner(r * hull.vertices[i] + t, static_cast<std::uint32_t>(i), query.envelope, points);
  }
  finish(points, out);
}

}  // namespace rigor
