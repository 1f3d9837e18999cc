#pragma once

#include "rigor/scene.h"

namespace rigor::viewer {

/// A stack of three boxes on the ground under sequential impulses.
inline Scene small_scene() {
  return parse_scene(R"({ "rigor": 1, "name": "stack",
    "world": { "materials": { "wood": { "density": 700, "friction": 0.6 } },
               "generate": [ { "stack": { "name": "box", "count": 3, "box": [1, 1, 1], "material": "wood" } } ] },
    "method": "garstenauer-sequential", "run": { "dt": 0.01 } })");
}

inline BodyDef body_of(const std::string& name, ShapePtr shape, const Vec3& position = {}) {
  BodyDef def;
  def.name = name;
  def.shape = std::move(shape);
  def.position = position;
  return def;
}

}  // namespace rigor::viewer
