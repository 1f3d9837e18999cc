// Stores decompositions of meshes between runs, as files in a folder.
#pragma once

#include <memory>
#include <string>

#include "model/convex_parts.h"

namespace rigor {

/// A store in a folder, which is created by the first save. A file that is damaged, or cannot be read or written, counts as not stored.
std::shared_ptr<const PartsStore> parts_folder(const std::string& folder);
/// $RIGOR_CACHE, or rigor/ in $XDG_CACHE_HOME or in ~/.cache; empty for RIGOR_CACHE=off and where there is no home.
std::string cache_folder();

}  // namespace rigor
