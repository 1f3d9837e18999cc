// The smallest width of a shape.
#pragma once

#include "rigor/shape.h"

namespace rigor {

/// m: between parallel faces of boxes and hulls, of the thinnest part of a composite; infinite for a plane.
double thickness(const Shape& shape);

}  // namespace rigor
