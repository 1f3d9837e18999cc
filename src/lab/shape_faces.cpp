#include "lab/shape_faces.h"

#include <cmath>

namespace rigor {

namespace {

constexpr int kSides = 16;  // of the polygon drawn for a circle

struct Builder {
  const Transform& frame;
  ShapeLook& look;

  void face(std::vector<Vec3> corners, bool two_sided = false) const {
    for (Vec3& p : corners) p = frame.translation + rotate(frame.rotation, p);
    look.faces.push_back({std::move(corners), two_sided});
  }

  void operator()(const Plane&) const {}
  void operator()(const Sphere& s) const { look.rounds.push_back({frame.translation, frame.translation, s.radius}); }
  void operator()(const Capsule& c) const {
    const Vec3 half = rotate(frame.rotation, {0, c.half_length, 0});
    look.rounds.push_back({frame.translation - half, frame.translation + half, c.radius});
  }
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
        face(std::move(corners));
      }
  }
  /// A frustum around y: with a radius of zero at the top, a cone.
  void frustum(double bottom, double top, double half) const {
    std::vector<Vec3> low, high;
    for (int k = 0; k < kSides; ++k) {
      const double angle = 2 * kPi * k / kSides, c = std::cos(angle), s = -std::sin(angle);
      low.push_back({bottom * c, -half, bottom * s}), high.push_back({top * c, half, top * s});
    }
    for (std::size_t k = 0; k < kSides; ++k) {
      const std::size_t n = (k + 1) % kSides;
      if (top > 0)
        face({low[k], low[n], high[n], high[k]});
      else
        face({low[k], low[n], high[k]});
    }
    if (top > 0) face(high);
    face({low.rbegin(), low.rend()});
  }
  void operator()(const Cylinder& c) const { frustum(c.radius, c.radius, c.half_height); }
  void operator()(const Cone& c) const { frustum(c.radius, 0, c.half_height); }
  void operator()(const Hull& h) const {
    for (const std::vector<int>& indices : h.faces) {
      std::vector<Vec3> corners;
      for (const int i : indices) corners.push_back(h.vertices[static_cast<std::size_t>(i)]);
      face(std::move(corners));
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
      return Vec3{x, f.heights[static_cast<std::size_t>(row * f.columns + column)], z};
    };
    for (int r = 0; r + 1 < f.rows; ++r)
      for (int c = 0; c + 1 < f.columns; ++c) face({at(c, r), at(c, r + 1), at(c + 1, r + 1), at(c + 1, r)}, true);
  }
  void operator()(const Transformed& t) const { add_look(*t.shape, frame * t.transform, look); }
  void operator()(const Composite& c) const {
    for (const Composite::Part& part : c.parts) add_look(*part.shape, frame * part.transform, look);
  }
};

}  // namespace

void add_look(const Shape& shape, const Transform& frame, ShapeLook& look) {
  std::visit(Builder{frame, look}, shape.geometry());
}

}  // namespace rigor
