#include "lab/shape_faces.h"

#include "model/shape_polygons.h"

namespace rigor {

namespace {

constexpr int kSides = 16;  // of the polygon drawn for a circle

struct Builder {
  const Shape& shape;
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
  /// A frustum around y: with a radius of zero at the top, a cone.
  void frustum(double bottom, double top, double half) const {
    const std::vector<Vec3> low = ring(kSides, bottom, -half), high = ring(kSides, top, half);
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
  /// Everything else has flat faces.
  template <class Other> void operator()(const Other&) const {
    for_each_polygon(shape, [&](std::vector<Vec3> corners, bool two_sided) { face(std::move(corners), two_sided); });
  }
  void operator()(const Transformed& t) const { add_look(*t.shape, frame * t.transform, look); }
  void operator()(const Composite& c) const {
    for (const Composite::Part& part : c.parts) {
      const std::size_t faces = look.faces.size(), rounds = look.rounds.size();
      add_look(*part.shape, frame * part.transform, look);
      if (!part.material) continue;
      for (std::size_t i = faces; i < look.faces.size(); ++i)
        if (!look.faces[i].material) look.faces[i].material = &*part.material;
      for (std::size_t i = rounds; i < look.rounds.size(); ++i)
        if (!look.rounds[i].material) look.rounds[i].material = &*part.material;
    }
  }
};

}  // namespace

void add_look(const Shape& shape, const Transform& frame, ShapeLook& look) {
  std::visit(Builder{shape, frame, look}, shape.geometry());
}

}  // namespace rigor
