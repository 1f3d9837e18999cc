// Any bytes are a scene or an Error. A scene can be written, read again and simulated without numbers going astray.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace {

using namespace rigor;

constexpr std::size_t kMostBodies = 200;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "scene_loader_fuzz: %s\n", what);
  std::abort();
}

/// At the edge of the limits a position may be rounded across it when it is written.
bool is_moderate(const World& world) {
  for (const BodyId id : world.bodies())
    if (length(world.position(id)) > 1e11 || length(world.center_of_mass(id)) > 1e11) return false;
  return true;
}

void check_round_trip(const Scene& scene) {
  const std::string text = write_scene(scene);
  const Scene again = parse_scene(text);
  require(again.world.body_count() == scene.world.body_count(), "another number of bodies after writing");
  require(again.world.forces().size() == scene.world.forces().size(), "another number of forces after writing");
  require(again.method == scene.method, "another method after writing");
}

void check_steps(const Scene& scene) {
  Simulation simulation(scene.world, scene.method, scene.time);
  for (int i = 0; i < 3; ++i) simulation.step();
  const BodyState& s = simulation.world().state();
  for (std::uint32_t i = 0; i < s.size(); ++i)
    require(is_finite(s.position[i]) && is_finite(s.orientation[i]) && is_finite(s.velocity[i]) &&
                is_finite(s.angular_velocity[i]),
            "a body's state is not finite after three steps");
}

/// The validator `finite` is what keeps states finite.
bool has_finite_validator(const Method& method) {
  for (const Choice& choice : method.validators)
    if (choice.name == "finite") return true;
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Scene scene;
  try {
    scene = read_scene(text, {.bodies = kMostBodies});
  } catch (const Error& error) {
    require(std::string_view(error.what()).size() < 2000, "a message is too long");
    return 0;
  }
  if (is_moderate(scene.world)) check_round_trip(scene);
  if (has_finite_validator(scene.method)) check_steps(scene);
  return 0;
}
