// Contacts on seams between the parts of a composite: bodies roll and slide over flush faces as over one.
//
// The union of convex parts has at a point p the normal cone that is the intersection of the cones of all parts that hold p. A
// contact (p, n) of one part is one of the composite only if n·(x - p) <= 0 for all x of every other part that holds p, which is
// one support mapping for each. The edge of a box at a seam lies on the box beside it, and tilted normals there fail the
// test; so does everything inside of another part.
#pragma once

#include <vector>

#include "model/part_index.h"

namespace rigor {

/// The leaves that cover a contact. p lies on the surface of leaf `own`, n is unit and points out of it; both in the frame of the
/// composite. `size` (m) is that of the other body: faces count as flush, and points as held, up to a small fraction of the sizes.
void find_covering(const PartIndex& parts, std::uint32_t own, const Vec3& p, const Vec3& n, double size,
                   std::vector<std::uint32_t>& leaves);

}  // namespace rigor
