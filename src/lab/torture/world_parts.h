// Building blocks of random worlds: shapes, materials, ground, and bodies placed without overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lab/torture/draw.h"
#include "rigor/scene.h"

namespace rigor {

/// A convex or composite solid whose longest side is about `size`.
ShapePtr draw_solid(Draw& draw, double size);
/// Only shapes with edges: boxes, hulls and composites of boxes. They come to rest without rolling friction.
ShapePtr draw_edged_solid(Draw& draw, double size);

struct MaterialRange {
  double least_friction = 0, most_friction = 1.5;
  double most_restitution = 1;
  double least_density = 200, most_density = 8000;  // kg/m³
};
/// Half of the materials do not bounce, one in five resists rolling.
Material draw_material(Draw& draw, const MaterialRange& range, double size);
/// The material of the ground and how materials combine.
void draw_surface_rules(Scene& scene, Draw& draw, const MaterialRange& range);
/// Mostly the earth's; sometimes the moon's or Jupiter's. Downwards along y.
void draw_gravity(Scene& scene, Draw& draw);

/// A body of a drawn material, at rest at the origin.
BodyDef draw_body(Draw& draw, ShapePtr shape, const MaterialRange& range);
double size_of(const Shape& shape);  // m, of its bounding ball

/// The region for loose bodies: a column above a rectangle.
struct Column {
  double half_width = 2;  // m, along x and z
  double bottom = 0, top = 2;
  Vec3 center;
};
/// Tries random positions, higher ones after each failure, until the body overlaps nothing. Null id if there is none.
BodyId place_clear(World& world, Draw& draw, BodyDef def, const Column& column);
bool is_clear(const World& world, const BodyDef& def);
/// The lowest y of a shape in this orientation, relative to its origin.
double lowest_point(const Shape& shape, const Quat& orientation);

BodyId add_fixed_box(World& world, const std::string& name, const Vec3& sides, const Vec3& position,
                     const Quat& orientation = {}, const Material& material = {});
/// Shortens the duration to a number of steps.
void bound_steps(Scene& scene, int most);

}  // namespace rigor
