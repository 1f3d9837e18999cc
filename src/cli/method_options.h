// --method and --set, the same for every verb that simulates.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "rigor/method.h"

namespace rigor::cli {

void add_method_options(Command& command, std::string& method, std::vector<std::string>& changes);
/// Replaces the method by the preset `name` unless it is empty, then makes the changes, each key=value. Error if the result cannot work.
void change_method(Method& method, const std::string& name, const std::vector<std::string>& changes);

}  // namespace rigor::cli
