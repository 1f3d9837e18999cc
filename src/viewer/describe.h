// What the page must know to draw a world, as JSON: simple parts with their places, and who is made of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/json_text.h"
#include "rigor/scene.h"

namespace rigor::viewer {

/// Remembers which shapes a page has been told about.
class ShapeTable {
 public:
  /// The number of the shape; a new one is appended to `fresh` as {"id", "parts"}.
  int number(const ShapePtr& shape, Json& fresh);

 private:
  std::map<const Shape*, int> by_pointer_;
  std::map<std::string, int> by_text_;
  std::vector<ShapePtr> keep_;  // so that no pointer is used twice
};

/// The simple shapes that a shape consists of, each with kind, sizes, position and orientation. Polyhedra and height fields
/// come as vertices and triangles.
Json describe_parts(const Shape& shape);
/// One body: index, generation, name, shape, material, fixed, ground.
Json describe_body(const World& world, BodyId id, ShapeTable& shapes, Json& fresh_shapes);
/// All joints: index, name, type, bodies a and b, frames, active, broken.
Json describe_joints(const World& world);
/// Name, description, the direction that is up, duration, names of materials.
Json describe_scene(const Scene& scene, const World& world);
/// m/s²; zero where the world has none.
Vec3 gravity_of(const World& world);
/// Against gravity; the normal of the ground without gravity; +y without either.
Vec3 up_direction(const World& world);

}  // namespace rigor::viewer
