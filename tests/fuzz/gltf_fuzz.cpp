// Any bytes are a scene of rigid bodies in glTF or an Error of one sentence. A scene can be written, read again and simulated.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "models/gltf_physics.h"
#include "rigor/error.h"
#include "rigor/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rigor;
  using namespace rigor::models;
  Scene scene;
  try {
    FileAccess none;
    none.forbidden = true;
    const GltfDocument document({reinterpret_cast<const char*>(data), size}, none);
    if (!has_gltf_physics(document)) return 0;
    ModelReport report;
    scene = read_gltf_physics(document, "a.gltf", report);
    if (scene.world.body_count() > 100) return 0;
    parse_scene(write_scene(scene));
  } catch (const Error& error) {
    if (std::string_view(error.what()).size() < 2000) return 0;
    std::fprintf(stderr, "gltf_fuzz: a message is too long\n");
    std::abort();
  }
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 2; ++i) simulation.step();
  const BodyState& s = simulation.world().state();
  for (std::uint32_t i = 0; i < s.size(); ++i)
    if (!is_finite(s.position[i]) || !is_finite(s.velocity[i])) {
      std::fprintf(stderr, "gltf_fuzz: a body's state is not finite after two steps\n");
      std::abort();
    }
  return 0;
}
