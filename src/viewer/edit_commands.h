// Commands that change the world: pull, add, delete, edit bodies and joints.
#pragma once

#include <span>

#include "viewer/commands.h"

namespace rigor::viewer {

std::span<const Command> edit_commands();

/// The body of {"body": index}; Error if there is none.
BodyId body_of(const JsonReader& message, const World& world);

}  // namespace rigor::viewer
