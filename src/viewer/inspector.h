// All about one body, for the page's inspector.
#pragma once

#include "io/json_text.h"
#include "rigor/simulation.h"

namespace rigor::viewer {

/// State, mass, material, contacts with what they push, and why the body is awake or not.
Json inspect(const Simulation& simulation, BodyId body);

}  // namespace rigor::viewer
