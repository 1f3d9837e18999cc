// Converts a world to plain data and back.
#include "world/world_image.h"

#include <algorithm>

#include "rigor/world.h"
#include "state/bytes.h"
#include "world/body_mass.h"

namespace rigor {

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
