#pragma once

#include <vector>

#include "registry/entry.h"

namespace rigor {

std::vector<Entry> preset_entries();

}  // namespace rigor
