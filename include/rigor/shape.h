// Shapes: immutable, shared by reference, used for mass properties and for collision detection.
//
// Axes: a capsule, a cylinder and a cone stand along the local y axis and are centred at half of their height; a plane and
// a rectangle have the normal +y. Lengths in metres.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rigor/fields.h"
#include "rigor/material.h"
#include "rigor/math.h"

namespace rigor {

class Shape;
namespace extend {
class Shape;
}
struct ShapeIndex;  // src/model/shape_index.h
using ShapePtr = std::shared_ptr<const Shape>;

/// The solid half-space y <= 0. Infinite, hence only for fixed bodies.
struct Plane {};
struct Sphere {
  double radius;
};
struct Box {
  Vec3 half;  // half of the side lengths
};
struct Capsule {
  double radius;
  double half_length;  // of the cylindrical part
};
struct Cylinder {
  double radius;
  double half_height;
};
/// Base disc at y = -half_height, apex at y = +half_height. Its center of mass is half_height/2 below the origin.
struct Cone {
  double radius;
  double half_height;
};
/// Convex hull as computed by Qhull: outward faces, counter-clockwise seen from outside.
struct Hull {
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> faces;  // coplanar triangles are merged into polygons
  std::vector<Vec3> normals;            // one per face, unit, outward
  std::vector<double> offsets;          // normals[i]·p = offsets[i] on face i

  /// Runs from v0 to v1 along the border of face_left, and back along that of face_right.
  struct Edge {
    int v0, v1, face_left, face_right;
  };
  std::vector<Edge> edges;  // each once, v0 < v1, in ascending order
};
/// Triangle mesh, counter-clockwise seen from outside. `closed` meshes have a volume and thus mass properties, and push
/// convex bodies out of their inside, as long as their centers are less than twice their radius deep. Others are shells.
struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  bool closed = false;
};
/// A thin card in the local xz plane. Its thickness counts for the mass only.
struct Rectangle {
  double half_x, half_z;
  double thickness;
};
/// Heights over a regular grid in the local xz plane, centred at the origin, solid below: down to its longer side below the lowest
/// height. Only for fixed bodies.
struct HeightField {
  int columns, rows;            // number of samples along x and z, each at least 2
  double spacing_x, spacing_z;  // m between samples
  std::vector<double> heights;  // row by row: heights[row * columns + column]
};
/// A shape moved and turned inside another frame.
struct Transformed {
  ShapePtr shape;
  Transform transform;
};
struct Composite {
  struct Part {
    ShapePtr shape;
    Transform transform;
    std::optional<Material> material;  // set if a part's material differs from the body's
  };
  std::vector<Part> parts;
};

/// A convex shape of a registered type, given by its support function; see rigor/extend/shape.h. Made by shape_of_type().
struct SupportShape {
  std::string name;                            // of its type in the registry
  std::shared_ptr<const extend::Shape> shape;  // with its parameters; never changed
  ShapePtr hull;                               // a polyhedron of support points
};

using Geometry = std::variant<Plane, Sphere, Box, Capsule, Cylinder, Cone, Hull, Mesh, Rectangle, SupportShape,
                              HeightField, Transformed, Composite>;

/// One immutable shape. Made by the functions below only, which refuse impossible sizes with an Error.
class Shape {
 public:
  explicit Shape(Geometry geometry);

  const Geometry& geometry() const { return geometry_; }
  template <class T> const T* as() const { return std::get_if<T>(&geometry_); }
  /// "box", "sphere", …: the name in scene files and in the registry.
  std::string_view type() const;
  /// Bounds in the shape's own frame; infinite for a plane.
  const Aabb& local_bounds() const { return local_bounds_; }
  /// Radius of the smallest ball around the local origin that holds the shape; infinite for a plane.
  double bounding_radius() const { return bounding_radius_; }
  /// False for shapes without a finite volume: plane, height field, open mesh, or a composite that holds one of these.
  bool has_volume() const;
  /// Levels of transformed and composite above the deepest simple shape; at most kMaxDepth, so that recursion is safe.
  int depth() const { return depth_; }
  static constexpr int kMaxDepth = 32;
  /// Trees and neighbours for collision detection; null for simple shapes.
  const ShapeIndex* index() const { return index_.get(); }

 private:
  Geometry geometry_;
  Aabb local_bounds_;
  double bounding_radius_ = 0;
  int depth_ = 0;
  std::shared_ptr<const ShapeIndex> index_;
};

ShapePtr plane();
ShapePtr sphere(double radius);
/// Full side lengths.
ShapePtr box(const Vec3& sides);
inline ShapePtr box(double x, double y, double z) { return box(Vec3{x, y, z}); }
/// `length` is that of the cylindrical part.
ShapePtr capsule(double radius, double length);
ShapePtr cylinder(double radius, double height);
ShapePtr cone(double radius, double height);
/// Convex hull of at least four points that do not lie in a plane.
ShapePtr convex_hull(const std::vector<Vec3>& points);
ShapePtr mesh(std::vector<Vec3> vertices, std::vector<std::array<int, 3>> triangles);
ShapePtr rectangle(double size_x, double size_z, double thickness = 0.001);
ShapePtr height_field(int columns, int rows, double spacing_x, double spacing_z, std::vector<double> heights);
ShapePtr transformed(ShapePtr shape, const Transform& transform);
ShapePtr composite(std::vector<Composite::Part> parts);
/// A shape of a type that was registered at run time, with the parameters that differ from its defaults.
ShapePtr shape_of_type(std::string_view type, const Settings& parameters = {});

/// Bounds of a shape placed in the world.
Aabb world_bounds(const Shape& shape, const Transform& transform);

}  // namespace rigor
