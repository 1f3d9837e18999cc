// Scenes that break engines, run under any method: the largest errors, and whether they come to rest.
#pragma once

#include <string>
#include <vector>

#include "rigor/method.h"
#include "rigor/world.h"

namespace rigor {

struct RobustnessScenario {
  const char* name;
  const char* description;
  World (*make)();
  double seconds;
  double (*stretch)(const World& world) = nullptr;  // printed instead of penetration, -
};
/// Overlapping spawns, mass ratios of 1000, sizes from 1 mm to 100 m, a joint whose anchors are far apart.
const std::vector<RobustnessScenario>& robustness_scenarios();

struct RobustnessResult {
  double top_speed = 0;    // m/s, the fastest that any body ever was
  double end_speed = 0;    // m/s, at the end
  double penetration = 0;  // m, deepest in the last tenth
  double stretch = 0;      // -, largest ever; of scenarios that have one
  int quarantined = 0;     // bodies that became non-finite
};
inline constexpr double kRobustnessStep = 1.0 / 60;  // s, of the tables
/// The number of steps that take the scenario's time, to half a step. Error for a step that is longer than the scenario.
int steps_of(const RobustnessScenario& scenario, double step);
RobustnessResult run_robustness(const RobustnessScenario& scenario, const Method& method,
                                double step = kRobustnessStep);

}  // namespace rigor
