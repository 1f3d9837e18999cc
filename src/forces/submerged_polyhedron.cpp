// The part of a polyhedron below a plane, exactly.
//
// By the divergence theorem the submerged part is the signed sum of the tetrahedra from a point o to the
// triangles of its surface. With o on the cutting plane the cap in that plane contributes nothing,
// so that clipping each face against the plane is enough and the cap need not be built:
//
//   V = Σ det(a, b, c) / 6,   ∫ p dV = Σ (a + b + c + o) / 4 · det(a, b, c) / 6     (a, b, c relative to o)
//
// The tetrahedron sums are those of Lien and Kajiya 1984, "A symbolic method for calculating the
// integral properties of arbitrary nonconvex polyhedra". Cost: one pass over the faces. Wrong for
// surfaces that are not closed, hence open meshes have no volume; needs outward faces,
// counter-clockwise.
#include "forces/volume_moment.h"

namespace rigor {

namespace {

/// Receives the corners of one clipped face after the other and sums the tetrahedra of their
/// triangle fans.
class TetrahedronSum {
 public:
  explicit TetrahedronSum(const Vec3& origin) : origin_(origin) {}

  void begin_face() { corners_ = 0; }
  void add_corner(const Vec3& p) {
    const Vec3 c = p - origin_;
    if (corners_ == 0) first_ = c;
    if (corners_ >= 2) add_tetrahedron(first_, previous_, c);
    previous_ = c;
    ++corners_;
  }
  VolumeMoment result() const { return {volume_, moment_ + volume_ * origin_}; }

 private:
  void add_tetrahedron(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double v = dot(a, cross(b, c)) / 6;
    volume_ += v;
    moment_ += (v / 4) * (a + b + c);
  }

  Vec3 origin_, first_, previous_;
  int corners_ = 0;
  double volume_ = 0;
  Vec3 moment_;  // about origin_
};

double height_over(const HalfSpace& wet, const Vec3& p) { return dot(wet.normal, p) - wet.level; }

/// Passes the corners of the submerged part of a convex polygon to `sink` in their order (Sutherland and
/// Hodgman 1974).
template <class Corners, class Sink>
void clip(std::span<const Vec3> vertices, const Corners& polygon, const HalfSpace& wet, Sink& sink) {
  Vec3 p = vertices[static_cast<std::size_t>(*(std::end(polygon) - 1))];
  double height_p = height_over(wet, p);
  for (const int index : polygon) {
    const Vec3 q = vertices[static_cast<std::size_t>(index)];
    const double height_q = height_over(wet, q);
    if ((height_p > 0) != (height_q > 0)) sink.add_corner(p + (height_p / (height_p - height_q)) * (q - p));
    if (height_q <= 0) sink.add_corner(q);
    p = q;
    height_p = height_q;
  }
}

template <class Faces>
VolumeMoment submerged_polyhedron(std::span<const Vec3> vertices, const Faces& faces, const HalfSpace& wet) {
  double lowest = Aabb::kInfinity, highest = -Aabb::kInfinity;
  for (const Vec3& p : vertices) {
    const double height = height_over(wet, p);
    lowest = std::fmin(lowest, height);
    highest = std::fmax(highest, height);
  }
  if (!(lowest < 0)) return {};

  // The origin is on the plane only if the plane cuts the body: far away from a submerged body it would cost
  // accuracy.
  const Vec3 near = vertices.front();
  TetrahedronSum sum(highest > 0 ? near - height_over(wet, near) * wet.normal : near);
  for (const auto& face : faces) {
    sum.begin_face();
    clip(vertices, face, wet, sum);
  }
  return sum.result();
}

/// Area and first moment of a polygon, by triangles from its first corner.
class AreaSum {
 public:
  void add_corner(const Vec3& p) {
    if (corners_ == 0) first_ = p;
    if (corners_ >= 2) {
      const double a = 0.5 * length(cross(previous_ - first_, p - first_));
      area_ += a;
      moment_ += (a / 3) * (first_ + previous_ + p);
    }
    previous_ = p;
    ++corners_;
  }
  VolumeMoment times(double thickness) const { return {thickness * area_, thickness * moment_}; }

 private:
  Vec3 first_, previous_;
  int corners_ = 0;
  double area_ = 0;
  Vec3 moment_;
};

}  // namespace

VolumeMoment submerged_box(const Box& box, const HalfSpace& wet) {
  // Corner i has the signs of the bits of i: x, y, z.
  static constexpr std::array<std::array<int, 4>, 6> faces = {
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  std::array<Vec3, 8> corners;
  for (std::size_t i = 0; i < 8; ++i)
    corners[i] = scale(box.half, {i & 1 ? 1. : -1., i & 2 ? 1. : -1., i & 4 ? 1. : -1.});
  return submerged_polyhedron(corners, faces, wet);
}

VolumeMoment submerged_hull(const Hull& hull, const HalfSpace& wet) {
  return submerged_polyhedron(hull.vertices, hull.faces, wet);
}

VolumeMoment submerged_mesh(const Mesh& mesh, const HalfSpace& wet) {
  if (!mesh.closed) return {};
  return submerged_polyhedron(mesh.vertices, mesh.triangles, wet);
}

VolumeMoment submerged_rectangle(const Rectangle& rectangle, const HalfSpace& wet) {
  // The cut treats a card as infinitely thin, as collisions do; a card that floats flat thus has its full buoyancy or
  // none.
  static constexpr std::array<int, 4> outline = {0, 1, 2, 3};
  const double x = rectangle.half_x, z = rectangle.half_z;
  const Vec3 corners[] = {{-x, 0, -z}, {-x, 0, z}, {x, 0, z}, {x, 0, -z}};
  AreaSum sum;
  clip(corners, outline, wet, sum);
  return sum.times(rectangle.thickness);
}

}  // namespace rigor
