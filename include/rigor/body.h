#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rigor/material.h"
#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

/// The description of a new body (7.4.1). The body frame is that of the shape; the center of mass may lie
/// elsewhere in it.
struct BodyDef {
  std::string name;  // unique in its world, or empty: it is then called body<N>
  ShapePtr shape;
  ShapePtr collision_shape;  // null: `shape`
  Vec3 position;             // m, of the body frame's origin
  Quat orientation;          // body to world; normalised on entry
  Vec3 velocity;             // m/s, of the center of mass
  Vec3 angular_velocity;     // rad/s, world frame
  Material material;

  // Mass: explicit numbers win over the material's density.
  std::optional<double> mass;          // kg
  std::optional<Mat3> inertia;         // kg m², about the center of mass, axes of the body frame
  std::optional<Vec3> center_of_mass;  // m, in the body frame

  bool fixed = false;  // infinite mass: moves with the velocity that the user gives it and no other
  bool can_collide = true;
  bool continuous = false;           // uses continuous collision in every step, even when it is slow for its size
  bool active = true;                // inactive objects are ignored by the simulation
  std::uint32_t group = 1;           // bits of the collision groups it belongs to
  std::uint32_t mask = 0xffffffffu;  // bits of the groups it collides with

  double linear_damping = 0;    // 1/s, rate at which the velocity decays
  double angular_damping = 0;   // 1/s, rate at which the angular momentum decays
  double gravity_factor = 1;    // multiplies the weight; 0: no gravity, negative: upwards
  bool sensor = false;          // has no collision response and reports the bodies that overlap it, see events.h
  std::uint64_t user_data = 0;  // of the application, such as an index or a pointer; the library never reads it
};

}  // namespace rigor
