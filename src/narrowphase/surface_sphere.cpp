// A sphere against one triangle of a surface: the nearest point of the triangle, by the Voronoi regions of its corners and
// edges (Ericson 2005, Real-Time Collision Detection, 5.1.5), and the test that its normal belongs to the surface.
#include "narrowphase/surface_cone.h"
#include "narrowphase/surface_points.h"

namespace rigor {

namespace {

constexpr double kSphereSlack = 1e-6;  // rad; normals are exact but for rounding

}  // namespace

Vec3 closest_on_triangle(const std::array<Vec3, 3>& corner, const Vec3& p, bool& on_face) {
  const Vec3 &a = corner[0], &b = corner[1], &c = corner[2];
  on_face = false;
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Vec3 bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const double weight_c = d1 * d4 - d3 * d2;
  if (weight_c <= 0 && d1 >= 0 && d3 <= 0) return a + d1 / (d1 - d3) * ab;
  const Vec3 cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const double weight_b = d5 * d2 - d1 * d6;
  if (weight_b <= 0 && d2 >= 0 && d6 <= 0) return a + d2 / (d2 - d6) * ac;
  const double weight_a = d3 * d6 - d5 * d4;
  if (weight_a <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b);
  on_face = true;
  const double sum = weight_a + weight_b + weight_c;
  return a + weight_b / sum * ab + weight_c / sum * ac;
}

void add_sphere_point(const TriangleSurface& surface, const SurfaceTriangle& t, const Vec3& center, double radius,
                      double envelope, SurfacePoints& points) {
  const double height = t.height(center), reach = radius + envelope;
  if (height > reach || height < 0) return;
  bool on_face = false;
  const Vec3 q = closest_on_triangle(t.corner, center, on_face);
  const Vec3 away = center - q;
  const double distance = length(away);
  if (!on_face && distance > reach) return;
  Vec3 n = t.normal;
  if (!on_face && distance > 0) {
    n = away / distance;
    if (t.flags.inner() && length_squared(cross(n, t.normal)) > kSphereSlack * kSphereSlack) return;
    const NormalVerdict verdict = judge_normal(surface, t, n, kSphereSlack);
    if (verdict == NormalVerdict::face)
      n = t.normal, on_face = true;
    else if (verdict != NormalVerdict::allowed)
      return;
  }
  // Over the face the height is more exact than the distance of the points.
  const double gap = on_face ? height : distance;
  const Vec3 on_surface = on_face ? center - height * t.normal : q;
  points.push_back({{on_surface, center - radius * n, gap - radius, 0}, n, t.index, on_face});
}

}  // namespace rigor
