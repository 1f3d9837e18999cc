#include "narrowphase/triangle_surface.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

/// Cell of a coordinate, clamped to -1 … count.
int cell_of(double x, double spacing, int samples) {
  const double at = std::floor(x / spacing + 0.5 * (samples - 1));
  return static_cast<int>(std::clamp(at, -1.0, static_cast<double>(samples - 1)));
}

std::uint32_t scrambled(std::uint32_t a, std::uint32_t b) {
  std::uint64_t h = (static_cast<std::uint64_t>(a) << 32 | b) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  return static_cast<std::uint32_t>(h >> 32);
}

}  // namespace

std::array<Vec3, 3> TriangleSurface::corners_of_field(std::uint32_t index) const {
  const auto at = field_corners(*field_, index);
  return {field_sample(*field_, at[0][0], at[0][1]), field_sample(*field_, at[1][0], at[1][1]),
          field_sample(*field_, at[2][0], at[2][1])};
}

SurfaceTriangle TriangleSurface::triangle_of_field(std::uint32_t index) const {
  const std::array<Vec3, 3> c = corners_of_field(index);
  return {c, normalized(cross(c[1] - c[0], c[2] - c[0])), field_index_->flags(index), index};
}

std::uint32_t TriangleSurface::edge_name(std::uint32_t index, int k) const {
  const int next = k == 2 ? 0 : k + 1;
  std::uint32_t p, q;
  if (mesh_) {
    p = mesh_index_->vertex(index, k), q = mesh_index_->vertex(index, next);
  } else {
    const auto at = field_corners(*field_, index);
    const auto number = [&](int i) {
      const auto& c = at[static_cast<std::size_t>(i)];
      return static_cast<std::uint32_t>(c[1] * field_->columns + c[0]);
    };
    p = number(k), q = number(next);
  }
  return scrambled(std::min(p, q), std::max(p, q));
}

int TriangleSurface::around(std::uint32_t index, int k, std::array<std::uint32_t, kMostAround>& found) const {
  int count = 0;
  if (mesh_) {
    for (const std::uint32_t t : mesh_index_->around(mesh_index_->vertex(index, k))) {
      if (count < kMostAround) found[static_cast<std::size_t>(count++)] = t;
    }
    return count;
  }
  const auto vertex = field_corners(*field_, index)[static_cast<std::size_t>(k)];
  const int across = field_->columns - 1;
  // The sample is corner 11, 01, 10 and 00 of the four cells around it.
  for (const int dr : {-1, 0}) {
    for (const int dc : {-1, 0}) {
      const int c = vertex[0] + dc, r = vertex[1] + dr;
      if (c < 0 || r < 0 || c >= across || r >= field_->rows - 1) continue;
      const auto first = 2u * static_cast<std::uint32_t>(r * across + c);
      if (dr == dc || dc == 0) found[static_cast<std::size_t>(count++)] = first;
      if (dr == dc || dr == 0) found[static_cast<std::size_t>(count++)] = first + 1;
    }
  }
  return count;
}

TriangleSurface::CellRange TriangleSurface::cells(const Aabb& box) const {
  const HeightField& f = *field_;
  return {std::max(0, cell_of(box.lower.x, f.spacing_x, f.columns)),
          std::min(f.columns - 2, cell_of(box.upper.x, f.spacing_x, f.columns)),
          std::max(0, cell_of(box.lower.z, f.spacing_z, f.rows)),
          std::min(f.rows - 2, cell_of(box.upper.z, f.spacing_z, f.rows))};
}

int field_triangle_at(const HeightField& f, double x, double z) {
  const int c = cell_of(x, f.spacing_x, f.columns), r = cell_of(z, f.spacing_z, f.rows);
  if (c < 0 || r < 0 || c > f.columns - 2 || r > f.rows - 2) return -1;
  const double u = x / f.spacing_x + 0.5 * (f.columns - 1) - c, v = z / f.spacing_z + 0.5 * (f.rows - 1) - r;
  return 2 * (r * (f.columns - 1) + c) + (u > v ? 1 : 0);
}

}  // namespace rigor
