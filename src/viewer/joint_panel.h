// Describes a joint for the page (limits, drives, strength), and applies the page's changes.
#pragma once

#include "io/json_reader.h"
#include "rigor/world.h"

namespace rigor::viewer {

/// {"index", "name", "type", "description", "a", "b", "active", "broken", "break_force", "break_torque", "anchors", "parameters"}. A strength that
/// is infinite is null. Anchors are points that can be moved, {"end", "point" in world coordinates}, see joint_anchor.h. Parameters are those of the type, with unit, range and present "value".
Json describe_joint_panel(const World& world, JointId id);
/// Changes what the message has: "active", "broken", "break_force", "break_torque" (null: never breaks), "parameters" by name (null: as
/// the type has it, for numbers). Throws an Error and changes nothing if a value is invalid.
void edit_joint(const JsonReader& message, World& world, JointId id);

}  // namespace rigor::viewer
