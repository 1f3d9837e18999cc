// Describes a world to the page as JSON: simple parts with their poses, and the bodies that consist of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/json_text.h"
#include "rigor/scene.h"

namespace rigor::viewer {

/// The shapes that a page has received.
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
/// One body: index, generation, name, shape, material, fixed, ground; the surface's velocity, m/s, where it runs like a belt.
Json describe_body(const World& world, BodyId id, ShapeTable& shapes, Json& fresh_shapes);
/// All joints: index, name, type, bodies a and b, frames, active, broken; and how to draw them: for axes "free",
/// "motors" and "springs", lists of coordinates 0…5; for distances "link", which is "rod", "rope" or "spring", and "length", m;
/// for a wire "path", points in frame a, and "closed"; for a gear "gear", its two joints and its ratio.
Json describe_joints(const World& world);
/// All force effects: name, type, active, "end", s, where they end, the indices of the "bodies" on which they act, or of those
/// "except" which they act on all, and their "parameters" by name.
Json describe_forces(const World& world);
/// The materials of the scene: name, density, friction, static_friction, restitution, rolling_friction.
Json describe_materials(const Scene& scene);
/// Name, description, the direction that is up, duration, camera, appearance.
Json describe_scene(const Scene& scene, const World& world);
/// m/s²; zero if the world has no gravity.
Vec3 gravity_of(const World& world);
/// The upward direction: against gravity; the normal of the ground without gravity; +y without either.
Vec3 up_direction(const World& world);

}  // namespace rigor::viewer
