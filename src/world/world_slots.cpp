// Slots of bodies in the arrays: those of a set are contiguous.
#include "rigor/world.h"
#include "world/body_mass.h"

namespace rigor {

namespace {

/// The set a body belongs to unless it sleeps.
BodySet natural_set(const BodyDef& def, const Vec3& velocity, const Vec3& angular_velocity) {
  if (!def.active) return BodySet::inactive;
  if (!def.fixed) return BodySet::awake;
  return velocity == Vec3{} && angular_velocity == Vec3{} ? BodySet::still : BodySet::kinematic;
}

}  // namespace

void World::move_to_natural_set(BodyId id) {
  const Body& b = body(id);
  move_to_set(id, natural_set(b.def, state_.velocity[b.slot], state_.angular_velocity[b.slot]));
}

void World::move_to_set(BodyId id, BodySet set) {
  const std::uint32_t& slot = body(id).slot;
  const int target = static_cast<int>(set);
  int current = 0;
  while (slot >= state_.set_end[static_cast<std::size_t>(current)]) ++current;
  // Moves a body from set to set across the boundaries: it is swapped with the last (first) one of its set.
  for (; current < target; ++current) {
    std::uint32_t& boundary = state_.set_end[static_cast<std::size_t>(current)];
    swap_slots(slot, boundary - 1);
    --boundary;
  }
  for (; current > target; --current) {
    std::uint32_t& boundary = state_.set_end[static_cast<std::size_t>(current - 1)];
    swap_slots(slot, boundary);
    ++boundary;
  }
}

void World::append_slot(Body& b, std::uint32_t index) {
  b.slot = state_.size();
  for_each_array([](auto& array) { array.emplace_back(); });
  state_.id_index.back() = index;
  state_.set_end[kBodySetCount - 1] = state_.size();
  shapes_by_slot_.back() = b.def.shape;
  collision_shapes_by_slot_.back() = b.def.collision_shape ? b.def.collision_shape : b.def.shape;
  groups_by_slot_.back() = groups_of(b);
  shape_frames_by_slot_.back() = inverse(b.principal);
  write_mass(b);
}

World::Groups World::groups_of(const Body& b) {
  return {b.def.group, b.def.mask, b.def.can_collide && !b.def.sensor, b.def.can_collide && b.def.sensor,
          b.shape_changes};
}

void World::enter_in_lists(std::uint32_t index) {
  const Body& b = bodies_[index];
  if (b.def.linear_damping != 0 || b.def.angular_damping != 0) damped_.push_back(index);
  if (b.def.sensor) sensors_.push_back(index);
  if (b.def.gravity_factor != 1) ++other_gravity_factors_;
  gravity_factors_by_slot_[b.slot] = b.def.gravity_factor;
}

void World::take_out_of_lists(std::uint32_t index) {
  std::erase(damped_, index), std::erase(sensors_, index);
  if (bodies_[index].def.gravity_factor != 1) --other_gravity_factors_;
}

std::span<const double> World::gravity_factors() const {
  if (other_gravity_factors_ == 0) return {};
  return gravity_factors_by_slot_;
}

void World::swap_slots(std::uint32_t i, std::uint32_t j) {
  if (i == j) return;
  for_each_array([i, j](auto& array) { std::swap(array[i], array[j]); });
  bodies_[state_.id_index[i]].slot = i;
  bodies_[state_.id_index[j]].slot = j;
}

void World::drop_last_slot() {
  for_each_array([](auto& array) { array.pop_back(); });
  state_.set_end[kBodySetCount - 1] = state_.size();
}

void World::write_mass(const Body& b) {
  const Vec3 moments = b.def.fixed ? Vec3{} : principal_moments(b.mass);
  state_.inverse_mass[b.slot] = b.def.fixed ? 0 : 1 / b.mass.mass;
  state_.inertia[b.slot] = moments;
  state_.inverse_inertia[b.slot] = b.def.fixed ? Vec3{} : Vec3{1 / moments.x, 1 / moments.y, 1 / moments.z};
}

}  // namespace rigor
