// Rigs: bodies held together by joints, for the classes of random worlds that have joints.
#pragma once

#include <string>
#include <vector>

#include "lab/torture/world_parts.h"
#include "rigor/joint_types.h"

namespace rigor {

/// The options of a rig.
struct RigTaste {
  bool every_type = true;  // else ball, hinge, fixed, universal
  bool driven = true;      // motors and servos
  bool unbounded_motors = false;
  bool springs = true;
  double speed = 0, spin = 0;  // m/s and rad/s at the start, of the whole rig
};

/// A link is a long solid along its own x axis.
struct Link {
  ShapePtr shape;
  double length = 0;  // m, between its ends
};
Link draw_link(Draw& draw, double length);

/// The orientation that turns x into `direction`, with a drawn roll.
Quat along(Draw& draw, const Vec3& direction);

/// A joint of a drawn type between two bodies of the world. `a` may be the world body. The anchors of rods and ropes are
/// `anchor_a` and `anchor_b`, other joints sit at `anchor_a`, where both bodies' frames then coincide.
JointId add_drawn_joint(Scene& scene, Draw& draw, const RigTaste& taste, BodyId a, BodyId b, const Vec3& anchor_a,
                        const Vec3& anchor_b);
/// Gives every axis that is not locked limits, a motor, a spring or friction, each sometimes. Forces are in proportion to the
/// lighter body's weight; a spring's ω h is at most 0.2.
void equip(Scene& scene, Draw& draw, const RigTaste& taste, JointDef& def);

/// A tree of `count` links that grows from a point; held by the world there if `hangs`. Links that would overlap something
/// are left out. The ids of its bodies.
std::vector<BodyId> add_tree(Scene& scene, Draw& draw, const RigTaste& taste, const Vec3& root, int count, bool hangs,
                             double branching);
/// A spring between the centers of mass of two bodies; ω h is at most 0.2.
void add_spring(Scene& scene, Draw& draw, BodyId a, BodyId b);
/// A rigid motion for all bodies of a rig at the start: velocities fit together, so that joints stay closed.
void move_rig(World& world, const std::vector<BodyId>& bodies, const Vec3& velocity, const Vec3& spin);

}  // namespace rigor
