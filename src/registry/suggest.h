#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rigor {

/// "; did you mean leaf?", to be appended to a sentence about an unknown name, with at most five names; empty if none is similar.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace rigor
