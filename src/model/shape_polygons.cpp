#include "model/shape_polygons.h"

namespace rigor {

namespace {

struct Faces {
  const PolygonSink& face;

  template <class Other> void operator()(const Other&) const {}  // round, infinite or compound

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
        face(std::move(corners), false);
      }
  }
  void operator()(const Hull& h) const {
    for (const std::vector<int>& indices : h.faces) {
      std::vector<Vec3> corners;
      for (const int i : indices) corners.push_back(h.vertices[static_cast<std::size_t>(i)]);
      face(std::move(corners), false);
    }
  }
  void operator()(const SupportShape& s) const { (*this)(*s.hull->as<Hull>()); }
  void operator()(const Mesh& m) const {
    for (const auto& t : m.triangles)
      face({m.vertices[static_cast<std::size_t>(t[0])], m.vertices[static_cast<std::size_t>(t[1])],
            m.vertices[static_cast<std::size_t>(t[2])]},
           !m.closed);
  }
  void operator()(const Rectangle& r) const {
    face({{-r.half_x, 0, -r.half_z}, {-r.half_x, 0, r.half_z}, {r.half_x, 0, r.half_z}, {r.half_x, 0, -r.half_z}},
         true);
  }
  void operator()(const HeightField& f) const {
    const auto at = [&](int column, int row) {
      const double x = (column - 0.5 * (f.columns - 1)) * f.spacing_x, z = (row - 0.5 * (f.rows - 1)) * f.spacing_z;
      const auto index = static_cast<std::size_t>(row) * static_cast<std::size_t>(f.columns);
      return Vec3{x, f.heights[index + static_cast<std::size_t>(column)], z};
    };
    for (int r = 0; r + 1 < f.rows; ++r)
      for (int c = 0; c + 1 < f.columns; ++c) face({at(c, r), at(c, r + 1), at(c + 1, r + 1), at(c + 1, r)}, true);
  }
};

}  // namespace

std::vector<Vec3> ring(int sides, double radius, double height) {
  std::vector<Vec3> corners;
  for (int k = 0; k < sides; ++k) {
    double s, c;
    sin_cos(2 * kPi * k / sides, s, c);
    corners.push_back({radius * c, height, -radius * s});
  }
  return corners;
}

void for_each_polygon(const Shape& shape, const PolygonSink& face) { std::visit(Faces{face}, shape.geometry()); }

}  // namespace rigor
