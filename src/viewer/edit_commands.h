// Commands that lay hands on the world: pull, add, delete, edit bodies and joints.
#pragma once

#include <span>

#include "viewer/commands.h"

namespace rigor::viewer {

std::span<const Command> edit_commands();

/// The body that {"body": index} means; Error when there is none.
BodyId body_of(const JsonReader& message, const World& world);

}  // namespace rigor::viewer
