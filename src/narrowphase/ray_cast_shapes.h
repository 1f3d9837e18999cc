// Where a ray first meets any shape, in the shape's own frame. The rules of ray_cast.h hold for all of them: closed meshes are
// solid, and height fields below their surface; open meshes are shells that are hit from both sides.
#pragma once

#include <cstdint>

#include "narrowphase/ray_cast.h"

namespace rigor {

/// `hit` is written only when there is one; `part` then receives the triangle or the part number (model/part_index.h) that is hit,
/// of hits at the same place the lowest.
bool ray_cast_shape(const Shape& shape, const Vec3& from, const Vec3& displacement, RayHit& hit,
                    std::uint32_t* part = nullptr);

}  // namespace rigor
