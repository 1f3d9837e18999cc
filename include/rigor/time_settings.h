#pragma once

namespace rigor {

/// How `Simulation::advance` cuts the time it is given into steps (7.5.7).
struct TimeSettings {
  bool fixed = true;
  double step = 1.0 / 60;      // s, size of a fixed time step
  double min_step = 1e-4;      // s, bounds of a variable time step
  double max_step = 1.0 / 30;  // s
  double max_advance = 0.25;   // s, MaxSimulationStep: the most that one call of advance() simulates
  double speed_up = 1;         // simulated seconds per second given to advance()
};

}  // namespace rigor
