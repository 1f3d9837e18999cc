// The files of the viewer's page, embedded when the program is built; none if it was built without node.
#pragma once

#include <span>

#include "viewer/server.h"

namespace rigor::viewer {

std::span<const PageFile> page_files();

}  // namespace rigor::viewer
