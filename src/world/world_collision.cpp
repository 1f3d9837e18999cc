// Collision filtering. Bodies for which it changes wake, because their support may be gone.
#include <algorithm>

#include "rigor/world.h"
#include "state/callback_scope.h"

namespace rigor {

void World::set_can_collide(BodyId id, bool can_collide) {
  refuse_world_body(id);
  wake(id);
  note_change(id);
  Body& b = body(id);
  b.def.can_collide = can_collide;
  groups_by_slot_[b.slot] = groups_of(b);
  definitions_changed();
}

void World::set_sensor(BodyId id, bool sensor) {
  refuse_world_body(id);
  wake(id);
  note_change(id);
  Body& b = body(id);
  take_out_of_lists(id.index);
  b.def.sensor = sensor;
  enter_in_lists(id.index);
  groups_by_slot_[b.slot] = groups_of(b);
  definitions_changed();
}

void World::set_groups(BodyId id, std::uint32_t group, std::uint32_t mask) {
  refuse_world_body(id);
  wake(id);
  note_change(id);
  Body& b = body(id);
  b.def.group = group;
  b.def.mask = mask;
  groups_by_slot_[b.slot].group = group;
  groups_by_slot_[b.slot].mask = mask;
  definitions_changed();
}

void World::ignore_collisions(BodyId a, BodyId b, bool ignore) {
  CallbackScope::refuse_change(*this);
  wake(a);
  wake(b);
  note_change(a);
  note_change(b);
  const std::pair<BodyId, BodyId> pair = std::minmax(a, b);
  if (ignore)
    ignored_pairs_.insert(pair);
  else
    ignored_pairs_.erase(pair);
  definitions_changed();
}

/// True if joints keep the two bodies from colliding.
bool World::are_joined(std::uint32_t index_a, std::uint32_t index_b) const {
  const auto has = [this](std::uint32_t own, std::uint32_t other) {
    return own < joined_with_.size() && std::any_of(joined_with_[own].begin(), joined_with_[own].end(),
                                                    [other](const JoinedBody& j) { return j.index == other; });
  };
  return has(index_a, index_b) || has(index_b, index_a);
}

bool World::may_collide(BodyId a, BodyId b) const { return may_collide(slot(a), slot(b)); }

bool World::may_collide(std::uint32_t slot_a, std::uint32_t slot_b) const {
  const Groups &ga = groups_by_slot_[slot_a], &gb = groups_by_slot_[slot_b];
  if (!ga.can_collide || !gb.can_collide) return false;
  if (!masks_allow(ga, gb)) return false;
  // Bodies of infinite mass do not collide with each other.
  if (state_.inverse_mass[slot_a] == 0 && state_.inverse_mass[slot_b] == 0) return false;
  return is_let_through(slot_a, slot_b);
}

bool World::may_sense(std::uint32_t sensor_slot, std::uint32_t slot) const {
  const Groups &sensor = groups_by_slot_[sensor_slot], &other = groups_by_slot_[slot];
  return sensor.senses && other.can_collide && masks_allow(sensor, other) && is_let_through(sensor_slot, slot);
}

/// True if joints, ignored pairs and the filter allow it.
bool World::is_let_through(std::uint32_t slot_a, std::uint32_t slot_b) const {
  if (are_joined(state_.id_index[slot_a], state_.id_index[slot_b])) return false;
  if (ignored_pairs_.empty() && !collision_filter_) return true;
  const BodyId a = id_at(slot_a), b = id_at(slot_b);
  if (!ignored_pairs_.empty() && ignored_pairs_.contains(std::minmax(a, b))) return false;
  if (!collision_filter_) return true;
  const CallbackScope callback(*this);
  return collision_filter_(*this, a, b);
}

}  // namespace rigor
