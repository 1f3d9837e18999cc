// Any bytes are a model (URDF, MJCF) or an Error of one sentence, and then a list of mistakes. A model can be written as a scene, read again and simulated.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "models/load_model.h"
#include "rigor/error.h"
#include "rigor/model.h"

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "model_fuzz: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rigor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Scene scene;
  ModelReport report;
  try {
    scene = parse_model(text, {}, &report);
  } catch (const Error& error) {
    require(std::string_view(error.what()).size() < 2000, "a message is too long");
    const std::vector<std::string> mistakes = models::text_mistakes(text, {});
    require(!mistakes.empty(), "a model is refused without a mistake");
    for (const std::string& mistake : mistakes) require(mistake.size() < 2000, "a mistake is too long");
    return 0;
  }
  require(models::text_mistakes(text, {}).empty(), "a model that is read has mistakes");
  require(report.elements_honoured <= report.elements, "more is honoured than there is");
  if (scene.world.body_count() > 200) return 0;
  // A model has the ranges of scene files: what is read can be written, read again and run.
  const Scene again = parse_scene(write_scene(scene));
  require(again.world.body_count() == scene.world.body_count(), "another number of bodies after writing");
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 2; ++i) simulation.step();
  const BodyState& s = simulation.world().state();
  for (std::uint32_t i = 0; i < s.size(); ++i)
    require(is_finite(s.position[i]) && is_finite(s.velocity[i]), "a body's state is not finite after two steps");
  return 0;
}
