#include "stepping/continuous.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include "integrators/energy_momentum.h"
#include "integrators/motion.h"
#include "model/bounds.h"
#include "narrowphase/quick_bounds.h"
#include "narrowphase/shape_queries.h"
#include "rigor/interruption.h"
#include "rigor/profile.h"

namespace rigor {

namespace {

/// Pairs that are nearer than this part of the envelope at the start have been seen by collision detection already.
constexpr double kTolerance = 0.25;
/// Radius of the ball around the center of mass that never passes anything, in half widths of the body.
constexpr double kCore = 0.25;

}  // namespace

std::vector<Vec3> forces_from_outside(World& world, double time) {
  BodyState& s = world.state();
  if (world.forces_are_constant(time)) {
    world.evaluate_forces(time);
    return s.force;
  }
  std::vector<Vec3> force = s.user_force;
  const auto* gravity = world.contains(world.gravity())
                            ? dynamic_cast<const Gravity*>(world.force(world.gravity()).effect.get())
                            : nullptr;
  const std::span<const double> factors = world.gravity_factors();
  if (gravity && world.force(world.gravity()).active)
    for (std::uint32_t i = 0; i < s.awake(); ++i)
      force[i] += ((factors.empty() ? 1 : factors[i]) / s.inverse_mass[i]) * gravity->acceleration;
  for (const World::StepForce& f : world.step_forces()) force[world.slot(f.body)] += f.force;
  return force;
}

void add_work(BodyState& s, std::uint32_t i, double work) {
  const double twice = length_squared(s.velocity[i]) / s.inverse_mass[i];
  if (twice > 0 && work != 0) s.velocity[i] = std::sqrt(std::max(1 + 2 * work / twice, 0.0)) * s.velocity[i];
}

double half_width(const Shape& shape) {
  const Aabb box = world_bounds(shape, {});
  const Vec3 size = box.upper - box.lower;
  return 0.5 * std::min({size.x, size.y, size.z});
}

namespace {

/// m: least distance of a point inside of a hull from its faces.
double distance_to_faces(const Hull& hull, const Vec3& p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < hull.normals.size(); ++i)
    least = std::min(least, hull.offsets[i] - dot(hull.normals[i], p));
  return least;
}

/// m: the same of a point on the axis of a cone.
double distance_to_side(const Cone& cone, double y) {
  const double below_apex = cone.half_height - y;
  return std::min(y + cone.half_height, below_apex * cone.radius / std::hypot(cone.radius, 2 * cone.half_height));
}

/// m, from the center of mass to the nearest point of the surface of a hull or cone; half of the width of other shapes, and at least the
/// core's radius.
double inner_radius(const World& world, std::uint32_t slot) {
  const Shape& shape = *world.collision_shape(slot);
  const double half = half_width(shape);
  const Vec3 center = inverse_transform_point(world.shape_frame(slot), {});
  double inner = half;
  if (const auto* hull = shape.as<Hull>()) inner = distance_to_faces(*hull, center);
  if (const auto* cone = shape.as<Cone>()) inner = distance_to_side(*cone, center.y);
  return std::clamp(inner, kCore * half, half);
}

}  // namespace

void ContinuousCollision::begin(const World& world) {
  const BodyState& s = world.state();
  const std::uint32_t moving = s.end(BodySet::kinematic);
  position_.assign(s.position.begin(), s.position.begin() + moving);
  orientation_.assign(s.orientation.begin(), s.orientation.begin() + moving);
  is_joined_.clear();
  if (known_version_ != world.definitions_version())
    known_.clear(), slowest_fast_ = -1, known_version_ = world.definitions_version();
  if (known_.size() < moving) known_.resize(moving);
}

bool ContinuousCollision::is_joined(const World& world, std::uint32_t slot) const {
  if (!is_joined_.empty()) return is_joined_[slot];
  is_joined_.assign(position_.size(), false);
  for (const JointId id : world.joints()) {
    const JointDef& joint = world.joint(id);
    if (!joint.active || world.joint_state(id).broken) continue;
    for (const BodyId end : {joint.a, joint.b})
      if (const std::uint32_t joined = world.slot(end); joined < is_joined_.size()) is_joined_[joined] = true;
  }
  return is_joined_[slot];
}

const ContinuousCollision::Known& ContinuousCollision::known(const World& world, std::uint32_t slot) const {
  Known& body = known_[slot];
  if (const BodyId id = world.id_at(slot); body.id != id)
    body = {id, world.body_def(id).continuous, half_width(*world.collision_shape(slot)),
            farthest_distance(*world.collision_shape(slot), inverse(world.shape_frame(slot)).translation),
            inner_radius(world, slot)};
  return body;
}

bool ContinuousCollision::is_fast(const World& world, std::uint32_t slot) const {
  if (!world.can_collide(slot)) return false;
  const double way = length(world.state().position[slot] - position_[slot]);
  if (way == 0) return false;
  const Known& body = known(world, slot);
  return body.continuous || way > body.inner;
}

double ContinuousCollision::slowest_fast(const World& world) const {
  if (slowest_fast_ >= 0) return slowest_fast_;
  slowest_fast_ = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < world.state().size(); ++i) {
    if (world.state().inverse_mass[i] == 0 || !world.can_collide(i)) continue;
    const bool continuous = world.body_def(world.id_at(i)).continuous;
    slowest_fast_ = std::min(slowest_fast_, continuous ? 0 : inner_radius(world, i));
  }
  return slowest_fast_;
}

bool ContinuousCollision::has_fast(const World& world, const ThreadPool& threads) const {
  const double least = slowest_fast(world), squared = least * least * (1 - 1e-9);
  const BodyState& s = world.state();
  std::atomic<bool> found = false;
  threads.for_bodies(std::min<std::size_t>(s.awake(), position_.size()), [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i)
      if (!(length_squared(s.position[i] - position_[i]) < squared) && is_fast(world, i))
        return found.store(true, std::memory_order_relaxed);
  });
  return found;
}

double ContinuousCollision::tolerance(const World& world, std::uint32_t slot, double envelope) const {
  // Small bodies come nearer: they must not float above the ground by more than a part of their size.
  return std::max(std::min(kTolerance * envelope, kCore * known(world, slot).half_width), 1e-6);
}

bool ContinuousCollision::may_open_joints(const World& world, std::uint32_t slot) const {
  return is_joined(world, slot) && !world.body_def(world.id_at(slot)).continuous;
}

MovingPose ContinuousCollision::moving(const World& world, std::uint32_t slot, double h) const {
  const BodyState& s = world.state();
  if (slot >= position_.size())
    return {Transform{s.position[slot], s.orientation[slot]} * world.shape_frame(slot), s.position[slot], {}, {}};
  const Vec3 x = position_[slot];
  const Quat q = orientation_[slot];
  const Vec3 turn = rotation_vector(s.orientation[slot] * conjugate(q));
  return {Transform{x, q} * world.shape_frame(slot), x, (s.position[slot] - x) / h, turn / h};
}

/// Around the shape at the start and at the end.
Aabb ContinuousCollision::swept_box(const World& world, std::uint32_t slot) const {
  const BodyState& s = world.state();
  const Shape& shape = *world.collision_shape(slot);
  const Aabb end = body_bounds(shape, Transform{s.position[slot], s.orientation[slot]} * world.shape_frame(slot));
  if (slot >= position_.size()) return end;
  return united(body_bounds(shape, Transform{position_[slot], orientation_[slot]} * world.shape_frame(slot)), end);
}

/// Around that, in few operations: however it has turned, it stays in a ball about its center of mass.
Aabb ContinuousCollision::swept_ball(const World& world, std::uint32_t slot) const {
  if (slot >= position_.size()) return swept_box(world, slot);
  const Vec3 &start = position_[slot], &end = world.state().position[slot];
  // Rounding of the boxes within.
  const double radius = known(world, slot).radius * (1 + 1e-9) + 1e-9 * (length(start) + length(end));
  return grown(united({start, start}, {end, end}), radius);
}

std::vector<Aabb> ContinuousCollision::swept_balls(const World& world) const {
  std::vector<Aabb> boxes;
  boxes.reserve(world.state().end(BodySet::still));
  for (std::uint32_t i = 0; i < world.state().end(BodySet::still); ++i) boxes.push_back(swept_ball(world, i));
  return boxes;
}

Impact followed_impact(const Shape& shape, const MovingPose& path, const Shape& met, const MovingPose& other,
                       double until, double tolerance, bool core_only) {
  if (!core_only) {
    const Impact first = time_of_impact(shape, path, met, other, until, tolerance);
    if (first.state == ImpactState::separated || first.time > 0) return first;
  }
  const ShapePtr core = sphere(kCore * half_width(shape) + 1e-12);
  return time_of_impact(*core, {{path.center, {}}, path.center, path.velocity, {}}, met, other, until, tolerance);
}

ContinuousCollision::Stop ContinuousCollision::first_touch(const World& world, std::uint32_t slot,
                                                           std::span<const std::uint32_t> near, double h,
                                                           double tolerance) const {
  Stop first{slot, h, {}, {}, {}, false};
  std::optional<Aabb> own;  // once there is something near
  for (const std::uint32_t i : near) {
    if (!own) own = swept_box(world, slot);
    if (!overlap(*own, swept_box(world, i))) continue;
    if (world.collision_shape(i)->as<Plane>() && may_open_joints(world, slot)) continue;
    const MovingPose path = moving(world, slot, h), other = moving(world, i, h);
    const Impact met = followed_impact(*world.collision_shape(slot), path, *world.collision_shape(i), other, first.time,
                                       tolerance, may_open_joints(world, slot));
    if (met.state == ImpactState::separated || met.time >= first.time) continue;
    const bool is_fixed = world.state().inverse_mass[i] == 0;
    if (met.time > 0) {
      first = {slot, met.time, {}, {}, {}, false};
      if (is_fixed) push_after(met, path, other, h, first);
    } else if (is_fixed && !is_joined(world, slot) && dot(met.normal, path.velocity - other.velocity) > 0) {
      first = {slot, 0, met.normal, other.velocity, {}, false};
    }
  }
  return first;
}

/// Where the obstacle goes after the impact.
void ContinuousCollision::push_after(const Impact& met, const MovingPose& path, const MovingPose& obstacle, double h,
                                     Stop& stop) {
  const Vec3 center = obstacle.center + met.time * obstacle.velocity;
  const Vec3 w = obstacle.velocity + cross(obstacle.angular_velocity, met.point - center);
  if (w == Vec3{}) return;
  const Vec3 approach = path.velocity - w;
  const Vec3 n = met.normal != Vec3{} || approach == Vec3{} ? met.normal : normalized(approach);
  stop.pushed = ((h - met.time) * dot(n, w)) * n;
  stop.recedes = dot(n, w) > 0;
}

std::vector<ContinuousCollision::Stop> ContinuousCollision::find_stops(const World& world, double h, double envelope,
                                                                       bool all) const {
  std::vector<Stop> stops;
  SweptBoxes swept;  // around balls; once there is a fast body
  std::vector<std::uint32_t> near;
  for (std::uint32_t i = 0; i < world.state().awake() && i < position_.size(); ++i) {
    if (!is_fast(world, i)) continue;
    throw_if_interrupted();
    if (swept.empty()) swept.assign(swept_balls(world));
    const bool meets_all = all || is_joined(world, i);
    const auto may_meet = [&](std::uint32_t k) {
      return (meets_all || world.state().inverse_mass[k] == 0) && world.may_collide(i, k);
    };
    swept.find_overlapping(i, may_meet, near);
    if (const Stop stop = first_touch(world, i, near, h, tolerance(world, i, envelope)); stop.time < h)
      stops.push_back(stop);
  }
  return stops;
}

double ContinuousCollision::first_stop(const World& world, double h, double envelope) const {
  double first = h;
  for (const Stop& stop : find_stops(world, h, envelope, /*all=*/true))
    if (stop.into == Vec3{}) first = std::min(first, stop.time);
  return first;
}

bool ContinuousCollision::stop_at_obstacles(World& world, double h, double envelope, std::optional<double> time) const {
  const StageScope scope(Stage::continuous);
  return set_back(world, find_stops(world, h, envelope, /*all=*/true), h, time);
}

bool ContinuousCollision::stop_others(World& world, double h, double envelope, double time,
                                      const std::function<void()>& before) const {
  const StageScope scope(Stage::continuous);
  const std::vector<Stop> stops = find_stops(world, h, envelope, /*all=*/false);
  if (stops.empty()) return false;
  before();
  return set_back(world, stops, h, time);
}

void ContinuousCollision::hold_core(BodyState& s, const Stop& stop, double h) const {
  const std::uint32_t i = stop.slot;
  s.position[i] -= std::max(dot(stop.into, s.position[i] - position_[i] - h * stop.obstacle_velocity), 0.0) * stop.into;
  s.velocity[i] -= std::max(dot(stop.into, s.velocity[i] - stop.obstacle_velocity), 0.0) * stop.into;
}

/// Sets the angular momentum of a body that was turned back. Between start and end it may lie otherwise in the body than on the true path, and a thin body would turn many times as fast: then it turns back to where free
/// rotation has it at that time, which conserves energy, too.
void ContinuousCollision::set_back_turn(BodyState& s, std::uint32_t i, const Vec3& L, double time) const {
  constexpr double kRounding = 1e-9;
  const double before = dot(s.angular_velocity[i], L);
  set_angular_momentum(s, i, L);
  if (!(dot(s.angular_velocity[i], L) > (1 + kRounding) * before)) return;
  Spin spin{orientation_[i], L};
  drift_briefly(spin, s.inertia[i], s.inverse_inertia[i], time);
  s.orientation[i] = spin.q;
  set_angular_momentum(s, i, L);
}

bool ContinuousCollision::set_back(World& world, std::span<const Stop> stops, double h,
                                   std::optional<double> time) const {
  BodyState& s = world.state();
  std::vector<Vec3> force;
  if (time && !stops.empty()) force = forces_from_outside(world, *time);
  for (const Stop& stop : stops) {
    const std::uint32_t i = stop.slot;
    if (stop.into != Vec3{}) {
      hold_core(s, stop, h);
      continue;
    }
    const Vec3 end = s.position[i], L = angular_momentum(s, i);
    const double part = stop.time / h;
    const Vec3 turn = rotation_vector(s.orientation[i] * conjugate(orientation_[i]));
    // A body with constant velocity moves back along it, which conserves its angular momentum about any point to rounding.
    const Vec3 way = end - position_[i];
    const bool is_free = length_squared(h * s.velocity[i] - way) < 1e-16 * length_squared(way);
    s.position[i] = is_free ? end - (h - stop.time) * s.velocity[i] : position_[i] + part * (end - position_[i]);
    s.orientation[i] = normalized(quaternion_from_rotation_vector(part * turn) * orientation_[i]);
    // Where the mover pushes the body, it does the work of this path. Where it recedes, the body follows it.
    const Vec3 back = s.position[i] - end + (stop.recedes ? stop.pushed : Vec3{});
    s.position[i] += stop.pushed;
    if (!time) continue;
    set_back_turn(s, i, L, stop.time);
    add_work(s, i, dot(force[i], back));
  }
  return !stops.empty();
}

}  // namespace rigor
