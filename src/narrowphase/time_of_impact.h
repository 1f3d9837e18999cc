// When two moving shapes first touch: conservative advancement.
#pragma once

#include <functional>

#include "narrowphase/convex.h"
#include "rigor/math.h"

namespace rigor {

/// A rigid motion with constant linear and angular velocity, in world coordinates.
struct MovingPose {
  Transform start;        // of the shape's frame at time 0
  Vec3 center;            // m, about which it turns, at time 0: the center of mass
  Vec3 velocity;          // m/s, of the center
  Vec3 angular_velocity;  // rad/s

  Transform at(double time) const;
};

enum class ImpactState : std::uint8_t {
  separated,   // no contact up to the end
  touching,    // contact at `time`, within the tolerance
  unresolved,  // iterations used up; no contact before `time`
};

struct Impact {
  ImpactState state = ImpactState::separated;
  double time = 0;        // s; the shapes do not overlap before (but see below), the end of the search if separated
  double separation = 0;  // m, at that time
  Vec3 normal;            // unit, from a to b, in the world
  Vec3 point;             // m, between the two surfaces, in the world
  int iterations = 0;
};

/// The result of a distance query for the search. `normal` (unit, from a to b) must be the direction of a plane that keeps *all* of
/// the two shapes apart, as that between closest points of convex shapes does; zero where there is none, as for composites.
struct SeparationSample {
  double separation = 0;  // m, or a lower bound if that is above the limit
  Vec3 normal;
  Vec3 point;
};
/// Poses of a and b, and the separation beyond which a lower bound is enough.
using SeparationQuery = std::function<SeparationSample(const Transform& a, const Transform& b, double limit)>;

/// The first time in [0, end] at which the separation is at most `tolerance` (m, above 0). Shapes that touch or overlap at
/// the start give time 0. `reach` (m) is the distance of the center of motion to the farthest point of the shape.
Impact time_of_impact(double reach_a, const MovingPose& a, double reach_b, const MovingPose& b, double end,
                      double tolerance, const SeparationQuery& query);

/// The same for two convex shapes.
Impact time_of_impact(const Convex& a, const MovingPose& pose_a, const Convex& b, const MovingPose& pose_b, double end,
                      double tolerance);

}  // namespace rigor
