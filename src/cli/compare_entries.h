// The methods and engines that `rigor compare` was asked for.
#pragma once

#include <string>

#include "cli/command.h"
#include "lab/compare.h"

namespace rigor::cli {

/// The number of combinations of colours and dashes.
inline constexpr std::size_t kMostMethods = 18;

/// The names of --methods. Error if one is named twice or if there are too many.
std::vector<std::string> compared_names(const std::string& methods);
/// The entry of "NAME:KEY=VALUE:…" on a scene. An engine that the program was built without has no `engine.make`.
CompareEntry entry_of(const std::string& text, const Scene& scene);
/// The version and the command, quoted for a shell.
std::string made_by(const Arguments& arguments);

/// `rigor compare --profile`.
int compare_profile(const Arguments& arguments);

}  // namespace rigor::cli
