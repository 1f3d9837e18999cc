#pragma once

#include <vector>

#include "registry/entry.h"

namespace rigor {

/// Shapes are a closed set known to the pair table, so they are listed rather than made by name.
std::vector<Entry> shape_entries();

}  // namespace rigor
