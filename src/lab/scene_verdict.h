// Judges what a method makes of a scene: it runs fine, is refused, reports a problem, or fails without a report
// ("lost").
#pragma once

#include <string>

#include "rigor/method.h"
#include "rigor/scene.h"

namespace rigor {

/// Energies under the default method. A method that gains much more total energy has created energy.
struct SceneMeasure {
  double gain = 0;     // J: largest rise of the total energy above the start, by motors, explosions or open joints
  double kinetic = 0;  // J: largest kinetic energy
  double push = 0;     // J: energy that initial overlaps may add when they separate, as W_push in docs/torture.md
};

enum class SceneOutcome : std::uint8_t {
  fine,
  refused,   // the simulation could not be configured; the sentence gives the reason
  reported,  // the run reported a problem, or an error ended it
  lost,      // the state was not finite or gained unexplained energy, and no step reported a problem
};
const char* to_string(SceneOutcome outcome);

struct SceneVerdict {
  SceneOutcome outcome = SceneOutcome::fine;
  std::string sentence;  // the refusal, the first report, or the failure of a lost run; empty if it is fine
  double reached = 0;    // s, simulated; less than requested if the run was interrupted (Interruption)
  double gain = 0;       // J, more than the default method gains
};

/// Both simulate the scene for `seconds`, with the scene's own step.
SceneMeasure measure_scene(const Scene& scene, double seconds);
SceneVerdict judge_scene(const Scene& scene, const Method& method, const SceneMeasure& measure, double seconds);

}  // namespace rigor
