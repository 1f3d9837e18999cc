// Names of bodies and joints in reports. Names are optional; objects without one are identified by their numbers.
#pragma once

#include <string>
#include <string_view>

#include "rigor/world.h"

namespace rigor {

inline std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 60)) + "'"; }

/// "'box'", or "body 3".
inline std::string report_name(const World& world, BodyId id) {
  return world.name(id).empty() ? "body " + std::to_string(id.index) : quoted(world.name(id));
}

/// "joint 'knee'", or "joint number 5".
inline std::string report_name(const JointDef& joint, JointId id) {
  return "joint " + (joint.name.empty() ? "number " + std::to_string(id.index) : quoted(joint.name));
}

}  // namespace rigor
