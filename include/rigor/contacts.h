// Contacts: where bodies touch or are about to. Written by collision detection, read by solvers, events and applications.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rigor/ids.h"
#include "rigor/math.h"

namespace rigor {

/// One point of a contact. It is kept in the coordinates of both bodies, so that its separation can be evaluated again at a
/// changed state without collision detection. Two cache lines: where it is, and what every step writes.
struct alignas(64) ContactPoint {
  Vec3 local_a, local_b;               // m, on the two surfaces, in the bodies' principal frames
  double approach_speed = 0;           // m/s: of an impact that the last step slowed down to meet the surface
  double spinning_impulse = 0;         // N m s, about the normal
  double separation = 0;               // m when found; negative: depth
  double closing_speed = 0;            // m/s, along the normal when the step began; negative: separating
  double normal_impulse = 0;           // N s, of the last step; written by solvers
  double tangent_impulse[2] = {0, 0};  // N s, along tangent and normal × tangent
  double rolling_impulse[2] = {0, 0};  // N m s, about tangent and normal × tangent
  std::uint32_t key = 0;               // the features that meet; matches points from step to step
  bool persisted = false;              // the last step had it, too
};

/// A manifold of one pair of bodies: up to four points with one normal.
struct Contact {
  BodyId a, b;                           // a's index is the smaller one
  Vec3 normal;                           // world, unit, from a to b
  Vec3 tangent;                          // world, unit; carried along from step to step
  double friction = 0, restitution = 0;  // friction: kinetic, along the tangent
  double static_friction = 0;
  double friction_across = 1;                          // factor of both frictions along normal × tangent
  double rolling_friction = 0, spinning_friction = 0;  // m, lever arms
  std::uint32_t part_a = 0, part_b = 0;                // part of a composite, triangle, cell
  int count = 0;
  bool directed = false;  // the tangent is that of the materials' grain
  Vec3 surface_velocity;  // m/s, world: what b's surface runs ahead of a's, belts and tracks
  std::array<ContactPoint, 4> points;
};

/// All contacts of a step, sorted by the bodies' id indices.
using ContactList = std::vector<Contact>;

/// A box of the tree that a broad phase keeps.
struct BroadphaseBox {
  Aabb box;
  int depth = 0;      // 0: the root of a tree
  bool leaf = false;  // of one body
};

}  // namespace rigor
