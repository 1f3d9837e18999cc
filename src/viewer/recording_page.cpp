#include "viewer/recording_page.h"

#include <fmt/format.h>

#include "io/recording_reader.h"
#include "rigor/error.h"
#include "rigor/scene.h"
#include "viewer/replay_page.h"

namespace rigor::viewer {

namespace {

/// Switches everything off that moves bodies: steps then only advance the time.
void switch_off(World& world) {
  for (const ForceId id : world.forces()) world.set_force_active(id, false);
  for (const JointId id : world.joints()) world.set_joint_active(id, false);
  for (const BodyId id : world.bodies()) {
    if (id == world.world_body()) continue;
    world.set_can_collide(id, false);
    world.set_velocity(id, {}, {});
    world.set_user_force(id, {});
  }
}

class Player {
 public:
  explicit Player(const Scene& scene) : simulation_(make_simulation(scene)), page_(scene) {}

  void show(const RecordedStep& step, const std::vector<std::string>& names) {
    if (!poses_only_) simulate_to(step);
    if (poses_only_) place(step, names);
    page_.see(std::span(&simulation_, 1));
  }

  RecordingPage finish() const {
    if (page_.frames() == 0) throw Error("the recording has no steps");
    return {page_.html(), note_};
  }

 private:
  void simulate_to(const RecordedStep& step) {
    constexpr std::uint64_t kLongestGap = 1'000'000;
    if (step.step >= simulation_.steps() && step.step - simulation_.steps() <= kLongestGap)
      while (simulation_.steps() < step.step) simulation_.step();
    if (simulation_.steps() == step.step && simulation_.hash() == step.hash) return;
    poses_only_ = true;
    note_ = fmt::format(
        "from {:.6g} s on the run cannot be simulated again; poses are shown without contacts and forces", step.time);
    simulation_.set_before_step(nullptr);
    switch_off(simulation_.world());
  }

  void place(const RecordedStep& step, const std::vector<std::string>& names) {
    if (step.time > simulation_.time()) simulation_.step(step.time - simulation_.time());
    World& world = simulation_.world();
    for (const RecordedBody& body : step.bodies)
      if (const BodyId id = world.find_body(names.at(body.name))) world.set_pose(id, body.position, body.orientation);
  }

  Simulation simulation_;
  ReplayPage page_;
  bool poses_only_ = false;
  std::string note_;
};

}  // namespace

RecordingPage recording_page(const std::string& path) {
  RecordingReader reader(path);
  try {
    Player player(parse_scene(reader.scene_text()));
    RecordedStep step;
    while (reader.next(step)) player.show(step, reader.names());
    return player.finish();
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(path)) throw;
    throw Error(path, error.what());
  }
}

}  // namespace rigor::viewer
