// Poses and velocities of bodies, as a user reads and sets them; the arrays hold those of the center of mass and the principal axes.
#include "rigor/world.h"
#include "world/body_checks.h"

namespace rigor {

Transform World::state_frame(const Body& b) {
  return {b.def.position + rotate(b.def.orientation, b.principal.translation),
          b.def.orientation * b.principal.rotation};
}

bool World::is_where_it_was_put(const Body& b) const {
  return state_frame(b) == Transform{state_.position[b.slot], state_.orientation[b.slot]};
}

// A body that has not moved since has exactly the pose that the user set, so that a saved scene loads as the same state.
Quat World::orientation(BodyId id) const {
  const Body& b = body(id);
  return is_where_it_was_put(b) ? b.def.orientation : state_.orientation[b.slot] * conjugate(b.principal.rotation);
}
Vec3 World::position(BodyId id) const {
  const Body& b = body(id);
  if (is_where_it_was_put(b)) return b.def.position;
  return state_.position[b.slot] - rotate(orientation(id), b.principal.translation);
}
Vec3 World::center_of_mass(BodyId id) const { return state_.position[slot(id)]; }
Vec3 World::velocity(BodyId id) const { return state_.velocity[slot(id)]; }
Vec3 World::angular_velocity(BodyId id) const { return state_.angular_velocity[slot(id)]; }

Vec3 World::momentum(BodyId id) const {
  const double inverse_mass = state_.inverse_mass[slot(id)];
  return inverse_mass == 0 ? Vec3{} : velocity(id) / inverse_mass;
}
Vec3 World::angular_momentum(BodyId id) const { return rigor::angular_momentum(state_, slot(id)); }

void World::set_pose(BodyId id, const Vec3& position, const Quat& orientation) {
  refuse_world_body(id);
  Body& b = body(id);
  check_finite(position, "body " + quoted(b.def.name) + ".position");
  b.def.orientation = unit(orientation, "body " + quoted(b.def.name) + ".orientation");
  b.def.position = position;
  definitions_changed();
  const Transform frame = state_frame(b);
  state_.position[b.slot] = frame.translation;
  state_.orientation[b.slot] = frame.rotation;
  wake(id);
}

void World::set_velocity(BodyId id, const Vec3& velocity, const Vec3& angular_velocity) {
  refuse_world_body(id);
  const Body& b = body(id);
  check_finite(velocity, "body " + quoted(b.def.name) + ".velocity");
  check_finite(angular_velocity, "body " + quoted(b.def.name) + ".angular_velocity");
  state_.velocity[b.slot] = velocity;
  state_.angular_velocity[b.slot] = angular_velocity;
  if (b.def.fixed) move_to_natural_set(id);
  wake(id);
}

Vec3 World::to_world(BodyId id, const Vec3& point_in_body) const {
  return position(id) + rotate(orientation(id), point_in_body);
}
Vec3 World::to_body(BodyId id, const Vec3& point_in_world) const {
  return rotate_inverse(orientation(id), point_in_world - position(id));
}

void World::set_user_force(BodyId id, const Vec3& force, const Vec3& torque) {
  const Body& b = body(id);
  check_finite(force, "body " + quoted(b.def.name) + ".user_force");
  check_finite(torque, "body " + quoted(b.def.name) + ".user_torque");
  state_.user_force[b.slot] = force;
  state_.user_torque[b.slot] = torque;
  has_user_forces_ = has_user_forces_ || force != Vec3{} || torque != Vec3{};
  wake(id);
}

void World::apply_force(BodyId id, const Vec3& force) {
  check_finite(force, "body " + quoted(body(id).def.name) + ".force");
  add_step_force(id, force, {});
}

void World::apply_force(BodyId id, const Vec3& force, const Vec3& point_in_world) {
  const Body& b = body(id);
  check_finite(force, "body " + quoted(b.def.name) + ".force");
  check_finite(point_in_world, "body " + quoted(b.def.name) + ".point");
  add_step_force(id, force, cross(point_in_world - state_.position[b.slot], force));
}

void World::apply_torque(BodyId id, const Vec3& torque) {
  check_finite(torque, "body " + quoted(body(id).def.name) + ".torque");
  add_step_force(id, {}, torque);
}

void World::apply_impulse(BodyId id, const Vec3& impulse) { apply_impulse(id, impulse, center_of_mass(id)); }

void World::apply_angular_impulse(BodyId id, const Vec3& impulse) {
  const Body& b = body(id);
  check_finite(impulse, "body " + quoted(b.def.name) + ".impulse");
  const std::uint32_t i = b.slot;
  const Vec3 change = angular_velocity_of(state_.orientation[i], state_.inverse_inertia[i], impulse);
  set_velocity(id, state_.velocity[i], state_.angular_velocity[i] + change);
}

/// The motion of a fixed body within a step is a straight line of its center of mass and a turn about one axis.
void World::set_kinematic_target(BodyId id, const Vec3& position, const Quat& orientation, double dt) {
  const Body& b = body(id);
  const std::string place = "body " + quoted(b.def.name);
  if (!b.def.fixed) throw Error(place, "only a fixed body has a target");
  if (!(std::isfinite(dt) && dt > 0)) throw Error(place + ".dt", "expected a positive number of seconds");
  check_finite(position, place + ".position");
  const Quat q = unit(orientation, place + ".orientation");
  const Vec3 target = position + rotate(q, b.principal.translation);
  const Quat turn = q * b.principal.rotation * conjugate(state_.orientation[b.slot]);
  set_velocity(id, (target - state_.position[b.slot]) / dt, rotation_vector(turn) / dt);
}

void World::apply_impulse(BodyId id, const Vec3& impulse, const Vec3& point_in_world) {
  const Body& b = body(id);
  check_finite(impulse, "body " + quoted(b.def.name) + ".impulse");
  check_finite(point_in_world, "body " + quoted(b.def.name) + ".point");
  const std::uint32_t i = b.slot;
  const Vec3 turn = cross(point_in_world - state_.position[i], impulse);
  const Vec3 v = state_.velocity[i] + impulse * state_.inverse_mass[i];
  const Vec3 w =
      state_.angular_velocity[i] + angular_velocity_of(state_.orientation[i], state_.inverse_inertia[i], turn);
  set_velocity(id, v, w);
}

}  // namespace rigor
