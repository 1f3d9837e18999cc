// Describes a joint for the page (limits, drives, strength), and applies the page's changes.
#pragma once

#include "io/json_reader.h"
#include "rigor/world.h"

namespace rigor::viewer {

/// {"coordinates", "force", "torque", "error"}: what the joint does now. Coordinates are those of the axes that move, {"axis", "position", "velocity"}, m or rad;
/// force and torque are the sizes of the reaction of the last step, N and N m; the error is the distance of the anchors, m.
Json joint_figures(const World& world, JointId id);

/// {"index", "name", "type", "description", "a", "b", "active", "broken", "break_force", "break_torque", "anchors", "axis", "parameters"} and the members of joint_figures(). A
/// strength that is infinite is null, and so is the axis of a joint that has none or several. Anchors are points that can be moved, {"end", "point" in world coordinates}, see joint_anchor.h. Parameters are those of the type, with unit, range and present "value".
Json describe_joint_panel(const World& world, JointId id);
/// Changes what the message has: "active", "broken", "break_force", "break_torque" (null: never breaks), "parameters" by name (null: as
/// the type has it, for numbers). Throws an Error and changes nothing if a value is invalid.
void edit_joint(const JsonReader& message, World& world, JointId id);

}  // namespace rigor::viewer
