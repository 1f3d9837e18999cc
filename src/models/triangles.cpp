#include "models/triangles.h"

#include <algorithm>
#include <type_traits>

#include "io/json_text.h"
#include "model/shape_polygons.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

constexpr int kSides = 32, kRings = 8;  // around an axis; from pole to equator
constexpr double kPlane = 50;           // m, half of the side of a plane

struct Maker {
  const Shape& shape;
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
    const std::vector<Vec3> around = ring(kSides, 1, 0);
    std::vector<std::uint32_t> last;
    for (std::size_t r = 0; r < rings.size(); ++r) {
      std::vector<std::uint32_t> own;
      for (int k = 0; k <= kSides; ++k) {
        const Vec3& d = around[static_cast<std::size_t>(k % kSides)];
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
    const std::vector<Vec3> corners = ring(kSides, radius, height);
    polygon(up ? corners : std::vector<Vec3>(corners.rbegin(), corners.rend()));
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
  /// Everything else has flat faces. Both sides of a rectangle are drawn, one side of other open surfaces.
  template <class Other> void operator()(const Other&) const {
    constexpr bool kBothSides = std::is_same_v<Other, Rectangle>;
    for_each_polygon(shape, [&](std::vector<Vec3> corners, bool) {
      if (std::is_same_v<Other, HeightField>) {
        polygon({corners[0], corners[1], corners[2]});
        polygon({corners[0], corners[2], corners[3]});
        return;
      }
      polygon(corners);
      if (kBothSides) polygon({corners.rbegin(), corners.rend()});
    });
  }
};

/// Triangles of the surfaces that can be large; 0 for all others, which have a few hundred at most.
std::size_t count_triangles(const Shape& shape) {
  if (const auto* field = shape.as<HeightField>())
    return 2 * static_cast<std::size_t>(field->columns - 1) * static_cast<std::size_t>(field->rows - 1);
  if (const auto* surface = shape.as<Mesh>()) return surface->triangles.size();
  if (const auto* placed = shape.as<Transformed>()) return count_triangles(*placed->shape);
  std::size_t sum = 0;
  if (const auto* parts = shape.as<Composite>())
    for (const Composite::Part& part : parts->parts) sum += count_triangles(*part.shape);
  return sum;
}

}  // namespace

void refuse_many_triangles(const World& world) {
  std::size_t sum = 0;
  for (const BodyId id : world.bodies()) {
    const BodyDef& def = world.body_def(id);
    if (!def.active || id == world.world_body()) continue;
    sum += count_triangles(*def.shape);
    if (sum > kMostWrittenTriangles)
      throw Error("the surfaces of the bodies up to '" + short_text(def.name) + "' have " + std::to_string(sum) +
                  " triangles together; at most " + std::to_string(kMostWrittenTriangles) +
                  " are written as text (.gltf and .glb hold the shape of equal bodies once)");
  }
}

TriangleList triangles_of(const Shape& shape) {
  if (const std::size_t count = count_triangles(shape); count > kMostShapeTriangles)
    throw Error("a surface has " + std::to_string(count) + " triangles; at most " +
                std::to_string(kMostShapeTriangles) + " are written");
  TriangleList list;
  std::visit(Maker{shape, list}, shape.geometry());
  return list;
}

}  // namespace rigor::models
