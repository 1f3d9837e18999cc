// Time of impact by conservative advancement.
//
// Mirtich 1996, "Impulse-based Dynamic Simulation of Rigid Body Systems", section 2.3; the directional bound after Zhang, Lee
// and Kim 2006, "Interactive continuous collision detection for non-convex polyhedra". With d the separation and n its
// direction, no point of the two shapes closes the gap along n faster than
//   mu = n·(v_a - v_b) + |n × w_a| r_a + |n × w_b| r_b,
// r the reach of a shape about its center of motion: n·(w × r) = r·(n × w) whichever way the shape has turned. So nothing
// touches for a time d / mu, and never if mu <= 0. Without a common n the lengths of the velocities take its place.
//
// Cost: one distance query per step. The gap falls by the factor 1 - v/mu per step, v the true speed of approach: 3 to 10
// steps as a rule, hundreds for fast spin with slow approach. Never more than kMaxSteps; the time reached is safe then too.
#include "narrowphase/time_of_impact.h"

#include <algorithm>
#include <cmath>

#include "narrowphase/gjk.h"

namespace rigor {

namespace {

constexpr int kMaxSteps = 1000;

/// m/s, the fastest that the gap can close along n, or at all if n is zero.
double closing_speed(const MovingPose& a, double reach_a, const MovingPose& b, double reach_b, const Vec3& n) {
  if (n == Vec3{}) {
    return length(a.velocity - b.velocity) + length(a.angular_velocity) * reach_a +
           length(b.angular_velocity) * reach_b;
  }
  return dot(n, a.velocity - b.velocity) + length(cross(n, a.angular_velocity)) * reach_a +
         length(cross(n, b.angular_velocity)) * reach_b;
}

}  // namespace

Transform MovingPose::at(double time) const {
  const Quat turn = quaternion_from_rotation_vector(time * angular_velocity);
  return {center + time * velocity + rotate(turn, start.translation - center), normalized(turn * start.rotation)};
}

Impact time_of_impact(double reach_a, const MovingPose& a, double reach_b, const MovingPose& b, double end,
                      double tolerance, const SeparationQuery& query) {
  const double fastest = closing_speed(a, reach_a, b, reach_b, {});
  Impact impact;
  while (impact.iterations < kMaxSteps) {
    ++impact.iterations;
    const double limit = fastest * (end - impact.time) + tolerance;
    const SeparationSample sample = query(a.at(impact.time), b.at(impact.time), limit);
    impact.separation = sample.separation;
    impact.normal = sample.normal;
    impact.point = sample.point;
    if (sample.separation <= tolerance) {
      impact.state = ImpactState::touching;
      return impact;
    }
    const double speed = closing_speed(a, reach_a, b, reach_b, sample.normal);
    // Aims at half of the tolerance, so that every step but the last has a least length.
    const double step = speed > 0 ? (sample.separation - 0.5 * tolerance) / speed : Aabb::kInfinity;
    if (sample.separation > limit || !(step <= end - impact.time)) {
      impact.time = end;
      return impact;
    }
    impact.time += step;
  }
  impact.state = ImpactState::unresolved;
  return impact;
}

Impact time_of_impact(const Convex& a, const MovingPose& pose_a, const Convex& b, const MovingPose& pose_b, double end,
                      double tolerance) {
  // Turning does not move the ball around a core point: the reach is that of the cores.
  const double reach_a = core_reach(a, inverse_transform_point(pose_a.start, pose_a.center));
  const double reach_b = core_reach(b, inverse_transform_point(pose_b.start, pose_b.center));
  Vec3 axis;
  return time_of_impact(
      reach_a, pose_a, reach_b, pose_b, end, tolerance,
      [&](const Transform& at_a, const Transform& at_b, double limit) -> SeparationSample {
        const ConvexDistance d = convex_distance(a, b, inverse(at_a) * at_b, limit, axis);
        return {d.separation, rotate(at_a.rotation, d.normal), transform_point(at_a, 0.5 * (d.on_a + d.on_b))};
      });
}

}  // namespace rigor
