// Force effects of a world: which bodies they act on, and the sum of them all (3.3, 7.4.2); energy and momentum.
#include <algorithm>
#include <numeric>

#include "constraints/joint_survey.h"
#include "rigor/interruption.h"
#include "rigor/profile.h"
#include "rigor/world.h"
#include "state/callback_scope.h"

namespace rigor {

namespace {

std::string place_of(const ForceDef& def) { return "force '" + def.name.substr(0, 60) + "'"; }

}  // namespace

void World::check_force(const ForceDef& def) const {
  const std::string place = place_of(def);
  if (!def.effect) throw Error(place, "expected an effect");
  if (std::isnan(def.end_time)) throw Error(place + ".end_time", "expected a number");
  for (BodyId id : def.affected.bodies)
    if (!contains(id)) throw Error(place, "there is no body with one of its ids");
  if (def.affected.kind == Affected::Kind::pair && def.affected.bodies.size() != 2)
    throw Error(place, "a pair has two bodies");
  if (def.effect->needs_pair() && def.affected.kind != Affected::Kind::pair)
    throw Error(place, "a " + std::string(def.effect->type()) + " acts between a pair of bodies");
}

ForceId World::add_force(ForceDef def) {
  CallbackScope::refuse_change(*this);
  if (def.name.empty()) {
    std::size_t n = forces_.size();
    while (force_names_.contains(def.name = "force" + std::to_string(n))) ++n;
  }
  if (force_names_.contains(def.name)) throw Error(place_of(def), "there is already a force of that name");
  check_force(def);

  std::uint32_t index = static_cast<std::uint32_t>(forces_.size());
  if (!free_forces_.empty()) {
    index = free_forces_.back();
    free_forces_.pop_back();
  } else {
    forces_.emplace_back();
    forces_.back().generation = first_generation_;
  }
  Force& f = forces_[index];
  f.def = std::move(def);
  f.alive = true;
  force_names_[f.def.name] = index;
  definitions_changed();
  return {index, f.generation};
}

void World::remove_force(ForceId id) {
  Force& f = force_entry(id);
  force_names_.erase(f.def.name);
  f = {ForceDef{}, f.generation + 1, false};
  free_forces_.push_back(id.index);
  definitions_changed();
}

bool World::contains(ForceId id) const {
  return id.index < forces_.size() && forces_[id.index].alive && forces_[id.index].generation == id.generation;
}

const World::Force& World::force_entry(ForceId id) const {
  if (!contains(id)) throw Error("there is no force with this id");
  return forces_[id.index];
}
World::Force& World::force_entry(ForceId id) {
  CallbackScope::refuse_change(*this);
  if (!contains(id)) throw Error("there is no force with this id");
  return forces_[id.index];
}

ForceId World::find_force(std::string_view name) const {
  const auto it = force_names_.find(std::string(name));
  return it == force_names_.end() ? ForceId{} : ForceId{it->second, forces_[it->second].generation};
}

std::vector<ForceId> World::forces() const {
  std::vector<ForceId> ids;
  for (std::uint32_t i = 0; i < forces_.size(); ++i)
    if (forces_[i].alive) ids.push_back({i, forces_[i].generation});
  return ids;
}

const ForceDef& World::force(ForceId id) const { return force_entry(id).def; }

void World::set_force(ForceId id, ForcePtr effect) {
  ForceDef changed = force(id);
  changed.effect = std::move(effect);
  check_force(changed);
  force_entry(id).def = std::move(changed);
  definitions_changed();
}
void World::set_force_active(ForceId id, bool active) {
  force_entry(id).def.active = active;
  definitions_changed();
}

void World::set_gravity(const Vec3& acceleration) {
  if (!is_finite(acceleration)) throw Error("gravity", "expected three finite numbers");
  if (!contains(gravity_)) gravity_ = add_force(Gravity{}, {}, "gravity");
  set_force(gravity_, std::make_shared<const Gravity>(acceleration));
}

void World::forget_body_in_forces(BodyId id) {
  for (std::uint32_t i = 0; i < forces_.size(); ++i) {
    Force& f = forces_[i];
    if (!f.alive || std::erase(f.def.affected.bodies, id) == 0) continue;
    if (f.def.affected.kind == Affected::Kind::pair) remove_force({i, f.generation});
  }
}

std::vector<std::string> World::remove_ended_forces(double time) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < forces_.size(); ++i) {
    const Force& f = forces_[i];
    if (!f.alive || !f.def.remove_automatically || time < f.def.end_time) continue;
    names.push_back(f.def.name);
    remove_force({i, f.generation});
  }
  return names;
}

bool World::acts(const Force& f, double time) const { return f.alive && f.def.active && time < f.def.end_time; }

/// Collects slots of the active bodies that an effect acts on; false if it cannot act because one body of a pair is inactive.
bool World::affected_slots(const Affected& affected, bool sleeping_too, std::vector<std::uint32_t>& slots) const {
  if (affected.kind != Affected::Kind::all_except) {
    slots.clear();
    const std::uint32_t active_end = state_.end(BodySet::still);
    for (BodyId id : affected.bodies)
      if (slot(id) < active_end) slots.push_back(slot(id));
    return affected.kind == Affected::Kind::list || slots.size() == 2;
  }
  const std::uint32_t awake = state_.awake(), first = state_.begin(BodySet::sleeping);
  slots.resize(awake + (sleeping_too ? state_.end(BodySet::sleeping) - first : 0));
  const auto asleep = slots.begin() + static_cast<std::ptrdiff_t>(awake);
  std::iota(slots.begin(), asleep, 0U);
  std::iota(asleep, slots.end(), first);
  for (BodyId id : affected.bodies) std::erase(slots, slot(id));
  return true;
}

void World::evaluate_forces(double time, bool sleeping_too) {
  throw_if_interrupted();  // integrators call it at every evaluation
  const StageScope scope(Stage::forces);
  if (has_user_forces_) {
    state_.force = state_.user_force;
    state_.torque = state_.user_torque;
  } else {
    std::fill(state_.force.begin(), state_.force.end(), Vec3{});
    std::fill(state_.torque.begin(), state_.torque.end(), Vec3{});
  }
  for (const StepForce& f : step_forces_) {
    const std::uint32_t i = slot(f.body);
    state_.force[i] += f.force;
    state_.torque[i] += f.torque;
  }
  const CallbackScope callback(*this);
  for (const Force& f : forces_) {
    if (!acts(f, time) || !affected_slots(f.def.affected, sleeping_too, affected_scratch_)) continue;
    f.def.effect->apply({time, state_, affected_scratch_, shapes_by_slot_, shape_frames_by_slot_, state_.force,
                         state_.torque, gravity_factors()});
  }
  if (!damped_.empty()) add_damping();
}

void World::evaluate_force(ForceId id, double time, std::span<Vec3> force, std::span<Vec3> torque) const {
  const Force& f = force_entry(id);
  std::vector<std::uint32_t> slots;
  if (!acts(f, time) || !affected_slots(f.def.affected, true, slots)) return;
  const CallbackScope callback(*this);
  f.def.effect->apply({time, state_, slots, shapes_by_slot_, shape_frames_by_slot_, force, torque, gravity_factors()});
}

/// F = -c m v, τ = -c L. Rates above 1/h are cut off there: an explicit step would otherwise reverse the velocity, and above 2/h increase it.
void World::add_damping() {
  for (const std::uint32_t index : damped_) {
    const Body& b = bodies_[index];
    const std::uint32_t i = b.slot;
    if (i >= state_.awake()) continue;
    state_.force[i] -= (std::min(b.def.linear_damping, most_damping_) / state_.inverse_mass[i]) * state_.velocity[i];
    state_.torque[i] -= std::min(b.def.angular_damping, most_damping_) * rigor::angular_momentum(state_, i);
  }
}

void World::add_step_force(BodyId id, const Vec3& force, const Vec3& torque) {
  wake(id);
  if (!step_forces_.empty() && step_forces_.back().body == id) {
    step_forces_.back().force += force;
    step_forces_.back().torque += torque;
  } else {
    step_forces_.push_back({id, force, torque});
  }
}

bool World::forces_depend_on_velocity(double time) const {
  return !damped_.empty() || std::any_of(forces_.begin(), forces_.end(), [&](const Force& f) {
    return acts(f, time) && f.def.effect->depends_on_velocity();
  });
}

bool World::forces_are_constant(double time) const {
  return damped_.empty() && std::all_of(forces_.begin(), forces_.end(),
                                        [&](const Force& f) { return !acts(f, time) || f.def.effect->is_constant(); });
}

double World::potential_energy(double time) const {
  double sum = 0;
  std::vector<std::uint32_t> slots;
  const CallbackScope callback(*this);
  for (const Force& f : forces_) {
    if (!acts(f, time) || !affected_slots(f.def.affected, true, slots)) continue;
    sum += f.def.effect->potential_energy(
        {time, state_, slots, shapes_by_slot_, shape_frames_by_slot_, {}, {}, gravity_factors()});
  }
  return sum + joint_potential_energy(*this);
}

namespace {

/// Calls f(slot) for every active dynamic body, awake or asleep.
template <class F> void for_each_dynamic(const BodyState& s, F f) {
  for (std::uint32_t i = 0; i < s.awake(); ++i) f(i);
  for (std::uint32_t i = s.begin(BodySet::sleeping); i < s.end(BodySet::sleeping); ++i) f(i);
}

}  // namespace

double World::kinetic_energy() const {
  double sum = 0;
  for_each_dynamic(state_, [&](std::uint32_t i) {
    sum += 0.5 * length_squared(state_.velocity[i]) / state_.inverse_mass[i] +
           0.5 * dot(state_.angular_velocity[i], rigor::angular_momentum(state_, i));
  });
  return sum;
}

Vec3 World::momentum() const {
  Vec3 sum;
  for_each_dynamic(state_, [&](std::uint32_t i) { sum += state_.velocity[i] / state_.inverse_mass[i]; });
  return sum;
}

Vec3 World::angular_momentum() const {
  Vec3 sum;
  for_each_dynamic(state_, [&](std::uint32_t i) {
    sum += cross(state_.position[i], state_.velocity[i] / state_.inverse_mass[i]) + rigor::angular_momentum(state_, i);
  });
  return sum;
}

}  // namespace rigor
