#include "models/triangles.h"

#include <algorithm>

namespace rigor::models {

namespace {

constexpr int kSides = 32, kRings = 8;  // around an axis; from pole to equator
constexpr double kPlane = 50;           // m, half of the side of a plane

Vec3 around(int k) {
  double s, c;
  sin_cos(2 * kPi * k / kSides, s, c);
  return {c, 0, -s};  // counter-clockwise seen from +y
}

struct Maker {
  TriangleList& out;

  /// A flat polygon, counter-clockwise seen from outside.
  void polygon(const std::vector<Vec3>& corners) const {
    Vec3 normal;
    for (std::size_t i = 0; i < corners.size(); ++i)
      normal += cross(corners[i] - corners[0], corners[(i + 1) % corners.size()] - corners[0]);
    if (!(length(normal) > 0)) return;
    normal = normalized(normal);
    std::vector<std::uint32_t> index;
    for (const Vec3& p : corners) index.push_back(out.add(p, normal));
    for (std::size_t i = 1; i + 1 < index.size(); ++i) out.triangles.push_back({index[0], index[i], index[i + 1]});
  }

  /// Rings of points from top to bottom, with normals: a surface of revolution around y.
  struct Ring {
    double radius, height;
    double normal_out, normal_up;
  };
  void revolve(const std::vector<Ring>& rings) const {
    std::vector<std::uint32_t> last;
    for (std::size_t r = 0; r < rings.size(); ++r) {
      std::vector<std::uint32_t> own;
      for (int k = 0; k <= kSides; ++k) {
        const Vec3 d = around(k % kSides);
        own.push_back(out.add(d * rings[r].radius + Vec3{0, rings[r].height, 0},
                              normalized(d * rings[r].normal_out + Vec3{0, rings[r].normal_up, 0})));
      }
      for (std::size_t k = 0; r > 0 && k < kSides; ++k) {
        if (rings[r].radius > 0) out.triangles.push_back({last[k], own[k], own[k + 1]});
        if (rings[r - 1].radius > 0) out.triangles.push_back({last[k], own[k + 1], last[k + 1]});
      }
      last = std::move(own);
    }
  }

  void disc(double radius, double height, bool up) const {
    std::vector<Vec3> corners;
    for (int k = 0; k < kSides; ++k)
      corners.push_back(around(up ? k : (kSides - k) % kSides) * radius + Vec3{0, height, 0});
    polygon(corners);
  }

  void capsule(double radius, double half) const {
    std::vector<Ring> rings;
    for (int i = 0; i <= 2 * kRings; ++i) {
      double s, c;
      sin_cos(kPi * i / (2 * kRings), s, c);
      const bool pole = i == 0 || i == 2 * kRings;
      if (pole) s = 0;
      rings.push_back({radius * s, radius * c + (i <= kRings ? half : -half), s, c});
      if (i == kRings && half > 0) rings.push_back({radius * s, radius * c - half, s, c});
    }
    revolve(rings);
  }

  void operator()(const Plane&) const {
    polygon({{-kPlane, 0, -kPlane}, {-kPlane, 0, kPlane}, {kPlane, 0, kPlane}, {kPlane, 0, -kPlane}});
  }
  void operator()(const Sphere& s) const { capsule(s.radius, 0); }
  void operator()(const Capsule& s) const { capsule(s.radius, s.half_length); }
  void operator()(const Box& b) const {
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0}) {
        std::vector<Vec3> corners;
        for (int k = 0; k < 4; ++k) {
          const double u = k == 0 || k == 3 ? -1 : 1, v = (k < 2 ? -1 : 1) * side;
          Vec3 p;
          p[axis] = side * b.half[axis];
          p[(axis + 1) % 3] = u * b.half[(axis + 1) % 3];
          p[(axis + 2) % 3] = v * b.half[(axis + 2) % 3];
          corners.push_back(p);
        }
        polygon(corners);
      }
  }
  void operator()(const Cylinder& s) const {
    revolve({{s.radius, s.half_height, 1, 0}, {s.radius, -s.half_height, 1, 0}});
    disc(s.radius, s.half_height, true);
    disc(s.radius, -s.half_height, false);
  }
  void operator()(const Cone& s) const {
    const double slope = s.radius / (2 * s.half_height);
    revolve({{0, s.half_height, 1, slope}, {s.radius, -s.half_height, 1, slope}});
    disc(s.radius, -s.half_height, false);
  }
  void operator()(const Hull& h) const {
    for (const std::vector<int>& face : h.faces) {
      std::vector<Vec3> corners;
      for (const int i : face) corners.push_back(h.vertices[static_cast<std::size_t>(i)]);
      polygon(corners);
    }
  }
  void operator()(const SupportShape& s) const { (*this)(*s.hull->as<Hull>()); }
  void operator()(const Mesh& m) const {
    for (const auto& t : m.triangles)
      polygon({m.vertices[static_cast<std::size_t>(t[0])], m.vertices[static_cast<std::size_t>(t[1])],
               m.vertices[static_cast<std::size_t>(t[2])]});
  }
  void operator()(const Rectangle& r) const {
    const std::vector<Vec3> top = {
        {-r.half_x, 0, -r.half_z}, {-r.half_x, 0, r.half_z}, {r.half_x, 0, r.half_z}, {r.half_x, 0, -r.half_z}};
    polygon(top);
    polygon({top.rbegin(), top.rend()});
  }
  void operator()(const HeightField& f) const {
    const auto at = [&](int column, int row) {
      const double x = (column - 0.5 * (f.columns - 1)) * f.spacing_x, z = (row - 0.5 * (f.rows - 1)) * f.spacing_z;
      return Vec3{x,
                  f.heights[static_cast<std::size_t>(row) * static_cast<std::size_t>(f.columns) +
                            static_cast<std::size_t>(column)],
                  z};
    };
    for (int r = 0; r + 1 < f.rows; ++r)
      for (int c = 0; c + 1 < f.columns; ++c) {
        polygon({at(c, r), at(c, r + 1), at(c + 1, r + 1)});
        polygon({at(c, r), at(c + 1, r + 1), at(c + 1, r)});
      }
  }
  void operator()(const Transformed&) const {}
  void operator()(const Composite&) const {}
};

}  // namespace

TriangleList triangles_of(const Shape& shape) {
  TriangleList list;
  std::visit(Maker{list}, shape.geometry());
  return list;
}

}  // namespace rigor::models
