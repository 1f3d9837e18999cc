#pragma once

#include "rigor/shape.h"

namespace rigor {

/// Fills hull.edges from hull.faces.
void build_edges(Hull& hull);

}  // namespace rigor
