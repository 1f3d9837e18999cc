// Built-in scenes under their own methods.
#pragma once

#include <cmath>
#include <string>

#include "rigor/scene.h"

namespace rigor::test {

inline Simulation start(const std::string& name) {
  const Scene scene = open_scene(name);
  return Simulation(scene.world, scene.method);
}

/// For as long as the scene says.
inline void run_to_the_end(Simulation& sim, const std::string& name) {
  const Scene scene = open_scene(name);
  const auto steps = static_cast<int>(std::lround(scene.duration / scene.time.step));
  for (int i = 0; i < steps; ++i) sim.step(scene.time.step);
}

inline Vec3 position(const Simulation& sim, const std::string& body) {
  return sim.world().position(sim.world().find_body(body));
}

/// The farthest that a moving body is from where it began.
inline double farthest_moved(const World& before, const World& after) {
  double most = 0;
  for (const BodyId id : before.bodies())
    if (!before.is_fixed(id)) most = std::max(most, length(after.position(id) - before.position(id)));
  return most;
}

/// Changes the friction of all bodies and the ground.
inline void set_friction(World& world, double friction) {
  for (const BodyId id : world.bodies()) {
    if (id == world.world_body()) continue;
    Material material = world.body_def(id).material;
    material.friction = friction;
    world.set_material(id, material);
  }
}

}  // namespace rigor::test
