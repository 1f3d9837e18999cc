#include "stepping/continuous.h"

#include <algorithm>

#include "model/bounds.h"
#include "narrowphase/shape_queries.h"
#include "rigor/profile.h"

namespace rigor {

namespace {

/// Pairs that are nearer than this part of the envelope at the start have been seen by collision detection already.
constexpr double kTolerance = 0.25;
/// Radius of the ball around the center of mass that never passes anything, in half widths of the body.
constexpr double kCore = 0.25;

Aabb united(const Aabb& a, const Aabb& b) { return {min(a.lower, b.lower), max(a.upper, b.upper)}; }

}  // namespace

double half_width(const Shape& shape) {
  const Aabb box = world_bounds(shape, {});
  const Vec3 size = box.upper - box.lower;
  return 0.5 * std::min({size.x, size.y, size.z});
}

ContinuousCollision::ContinuousCollision(const World& world)
    : position_(world.state().position.begin(), world.state().position.begin() + world.state().end(BodySet::kinematic)),
      orientation_(world.state().orientation.begin(),
                   world.state().orientation.begin() + world.state().end(BodySet::kinematic)) {}

bool ContinuousCollision::is_fast(const World& world, std::uint32_t slot) const {
  if (!world.can_collide(slot)) return false;
  const double way = length(world.state().position[slot] - position_[slot]);
  if (way == 0) return false;
  return world.body_def(world.id_at(slot)).continuous || way > half_width(*world.collision_shape(slot));
}

double ContinuousCollision::first_touch(const World& world, std::uint32_t slot, double h, double tolerance) const {
  const BodyState& s = world.state();
  const auto moving = [&](std::uint32_t i) {
    const bool moves = i < position_.size();
    const Vec3 x = moves ? position_[i] : s.position[i];
    const Quat q = moves ? orientation_[i] : s.orientation[i];
    const Vec3 turn = rotation_vector(s.orientation[i] * conjugate(q));
    return MovingPose{Transform{x, q} * world.shape_frame(i), x, (s.position[i] - x) / h, turn / h};
  };
  const auto swept_box = [&](std::uint32_t i, const MovingPose& pose) {
    const Shape& shape = *world.collision_shape(i);
    return united(world_bounds(shape, pose.start),
                  world_bounds(shape, Transform{s.position[i], s.orientation[i]} * world.shape_frame(i)));
  };
  const MovingPose own = moving(slot);
  const Aabb own_box = swept_box(slot, own);
  const ShapePtr core = sphere(kCore * half_width(*world.collision_shape(slot)) + 1e-12);
  double first = h;
  for (std::uint32_t i = 0; i < s.end(BodySet::still); ++i) {
    if (i == slot || !world.can_collide(i)) continue;
    const MovingPose other = moving(i);
    if (!overlap(own_box, swept_box(i, other)) || !world.may_collide(world.id_at(slot), world.id_at(i))) continue;
    const Shape& obstacle = *world.collision_shape(i);
    Impact impact = time_of_impact(*world.collision_shape(slot), own, obstacle, other, first, tolerance);
    // What touches already is answered by the solver, perhaps at one corner only: the rest of the body follows it, but its
    // core must not get through.
    if (impact.state != ImpactState::separated && impact.time == 0)
      impact =
          time_of_impact(*core, {{own.center, {}}, own.center, own.velocity, {}}, obstacle, other, first, tolerance);
    if (impact.state != ImpactState::separated && impact.time > 0) first = std::min(first, impact.time);
  }
  return first;
}

std::vector<ContinuousCollision::Stop> ContinuousCollision::find_stops(const World& world, double h,
                                                                       double envelope) const {
  std::vector<Stop> stops;
  for (std::uint32_t i = 0; i < world.state().awake() && i < position_.size(); ++i) {
    if (!is_fast(world, i)) continue;
    // Small bodies come nearer: they must not float above the ground by more than a part of their size.
    const double width = half_width(*world.collision_shape(i));
    const double time = first_touch(world, i, h, std::max(std::min(kTolerance * envelope, kCore * width), 1e-6));
    if (time < h) stops.push_back({i, time});
  }
  return stops;
}

double ContinuousCollision::first_stop(const World& world, double h, double envelope) const {
  double first = h;
  for (const Stop& stop : find_stops(world, h, envelope)) first = std::min(first, stop.time);
  return first;
}

void ContinuousCollision::stop_at_obstacles(World& world, double h, double envelope) const {
  const StageScope scope(Stage::continuous);
  BodyState& s = world.state();
  for (const Stop& stop : find_stops(world, h, envelope)) {
    const std::uint32_t i = stop.slot;
    const double part = stop.time / h;
    const Vec3 turn = rotation_vector(s.orientation[i] * conjugate(orientation_[i]));
    s.position[i] = position_[i] + part * (s.position[i] - position_[i]);
    s.orientation[i] = normalized(quaternion_from_rotation_vector(part * turn) * orientation_[i]);
  }
}

}  // namespace rigor
