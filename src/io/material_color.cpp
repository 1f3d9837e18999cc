#include "io/material_color.h"

namespace rigor {

namespace {

int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

}  // namespace

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
