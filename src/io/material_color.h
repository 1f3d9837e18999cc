#pragma once

#include <optional>

#include "rigor/material.h"
#include "rigor/math.h"

namespace rigor {

/// The colour at the end of a material's name, "steel #b0b5ba". Its components are sRGB values from 0 to 1.
std::optional<Vec3> color_in_name(const Material& material);

/// Convert between sRGB, which scenes, URDF and MJCF have, and linear components, which glTF and OpenUSD have (IEC 61966-2-1).
Vec3 linear_from_srgb(const Vec3& color);
Vec3 srgb_from_linear(const Vec3& color);

}  // namespace rigor
