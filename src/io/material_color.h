#pragma once

#include <optional>

#include "rigor/material.h"
#include "rigor/math.h"

namespace rigor {

/// The colour at the end of a material's name, "steel #b0b5ba". Components from 0 to 1.
std::optional<Vec3> color_in_name(const Material& material);

}  // namespace rigor
