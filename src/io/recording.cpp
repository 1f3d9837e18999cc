// Recordings, the part that all formats share.
#include "rigor/recording.h"

#include "io/recording_frame.h"
#include "rigor/model.h"

namespace rigor {

std::uint32_t NameTable::index(const std::string& name) {
  const auto [it, is_new] = index_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return it->second;
}

std::vector<BodyId> recorded_bodies(const World& world) {
  std::vector<BodyId> ids = world.bodies();
  std::erase_if(ids,
                [&](BodyId id) { return id == world.world_body() || id == world.ground() || !world.is_active(id); });
  return ids;
}

void capture(const Simulation& simulation, NameTable& names, RecordedStep& out) {
  const World& world = simulation.world();
  out.step = simulation.steps();
  out.time = simulation.time();
  out.hash = simulation.hash();
  out.bodies.clear();
  for (const BodyId id : recorded_bodies(world))
    out.bodies.push_back({names.index(world.name(id)), world.position(id), world.orientation(id), world.velocity(id),
                          world.angular_velocity(id)});
}

std::unique_ptr<Recorder> open_recorder(const std::string& path, std::string_view scene_text) {
  if (path.ends_with(".csv")) return make_csv_recorder(path);
  if (is_animation_file(path)) return open_animation(path, scene_text);
  return make_binary_recorder(path, scene_text);
}

}  // namespace rigor
