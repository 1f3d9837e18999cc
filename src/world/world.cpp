// Bodies of a world: ids, names and labels (those of joints, too), definitions, their slots in the arrays, the default objects of 7.5.7, and
// collision filtering: joints, groups, ignored pairs and the filter decide which bodies meet.
#include "rigor/world.h"

#include <algorithm>
#include <atomic>

#include "state/callback_scope.h"
#include "state/object_names.h"
#include "world/body_checks.h"
#include "world/body_mass.h"

namespace rigor {

namespace {

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

}  // namespace

void World::check_def(BodyDef& def) {
  const std::string place = "body " + quoted(def.name);
  check_finite(def.position, place + ".position");
  check_finite(def.velocity, place + ".velocity");
  check_finite(def.angular_velocity, place + ".angular_velocity");
  def.orientation = unit(def.orientation, place + ".orientation");
  check(def.material, place + ".material");
  check_damping(def.linear_damping, place + ".linear_damping");
  check_damping(def.angular_damping, place + ".angular_damping");
  check_finite(def.gravity_factor, place + ".gravity_factor");
}

World::World(Empty) {
  static std::atomic<std::uint64_t> worlds{0};
  epoch_ = ++worlds;
  definitions_changed();
  labels_changed();
}

void World::definitions_changed() {
  static std::atomic<std::uint64_t> versions{0};
  definitions_version_ = ++versions;  // a number that no other world has for other definitions
}

void World::labels_changed() {
  static std::atomic<std::uint64_t> versions{0};
  labels_version_ = ++versions;
}

void World::reset() {
  CallbackScope::refuse_change(*this);
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
  CallbackScope::refuse_change(*this);
  BodyDef checked = def;
  if (checked.name.empty()) {
    std::uint64_t n = next_serial_;
    while (body_names_.contains(checked.name = "body" + std::to_string(n))) ++n;
  }
  if (body_names_.contains(checked.name))
    throw Error("body " + quoted(checked.name), "there is already a body of that name");
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
    ids_.emplace_back();
    b.generation = first_generation_;
  }
  const BodyId id = ids_[index] = {index, b.generation};
  bodies_[index] = std::move(b);
  body_names_[bodies_[index].def.name] = index;
  append_slot(bodies_[index], index);
  enter_in_lists(index);

  const BodyDef& d = bodies_[index].def;
  set_pose(id, d.position, d.orientation);
  set_velocity(id, d.velocity, d.angular_velocity);
  move_to_natural_set(id);
  definitions_changed();
  labels_changed();
  return id;
}

void World::remove_body(BodyId id) {
  Body& b = body(id);
  if (id == world_body_) throw Error("the world body cannot be removed");
  forget_body_in_forces(id);
  remove_joints_of(id);
  std::erase_if(ignored_pairs_, [id](const auto& pair) { return pair.first == id || pair.second == id; });
  take_out_of_lists(id.index);
  std::erase_if(step_forces_, [id](const StepForce& f) { return f.body == id; });
  move_to_set(id, BodySet::inactive);
  swap_slots(b.slot, state_.size() - 1);
  drop_last_slot();
  body_names_.erase(b.def.name);
  const std::uint32_t generation = b.generation + 1;
  b = Body{};
  b.generation = generation;
  ids_[id.index] = {};
  free_bodies_.push_back(id.index);
  removed_.push_back(id);
  if (id == ground_) ground_ = {};
  definitions_changed();
}

const World::Body& World::body(BodyId id) const {
  if (!contains(id)) throw Error("there is no body with this id");
  return bodies_[id.index];
}
World::Body& World::body(BodyId id) {
  CallbackScope::refuse_change(*this);
  if (!contains(id)) throw Error("there is no body with this id");
  return bodies_[id.index];
}

BodyId World::find_body(std::string_view name) const {
  const auto it = body_names_.find(std::string(name));
  return it == body_names_.end() ? BodyId{} : ids_[it->second];
}

std::vector<BodyId> World::bodies() const {
  std::vector<BodyId> ids;
  ids.reserve(state_.size());
  for (const BodyId id : ids_)
    if (id) ids.push_back(id);
  std::sort(ids.begin(), ids.end(),
            [this](BodyId a, BodyId b) { return bodies_[a.index].serial < bodies_[b.index].serial; });
  return ids;
}

const BodyDef& World::body_def(BodyId id) const { return body(id).def; }
const MassProperties& World::mass_properties(BodyId id) const { return body(id).mass; }
std::uint32_t World::slot(BodyId id) const { return body(id).slot; }

bool World::contains(JointId id) const {
  return id.index < joints_.size() && joints_[id.index].alive && joints_[id.index].generation == id.generation;
}

const World::Joint& World::joint_entry(JointId id) const {
  if (!contains(id)) throw Error("there is no joint with this id");
  return joints_[id.index];
}
World::Joint& World::joint_entry(JointId id) {
  CallbackScope::refuse_change(*this);
  if (!contains(id)) throw Error("there is no joint with this id");
  return joints_[id.index];
}

JointId World::find_joint(std::string_view name) const {
  const auto it = joint_names_.find(std::string(name));
  return it == joint_names_.end() ? JointId{} : JointId{it->second, joints_[it->second].generation};
}

std::vector<JointId> World::joints() const {
  std::vector<JointId> ids;
  for (std::uint32_t i = 0; i < joints_.size(); ++i)
    if (joints_[i].alive) ids.push_back({i, joints_[i].generation});
  std::sort(ids.begin(), ids.end(),
            [this](JointId a, JointId b) { return joints_[a.index].serial < joints_[b.index].serial; });
  return ids;
}

const JointDef& World::joint(JointId id) const { return joint_entry(id).def; }
const JointState& World::joint_state(JointId id) const { return joint_entry(id).state; }

void World::refuse_world_body(BodyId id) const {
  if (id == world_body_) throw Error("the world body cannot be changed");
}

void World::set_active(BodyId id, bool active) {
  refuse_world_body(id);
  body(id).def.active = active;
  definitions_changed();
  move_to_natural_set(id);
}

bool World::is_asleep(BodyId id) const {
  const std::uint32_t slot = body(id).slot;
  return slot >= state_.begin(BodySet::sleeping) && slot < state_.end(BodySet::sleeping);
}

void World::wake(BodyId id) {
  if (is_asleep(id)) move_to_set(id, BodySet::awake);
}

void World::set_material_rules(MaterialRules rules) {
  CallbackScope::refuse_change(*this);
  material_rules_ = std::move(rules);
  note_change({});
  definitions_changed();
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

void World::set_mass(BodyId id, std::optional<double> mass, std::optional<Mat3> inertia,
                     std::optional<Vec3> center_of_mass) {
  BodyDef changed = body(id).def;
  changed.mass = mass;
  changed.inertia = inertia;
  changed.center_of_mass = center_of_mass;
  replace_def(id, std::move(changed));
}

void World::set_shape(BodyId id, ShapePtr shape, ShapePtr collision_shape) {
  BodyDef changed = body(id).def;
  changed.shape = std::move(shape);
  changed.collision_shape = std::move(collision_shape);
  replace_def(id, std::move(changed));
  Body& b = body(id);
  groups_by_slot_[b.slot].shape_changes = ++b.shape_changes;
}

void World::set_damping(BodyId id, double linear, double angular) {
  refuse_world_body(id);
  BodyDef& def = body(id).def;
  check_damping(linear, "body " + quoted(def.name) + ".linear_damping");
  check_damping(angular, "body " + quoted(def.name) + ".angular_damping");
  take_out_of_lists(id.index);
  def.linear_damping = linear;
  def.angular_damping = angular;
  enter_in_lists(id.index);
  wake(id);
  definitions_changed();
}

void World::set_gravity_factor(BodyId id, double factor) {
  refuse_world_body(id);
  BodyDef& def = body(id).def;
  check_finite(factor, "body " + quoted(def.name) + ".gravity_factor");
  take_out_of_lists(id.index);
  def.gravity_factor = factor;
  enter_in_lists(id.index);
  wake(id);
  definitions_changed();
}

void World::replace_def(BodyId id, BodyDef def) {
  refuse_world_body(id);
  Body& b = body(id);
  const Vec3 old_center = state_.position[b.slot];
  MassProperties mass = body_mass(def);  // refuses a dynamic body without mass before anything has changed
  note_change(id);
  b.mass = std::move(mass);
  // The center of mass and the principal axes may change; the body frame keeps its pose.
  const Vec3 x = position(id);
  const Quat q = orientation(id);
  take_out_of_lists(id.index);
  b.def = std::move(def);
  enter_in_lists(id.index);
  definitions_changed();
  b.principal = principal_frame(b.mass);
  shape_frames_by_slot_[b.slot] = inverse(b.principal);
  shapes_by_slot_[b.slot] = b.def.shape;
  collision_shapes_by_slot_[b.slot] = b.def.collision_shape ? b.def.collision_shape : b.def.shape;
  groups_by_slot_[b.slot] = groups_of(b);
  set_pose(id, x, q);
  // The motion continues. The velocity belongs to the center of mass, which may be another point of the body now.
  state_.velocity[b.slot] += cross(state_.angular_velocity[b.slot], state_.position[b.slot] - old_center);
  write_mass(b);
  move_to_natural_set(id);
}

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

namespace {

/// Renames an object in a table of names. Error if another object has the new name.
template <class Names> void rename(Names& names, std::string& name, std::string new_name, const std::string& kind) {
  const std::string place = kind + " " + quoted(name);
  if (new_name.empty()) throw Error(place, "expected a name that is not empty");
  if (new_name == name) return;
  if (names.contains(new_name)) throw Error(place, "there is a " + kind + " named " + quoted(new_name) + " already");
  const auto node = names.find(name);
  const auto index = node->second;
  names.erase(node);
  names.emplace(new_name, index);
  name = std::move(new_name);
}

}  // namespace

void World::set_name(BodyId id, std::string name) {
  refuse_world_body(id);
  rename(body_names_, body(id).def.name, std::move(name), "body");
  labels_changed();
}

void World::set_user_data(BodyId id, std::uint64_t data) {
  body(id).def.user_data = data;
  labels_changed();
}

void World::set_name(JointId id, std::string name) {
  rename(joint_names_, joint_entry(id).def.name, std::move(name), "joint");
  labels_changed();
}

void World::set_user_data(JointId id, std::uint64_t data) {
  joint_entry(id).def.user_data = data;
  labels_changed();
}

void World::copy_labels(const World& other) {
  if (labels_version_ == other.labels_version_) return;
  if (bodies_.size() != other.bodies_.size() || joints_.size() != other.joints_.size())
    throw Error("labels", "the worlds have different bodies or joints");
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    bodies_[i].def.name = other.bodies_[i].def.name;
    bodies_[i].def.user_data = other.bodies_[i].def.user_data;
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    joints_[i].def.name = other.joints_[i].def.name;
    joints_[i].def.user_data = other.joints_[i].def.user_data;
  }
  body_names_ = other.body_names_;
  joint_names_ = other.joint_names_;
  labels_version_ = other.labels_version_;
}

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
