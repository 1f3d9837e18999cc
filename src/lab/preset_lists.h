// Lists of presets for tables.
#pragma once

#include <string>
#include <vector>

namespace rigor {

/// True if the preset of this name handles contacts.
bool lets_bodies_meet(const std::string& name);
/// The presets that handle contacts.
std::vector<std::string> contact_presets();

}  // namespace rigor
