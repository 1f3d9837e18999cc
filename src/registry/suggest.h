#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rigor {

/// "; did you mean leaf?" behind a sentence about a name that does not exist, with five names at most; "" when none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace rigor
