// The Shape class and the functions that make the simple shapes, transformed shapes and composites.
// convex_hull() and mesh() are in separate files.
#include "rigor/shape.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "model/bounds.h"
#include "model/checks.h"
#include "model/shape_index.h"
#include "rigor/error.h"

namespace rigor {

namespace {

int depth_of(const Geometry& geometry) {
  if (const auto* moved = std::get_if<Transformed>(&geometry)) return moved->shape->depth() + 1;
  int depth = 0;
  if (const auto* all = std::get_if<Composite>(&geometry)) {
    for (const Composite::Part& part : all->parts) depth = std::max(depth, part.shape->depth() + 1);
  }
  return depth;
}

ShapePtr make(Geometry geometry) { return std::make_shared<const Shape>(std::move(geometry)); }

/// Half of a size. Half of the smallest double is zero, hence the second check.
double half_of(double size, const std::string& place, const std::string& wanted) {
  require_positive(size, place, wanted);
  return require_positive(0.5 * size, place, wanted);
}

}  // namespace

Shape::Shape(Geometry geometry) : geometry_(std::move(geometry)), depth_(depth_of(geometry_)) {
  if (depth_ > kMaxDepth) {
    throw Error(std::string(type()),
                "expected at most " + std::to_string(kMaxDepth) + " shapes nested in each other, got more");
  }
  local_bounds_ = world_bounds(*this, Transform{});
  bounding_radius_ = farthest_distance(*this, Vec3{});
  index_ = make_shape_index(geometry_);
}

std::string_view Shape::type() const {
  // In the order of the alternatives of Geometry.
  static constexpr std::string_view kNames[] = {"plane",       "sphere",      "box",      "capsule",   "cylinder",
                                                "cone",        "hull",        "mesh",     "rectangle", "support",
                                                "heightfield", "transformed", "composite"};
  static_assert(std::size(kNames) == std::variant_size_v<Geometry>);
  if (const auto* registered = as<SupportShape>()) return registered->name;
  return kNames[geometry_.index()];
}

bool Shape::has_volume() const {
  if (as<Plane>() || as<HeightField>()) return false;
  if (const auto* surface = as<Mesh>()) return surface->closed;
  if (const auto* moved = as<Transformed>()) return moved->shape->has_volume();
  if (const auto* all = as<Composite>()) {
    return std::all_of(all->parts.begin(), all->parts.end(),
                       [](const Composite::Part& part) { return part.shape->has_volume(); });
  }
  return true;
}

ShapePtr plane() { return make(Plane{}); }

ShapePtr sphere(double radius) { return make(Sphere{require_positive(radius, "sphere", "a positive radius")}); }

ShapePtr box(const Vec3& sides) {
  Vec3 half;
  for (int i = 0; i < 3; ++i) half[i] = half_of(sides[i], "box", "three positive numbers");
  return make(Box{half});
}

ShapePtr capsule(double radius, double length) {
  if (length == 0) throw Error("capsule", "expected a positive length, got 0; a capsule without length is a sphere");
  return make(Capsule{require_positive(radius, "capsule", "a positive radius"),
                      half_of(length, "capsule", "a positive length")});
}

ShapePtr cylinder(double radius, double height) {
  return make(Cylinder{require_positive(radius, "cylinder", "a positive radius"),
                       half_of(height, "cylinder", "a positive height")});
}

ShapePtr cone(double radius, double height) {
  return make(
      Cone{require_positive(radius, "cone", "a positive radius"), half_of(height, "cone", "a positive height")});
}

ShapePtr rectangle(double size_x, double size_z, double thickness) {
  return make(Rectangle{half_of(size_x, "rectangle", "two positive sizes"),
                        half_of(size_z, "rectangle", "two positive sizes"),
                        require_positive(thickness, "rectangle", "a positive thickness")});
}

ShapePtr height_field(int columns, int rows, double spacing_x, double spacing_z, std::vector<double> heights) {
  const std::string place = "heightfield";
  if (columns < 2 || rows < 2) {
    throw Error(place, "expected at least 2 columns and 2 rows, got " + std::to_string(columns) + " and " +
                           std::to_string(rows));
  }
  require_positive(spacing_x, place, "two positive spacings");
  require_positive(spacing_z, place, "two positive spacings");
  const std::size_t count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  if (heights.size() != count) {
    throw Error(place, "expected " + std::to_string(count) + " heights for " + std::to_string(columns) + " x " +
                           std::to_string(rows) + " samples, got " + std::to_string(heights.size()));
  }
  for (const double height : heights) {
    if (!std::isfinite(height)) throw Error(place, "expected finite heights, got " + number_text(height));
  }
  return make(HeightField{columns, rows, spacing_x, spacing_z, std::move(heights)});
}

ShapePtr transformed(ShapePtr shape, const Transform& transform) {
  if (!shape) throw Error("transformed", "expected a shape to move, got none");
  return make(Transformed{std::move(shape), checked(transform, "transformed")});
}

ShapePtr composite(std::vector<Composite::Part> parts) {
  if (parts.empty()) throw Error("composite", "expected at least one part, got none");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string place = "composite.parts[" + std::to_string(i) + "]";
    if (!parts[i].shape) throw Error(place, "expected a shape, got none");
    parts[i].transform = checked(parts[i].transform, place);
    if (parts[i].material) check(*parts[i].material, place + ".material");
  }
  return make(Composite{std::move(parts)});
}

}  // namespace rigor
