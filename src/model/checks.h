// The checks that the shapes share. Every message names the place, what is expected there and what was given.
#pragma once

#include <string>

#include "rigor/math.h"

namespace rigor {

/// The shortest text that reads back as the same number: -1, 0.1, nan, inf.
std::string number_text(double value);

/// The value itself; throws Error "place: expected …, got value" unless it is finite and positive.
double require_positive(double value, const std::string& place, const std::string& expected);

/// Throws Error unless the translation is finite and the rotation a unit quaternion to 1e-3, which is then normalised.
/// One whose length is 1 to rounding is unchanged, so that writing and reading preserve every bit.
Transform checked(const Transform& transform, const std::string& place);

}  // namespace rigor
