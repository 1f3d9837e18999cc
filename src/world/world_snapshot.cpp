// A world as bytes and as plain data, for snapshots: what changes from step to step, the definitions, and the hash of its state.
#include <algorithm>
#include <cstddef>

#include "math/hash.h"
#include "rigor/world.h"
#include "state/bytes.h"
#include "world/body_mass.h"
#include "world/world_image.h"

namespace rigor {

namespace {

/// A joint's state is a row of numbers, most of them zero, and a flag.
constexpr std::size_t kJointNumbers = offsetof(JointState, broken) / sizeof(double);
static_assert(std::is_trivially_copyable_v<JointState> && offsetof(JointState, broken) % sizeof(double) == 0 &&
                  sizeof(JointState) == (kJointNumbers + 1) * sizeof(double),
              "JointState is numbers followed by one flag; anything else has to be saved by hand");
using JointNumbers = std::array<std::uint64_t, kJointNumbers>;

/// Which user forces follow; snapshots without forces for one step have 0 or 1.
enum ForceFlags : std::uint8_t { kUserForces = 1, kStepForces = 2 };

/// Writes which numbers are not zero, then those.
void put_sparse(ByteWriter& out, const JointNumbers& numbers) {
  for (std::size_t begin = 0; begin < numbers.size(); begin += 64) {
    const std::size_t end = std::min(numbers.size(), begin + 64);
    std::uint64_t mask = 0;
    for (std::size_t i = begin; i < end; ++i) mask |= std::uint64_t{numbers[i] != 0} << (i - begin);
    out.put(mask);
    for (std::size_t i = begin; i < end; ++i)
      if (numbers[i] != 0) out.put(numbers[i]);
  }
}

JointNumbers get_sparse(ByteReader& in) {
  JointNumbers numbers{};
  for (std::size_t begin = 0; begin < numbers.size(); begin += 64) {
    const auto mask = in.get<std::uint64_t>();
    for (std::size_t i = begin; i < std::min(numbers.size(), begin + 64); ++i)
      if (mask >> (i - begin) & 1) numbers[i] = std::bit_cast<std::uint64_t>(in.number());
  }
  return numbers;
}

}  // namespace

void World::save_motion(ByteWriter& out) const {
  out.put_array(state_.id_index);
  for (const std::uint32_t end : state_.set_end) out.put(end);
  out.put_array(state_.position);
  out.put_array(state_.orientation);
  out.put_array(state_.velocity);
  out.put_array(state_.angular_velocity);
  out.put(static_cast<std::uint8_t>((has_user_forces_ ? kUserForces : 0) | (step_forces_.empty() ? 0 : kStepForces)));
  if (has_user_forces_) {
    out.put_array(state_.user_force);
    out.put_array(state_.user_torque);
  }
  if (!step_forces_.empty()) {
    out.put_count(step_forces_.size());
    for (const StepForce& f : step_forces_) {
      out.put(f.body);
      out.put(f.force);
      out.put(f.torque);
    }
  }
  out.put_count(removed_.size());
  for (const BodyId id : removed_) out.put(id);
  save_joints(out);
}

void World::save_joints(ByteWriter& out) const {
  for (const Joint& joint : joints_) {
    if (!joint.alive) continue;
    JointNumbers numbers;
    std::memcpy(&numbers, &joint.state, sizeof numbers);
    put_sparse(out, numbers);
    out.put(joint.state.broken);
  }
}

void World::restore_motion(ByteReader& in) {
  const std::size_t size = state_.size();
  std::vector<std::uint32_t> id_index;
  in.array(id_index);
  ByteReader::check(id_index.size() == size, "it has another number of bodies");
  arrange_slots(id_index);
  for (std::uint32_t& end : state_.set_end) end = in.get<std::uint32_t>();
  check_sets();

  const auto read = [&](auto& array) {
    in.array(array);
    if (array.size() == size) return;
    array.resize(size);
    ByteReader::check(false, "a list has another length");
  };
  read(state_.position);
  read(state_.orientation);
  read(state_.velocity);
  read(state_.angular_velocity);
  const auto flags = in.get<std::uint8_t>();
  ByteReader::check(flags <= (kUserForces | kStepForces), "forces of an unknown kind");
  has_user_forces_ = flags & kUserForces;
  if (has_user_forces_) {
    read(state_.user_force);
    read(state_.user_torque);
  } else {
    std::fill(state_.user_force.begin(), state_.user_force.end(), Vec3{});
    std::fill(state_.user_torque.begin(), state_.user_torque.end(), Vec3{});
  }
  restore_step_forces(in, flags & kStepForces);
  // Forces are not stored: every step computes them.
  std::fill(state_.force.begin(), state_.force.end(), Vec3{});
  std::fill(state_.torque.begin(), state_.torque.end(), Vec3{});
  removed_.resize(in.count(sizeof(BodyId)));
  for (BodyId& id : removed_) id = in.id<BodyId>();
  restore_joints(in);
}

void World::restore_step_forces(ByteReader& in, bool are_there) {
  step_forces_.clear();
  if (!are_there) return;
  step_forces_.resize(in.count(sizeof(StepForce)));
  for (StepForce& f : step_forces_) {
    f.body = in.id<BodyId>();
    ByteReader::check(contains(f.body), "a force acts on a body that is not there");
    f.force = in.vector();
    f.torque = in.vector();
  }
}

void World::restore_joints(ByteReader& in) {
  for (Joint& joint : joints_) {
    if (!joint.alive) continue;
    const JointNumbers numbers = get_sparse(in);
    const bool broken = in.flag();
    count_joined_pair(joint, -1);
    std::memcpy(static_cast<void*>(&joint.state), &numbers, sizeof numbers);
    joint.state.broken = broken;
    count_joined_pair(joint, 1);
  }
}

void World::arrange_slots(const std::vector<std::uint32_t>& id_index) {
  std::vector<bool> seen(bodies_.size());
  for (const std::uint32_t index : id_index) {
    ByteReader::check(index < bodies_.size() && bodies_[index].alive && !seen[index], "a body stands in no slot");
    seen[index] = true;
  }
  for (std::uint32_t i = 0; i < id_index.size(); ++i) swap_slots(i, bodies_[id_index[i]].slot);
}

void World::check_sets() const {
  ByteReader::check(
      std::is_sorted(state_.set_end.begin(), state_.set_end.end()) && state_.set_end.back() == state_.id_index.size(),
      "its sets of bodies overlap");
  for (std::uint32_t i = 0; i < state_.id_index.size(); ++i) {
    const BodyDef& def = bodies_[state_.id_index[i]].def;
    const bool inactive = i >= state_.end(BodySet::still);
    const bool dynamic =
        i < state_.awake() || (i >= state_.begin(BodySet::sleeping) && i < state_.end(BodySet::sleeping));
    ByteReader::check(def.active != inactive && (inactive || def.fixed != dynamic), "a body is in the wrong set");
  }
}

std::uint64_t World::hash() const {
  Hasher h;
  for (std::uint32_t index = 0; index < bodies_.size(); ++index) {
    const Body& b = bodies_[index];
    if (!b.alive) continue;
    const std::uint32_t i = b.slot;
    int set = 0;
    while (i >= state_.set_end[static_cast<std::size_t>(set)]) ++set;
    h.add(std::uint64_t{index});
    h.add(static_cast<std::uint64_t>(set));
    h.add(state_.position[i]);
    h.add(state_.orientation[i]);
    h.add(state_.velocity[i]);
    h.add(state_.angular_velocity[i]);
  }
  return h.value();
}

namespace {

template <class Objects> auto places(const Objects& objects) {
  std::vector<WorldImage::Place<decltype(objects.front().def)>> result;
  for (const auto& object : objects) {
    auto& place = result.emplace_back();
    place.def = object.def;
    place.generation = object.generation;
    place.alive = object.alive;
    if constexpr (requires { object.serial; }) place.serial = object.serial;
  }
  return result;
}

/// Checks that the free list holds exactly the empty slots, each once.
template <class Places> void check_free(const Places& places, const std::vector<std::uint32_t>& free) {
  std::vector<bool> seen(places.size());
  for (const std::uint32_t i : free) {
    ByteReader::check(i < places.size() && !places[i].alive && !seen[i], "a free id is in use");
    seen[i] = true;
  }
  const auto empty = std::count_if(places.begin(), places.end(), [](const auto& p) { return !p.alive; });
  ByteReader::check(static_cast<std::size_t>(empty) == free.size(), "a free id is lost");
}

template <class Names> void add_name(Names& names, const std::string& name, std::size_t index) {
  ByteReader::check(!name.empty() && names.emplace(name, index).second, "a name is missing or there twice");
}

}  // namespace

WorldImage World::image() const {
  WorldImage image;
  image.bodies = places(bodies_);
  image.forces = places(forces_);
  image.joints = places(joints_);
  image.free_bodies = free_bodies_;
  image.free_forces = free_forces_;
  image.free_joints = free_joints_;
  image.material_rules = material_rules_;
  image.ignored_pairs = ignored_pairs_;
  image.next_serial = next_serial_;
  image.first_generation = first_generation_;
  image.world_body = world_body_;
  image.ground = ground_;
  image.gravity = gravity_;
  image.drag = drag_;
  return image;
}

World World::from_image(WorldImage image) {
  World world{Empty{}};
  world.add_bodies_of(image);
  world.add_forces_of(image);
  world.add_joints_of(image);
  world.material_rules_ = std::move(image.material_rules);
  world.ignored_pairs_ = std::move(image.ignored_pairs);
  world.next_serial_ = image.next_serial;
  world.first_generation_ = image.first_generation;
  world.gravity_ = image.gravity;
  world.drag_ = image.drag;
  return world;
}

void World::add_bodies_of(WorldImage& image) {
  check_free(image.bodies, image.free_bodies);
  for (WorldImage::Place<BodyDef>& place : image.bodies) {
    Body b;
    b.generation = place.generation;
    b.alive = place.alive;
    b.serial = place.serial;
    const auto index = static_cast<std::uint32_t>(bodies_.size());
    if (b.alive) {
      check_def(place.def);
      b.mass = body_mass(place.def);
      b.principal = principal_frame(b.mass);
      b.def = std::move(place.def);
      add_name(body_names_, b.def.name, index);
    }
    ids_.push_back(b.alive ? BodyId{index, b.generation} : BodyId{});
    bodies_.push_back(std::move(b));
    if (!bodies_.back().alive) continue;
    append_slot(bodies_.back(), index);
    enter_in_lists(index);
  }
  free_bodies_ = std::move(image.free_bodies);
  for (const BodyId id : bodies()) {
    const BodyDef& def = body(id).def;
    set_pose(id, Vec3(def.position), Quat(def.orientation));
    set_velocity(id, def.velocity, def.angular_velocity);
    move_to_natural_set(id);
  }
  world_body_ = image.world_body;
  ground_ = image.ground;
  const bool has_world_body = contains(world_body_) && body(world_body_).def.fixed && body(world_body_).def.active;
  ByteReader::check(has_world_body && (!ground_ || contains(ground_)), "the world body or the ground is missing");
}

void World::add_forces_of(WorldImage& image) {
  check_free(image.forces, image.free_forces);
  for (WorldImage::Place<ForceDef>& place : image.forces) {
    if (place.alive) {
      check_force(place.def);
      add_name(force_names_, place.def.name, forces_.size());
    }
    forces_.push_back({std::move(place.def), place.generation, place.alive});
  }
  free_forces_ = std::move(image.free_forces);
}

void World::add_joints_of(WorldImage& image) {
  check_free(image.joints, image.free_joints);
  for (WorldImage::Place<JointDef>& place : image.joints) {
    Joint joint;
    joint.generation = place.generation;
    joint.alive = place.alive;
    joint.serial = place.serial;
    if (joint.alive) {
      joint.def = std::move(place.def);
      const bool has_bodies = contains(joint.def.a) && contains(joint.def.b) && joint.def.a != joint.def.b;
      ByteReader::check(has_bodies, "a joint has no bodies");
      check(joint.def, "joint '" + joint.def.name.substr(0, 60) + "'");
      add_name(joint_names_, joint.def.name, joints_.size());
      count_joined_pair(joint, 1);
    }
    joints_.push_back(std::move(joint));
  }
  free_joints_ = std::move(image.free_joints);
  for_each_joint([&](JointId, const JointDef& def, JointState&) {
    const GearJoint* gear = std::get_if<GearJoint>(&def.kind);
    if (!gear) return;
    for (const auto& [id, axis] :
         {std::pair(gear->first, gear->first_axis), std::pair(gear->second, gear->second_axis)})
      ByteReader::check(contains(id) && std::holds_alternative<AxesJoint>(joint(id).kind) && axis >= 0 && axis < 6,
                        "a gear couples joints that are not there");
  });
}

}  // namespace rigor
