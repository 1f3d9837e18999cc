// Small scenes that exercise everything a state consists of: contacts, joints, sleep, forces that end.
#pragma once

#include <string>
#include <vector>

#include "rigor/rigor.h"

namespace rigor::test {

/// "stack", "joints", "sleepers", "mixed".
const std::vector<std::string>& golden_scene_names();
World golden_world(const std::string& name);
/// A preset; those without collision detection get it, so that there is something to compare.
Method golden_method(const std::string& preset);

}  // namespace rigor::test
