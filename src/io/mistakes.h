#pragma once

#include <cstddef>

namespace rigor::models {

inline constexpr std::size_t kMostMistakes = 100;  // that are reported of a model

}  // namespace rigor::models
