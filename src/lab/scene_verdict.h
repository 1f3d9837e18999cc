// What a preset does with a scene: fine, refused, reported, or lost without a word.
#pragma once

#include <string>

#include "rigor/method.h"
#include "rigor/scene.h"

namespace rigor {

/// What the default method does with the scene: the measure for energy from nowhere.
struct SceneMeasure {
  double gain =
      0;  // J, most of the total energy above that of the start: of motors, explosions, joints that begin open
  double kinetic = 0;  // J, most
};

enum class SceneOutcome : std::uint8_t {
  fine,
  refused,   // when configured, in a sentence
  reported,  // in the run, in a sentence; an error that ends it is one
  lost,      // not finite or with energy from nowhere, and nothing said so
};
const char* to_string(SceneOutcome outcome);

struct SceneVerdict {
  SceneOutcome outcome = SceneOutcome::fine;
  std::string sentence;  // of a refusal or report: the first one; of what is lost: what was seen
  double reached = 0;    // s, simulated; less than asked for where an Interruption of this thread was due before
  double gain = 0;       // J, beyond what the default method gains
};

/// Steps of the scene's own size for so many seconds.
SceneMeasure measure_scene(const Scene& scene, double seconds);
SceneVerdict judge_scene(const Scene& scene, const Method& method, const SceneMeasure& measure, double seconds);

}  // namespace rigor
