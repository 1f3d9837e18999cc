// Objects of a world: ids, names, sets and the default objects of 7.5.7.
#include "rigor/world.h"

#include <algorithm>
#include <atomic>

#include "world/body_mass.h"

namespace rigor {

namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 60)) + "'"; }

void check_finite(const Vec3& v, const std::string& place) {
  if (!is_finite(v)) throw Error(place, "three finite numbers are wanted");
}

Quat unit(const Quat& q, const std::string& place) {
  const double norm = std::sqrt(dot(q, q));
  if (!std::isfinite(norm) || norm < 1e-100) throw Error(place, "four finite numbers, not all zero, are wanted");
  // A quaternion that is already a unit one to rounding keeps its bits, so that a saved state loads as the same state.
  return std::abs(norm - 1) < 1e-15 ? q : q * (1 / norm);
}

BodyDef world_body_def() {
  BodyDef def;
  def.name = "world";
  def.shape = sphere(1);
  def.fixed = true;
  def.can_collide = false;
  return def;
}

BodyDef ground_def() {
  BodyDef def;
  def.name = "ground";
  def.shape = plane();
  def.fixed = true;
  return def;
}

/// The set a body belongs to unless it sleeps.
BodySet natural_set(const BodyDef& def, const Vec3& velocity, const Vec3& angular_velocity) {
  if (!def.active) return BodySet::inactive;
  if (!def.fixed) return BodySet::awake;
  return velocity == Vec3{} && angular_velocity == Vec3{} ? BodySet::still : BodySet::kinematic;
}

}  // namespace

void World::check_def(BodyDef& def) {
  const std::string place = "body " + quoted(def.name);
  check_finite(def.position, place + ".position");
  check_finite(def.velocity, place + ".velocity");
  check_finite(def.angular_velocity, place + ".angular_velocity");
  def.orientation = unit(def.orientation, place + ".orientation");
  check(def.material, place + ".material");
}

World::World(Empty) {
  static std::atomic<std::uint64_t> worlds{0};
  epoch_ = ++worlds;
  definitions_changed();
}

void World::definitions_changed() {
  static std::atomic<std::uint64_t> versions{0};
  definitions_version_ = ++versions;  // never a number that another world has for other definitions
}

void World::reset() {
  std::uint32_t generation = first_generation_;
  for (const Body& b : bodies_) generation = std::max(generation, b.generation + 1);
  for (const Joint& j : joints_) generation = std::max(generation, j.generation + 1);
  for (const Force& f : forces_) generation = std::max(generation, f.generation + 1);
  *this = World(Empty{});
  first_generation_ = generation;
  world_body_ = add_checked_body(world_body_def());
  ground_ = add_checked_body(ground_def());
  gravity_ = add_force(Gravity{}, {}, "gravity");
  drag_ = add_force(Drag{}, {}, "drag");
}

BodyId World::add_body(const BodyDef& def) {
  BodyDef checked = def;
  if (checked.name.empty()) {
    std::uint64_t n = next_serial_;
    while (body_names_.contains(checked.name = "body" + std::to_string(n))) ++n;
  }
  if (body_names_.contains(checked.name))
    throw Error("body " + quoted(checked.name), "there is a body of that name already");
  check_def(checked);
  return add_checked_body(std::move(checked));
}

BodyId World::add_checked_body(BodyDef def) {
  Body b;
  b.mass = body_mass(def);
  b.principal = principal_frame(b.mass);
  b.def = std::move(def);
  b.serial = next_serial_++;
  b.alive = true;

  std::uint32_t index = static_cast<std::uint32_t>(bodies_.size());
  if (!free_bodies_.empty()) {
    index = free_bodies_.back();
    free_bodies_.pop_back();
    b.generation = bodies_[index].generation;
  } else {
    bodies_.emplace_back();
    b.generation = first_generation_;
  }
  bodies_[index] = std::move(b);
  body_names_[bodies_[index].def.name] = index;
  append_slot(bodies_[index], index);

  const BodyId id{index, bodies_[index].generation};
  const BodyDef& d = bodies_[index].def;
  set_pose(id, d.position, d.orientation);
  set_velocity(id, d.velocity, d.angular_velocity);
  move_to_natural_set(id);
  definitions_changed();
  return id;
}

void World::remove_body(BodyId id) {
  Body& b = body(id);
  if (id == world_body_) throw Error("the world body cannot be removed");
  forget_body_in_forces(id);
  remove_joints_of(id);
  std::erase_if(ignored_pairs_, [id](const auto& pair) { return pair.first == id || pair.second == id; });
  move_to_set(id, BodySet::inactive);
  swap_slots(b.slot, state_.size() - 1);
  drop_last_slot();
  body_names_.erase(b.def.name);
  const std::uint32_t generation = b.generation + 1;
  b = Body{};
  b.generation = generation;
  free_bodies_.push_back(id.index);
  removed_.push_back(id);
  if (id == ground_) ground_ = {};
  definitions_changed();
}

bool World::contains(BodyId id) const {
  return id.index < bodies_.size() && bodies_[id.index].alive && bodies_[id.index].generation == id.generation;
}

const World::Body& World::body(BodyId id) const {
  if (!contains(id)) throw Error("there is no body with this id");
  return bodies_[id.index];
}
World::Body& World::body(BodyId id) {
  if (!contains(id)) throw Error("there is no body with this id");
  return bodies_[id.index];
}

BodyId World::find_body(std::string_view name) const {
  const auto it = body_names_.find(std::string(name));
  return it == body_names_.end() ? BodyId{} : BodyId{it->second, bodies_[it->second].generation};
}

std::vector<BodyId> World::bodies() const {
  std::vector<BodyId> ids;
  ids.reserve(state_.size());
  for (std::uint32_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].alive) ids.push_back({i, bodies_[i].generation});
  std::sort(ids.begin(), ids.end(),
            [this](BodyId a, BodyId b) { return bodies_[a.index].serial < bodies_[b.index].serial; });
  return ids;
}

const BodyDef& World::body_def(BodyId id) const { return body(id).def; }
const MassProperties& World::mass_properties(BodyId id) const { return body(id).mass; }
std::uint32_t World::slot(BodyId id) const { return body(id).slot; }
BodyId World::id_at(std::uint32_t slot) const {
  const std::uint32_t index = state_.id_index[slot];
  return {index, bodies_[index].generation};
}

void World::refuse_world_body(BodyId id) const {
  if (id == world_body_) throw Error("the world body stays as it is");
}

void World::set_active(BodyId id, bool active) {
  refuse_world_body(id);
  body(id).def.active = active;
  definitions_changed();
  move_to_natural_set(id);
}

void World::wake(BodyId id) {
  const std::uint32_t slot = body(id).slot;
  if (slot >= state_.begin(BodySet::sleeping) && slot < state_.end(BodySet::sleeping)) move_to_set(id, BodySet::awake);
}

void World::set_fixed(BodyId id, bool fixed) {
  BodyDef changed = body(id).def;
  changed.fixed = fixed;
  replace_def(id, std::move(changed));
}

void World::set_material(BodyId id, const Material& material) {
  BodyDef changed = body(id).def;
  check(material, "body " + quoted(changed.name) + ".material");
  changed.material = material;
  replace_def(id, std::move(changed));
}

void World::replace_def(BodyId id, BodyDef def) {
  refuse_world_body(id);
  Body& b = body(id);
  const Vec3 old_center = state_.position[b.slot];
  b.mass = body_mass(def);  // refuses a dynamic body without mass before anything has changed
  // The center of mass and the principal axes may be others now; the body stays where it is.
  const Vec3 x = position(id);
  const Quat q = orientation(id);
  b.def = std::move(def);
  definitions_changed();
  b.principal = principal_frame(b.mass);
  shape_frames_by_slot_[b.slot] = inverse(b.principal);
  set_pose(id, x, q);
  // The body goes on as it was; its center of mass, which the velocity belongs to, may be another point of it.
  state_.velocity[b.slot] += cross(state_.angular_velocity[b.slot], state_.position[b.slot] - old_center);
  write_mass(b);
  move_to_natural_set(id);
}

// ---- motion -------------------------------------------------------------------------------------------------------

Transform World::state_frame(const Body& b) {
  return {b.def.position + rotate(b.def.orientation, b.principal.translation),
          b.def.orientation * b.principal.rotation};
}

bool World::is_where_it_was_put(const Body& b) const {
  return state_frame(b) == Transform{state_.position[b.slot], state_.orientation[b.slot]};
}

// A body that has not moved since is where the user put it to the last bit, so that a saved scene loads as the same state.
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

// ---- slots --------------------------------------------------------------------------------------------------------

void World::move_to_natural_set(BodyId id) {
  const Body& b = body(id);
  move_to_set(id, natural_set(b.def, state_.velocity[b.slot], state_.angular_velocity[b.slot]));
}

void World::move_to_set(BodyId id, BodySet set) {
  const std::uint32_t& slot = body(id).slot;
  const int target = static_cast<int>(set);
  int current = 0;
  while (slot >= state_.set_end[static_cast<std::size_t>(current)]) ++current;
  // From set to set through the boundaries: the body changes places with the last (first) one of its set.
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
  groups_by_slot_.back() = {b.def.group, b.def.mask, b.def.can_collide};
  shape_frames_by_slot_.back() = inverse(b.principal);
  write_mass(b);
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
