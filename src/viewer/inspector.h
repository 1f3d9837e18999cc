// Describes one body for the page's inspector.
#pragma once

#include "io/json_text.h"
#include "rigor/simulation.h"

namespace rigor::viewer {

/// State, mass, material, contacts with their forces, and why the body is awake or asleep.
Json inspect(const Simulation& simulation, BodyId body);

}  // namespace rigor::viewer
