// Names and user data of bodies and joints. They are not part of the definitions, so that changing them does not change the motion.
#include "rigor/world.h"
#include "state/object_names.h"

namespace rigor {

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

}  // namespace rigor
