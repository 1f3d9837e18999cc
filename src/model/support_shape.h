// Shapes of extensions, given by a support function (rigor/extend/shape.h).
#pragma once

#include "rigor/shape.h"

namespace rigor {

/// Calls support(d) of the extension. ExtensionFailure if it throws or is not finite.
Vec3 support_of(const SupportShape& shape, const Vec3& d);
/// A point inside the shape.
Vec3 interior_of(const SupportShape& shape);
/// Exact bounds in the shape's own frame turned by R.
Aabb support_bounds(const SupportShape& shape, const Mat3& r);

}  // namespace rigor
