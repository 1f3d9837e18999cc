#include "io/material_color.h"

#include <cmath>

namespace rigor {

namespace {

int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

template <class Convert> Vec3 each(const Vec3& color, Convert convert) {
  return {convert(color.x), convert(color.y), convert(color.z)};
}

}  // namespace

Vec3 linear_from_srgb(const Vec3& color) {
  return each(color, [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); });
}

Vec3 srgb_from_linear(const Vec3& color) {
  return each(color, [](double c) { return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055; });
}

std::optional<Vec3> color_in_name(const Material& material) {
  const std::string& name = material.name;
  if (name.size() < 7 || name[name.size() - 7] != '#') return std::nullopt;
  Vec3 color;
  for (int k = 0; k < 3; ++k) {
    const std::size_t at = name.size() - 6 + static_cast<std::size_t>(2 * k);
    const int high = digit(name[at]), low = digit(name[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    color[k] = (16 * high + low) / 255.0;
  }
  return color;
}

}  // namespace rigor
