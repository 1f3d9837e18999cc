// Contacts that slide, for their sound: who rubs against whom, how fast, and with how much power.
#pragma once

#include <vector>

#include "rigor/simulation.h"

namespace rigor::viewer {

struct Slide {
  BodyId a, b;
  double speed;  // m/s, of the surfaces against each other
  double power;  // W, that friction turns into heat
};

/// The `most` contacts with the greatest power in the last step, greatest first; none below a milliwatt.
std::vector<Slide> loudest_slides(const Simulation& simulation, std::size_t most);

}  // namespace rigor::viewer
