#include "models/shapes.h"

#include <algorithm>
#include <cmath>

#include "io/json_text.h"
#include "rigor/error.h"

namespace rigor::models {

Quat y_to_z() {
  static const double half = std::sqrt(0.5);
  return {half, half, 0, 0};
}

ShapePtr along_z(ShapePtr along_y) { return transformed(std::move(along_y), {{}, y_to_z()}); }

bool is_identity(const Quat& q) {
  return std::abs(std::abs(q.w) - 1) < 1e-15 && std::abs(q.x) < 1e-15 && std::abs(q.y) < 1e-15 && std::abs(q.z) < 1e-15;
}

void place_along_z(ShapePtr along_y, ShapePtr& shape, Transform& pose) {
  if (is_identity(pose.rotation * y_to_z())) {
    shape = std::move(along_y);
    pose.rotation = {};
  } else {
    shape = along_z(std::move(along_y));
  }
}

ShapePtr ellipsoid_hull(const Vec3& half) {
  std::vector<Vec3> points;
  constexpr int kRings = 9, kSpokes = 18;
  for (int i = 1; i < kRings; ++i)
    for (int k = 0; k < kSpokes; ++k) {
      double s, c, u, v;
      sin_cos(kPi * i / kRings, s, c);
      sin_cos(2 * kPi * k / kSpokes, u, v);
      points.push_back({half.x * s * v, half.y * s * u, half.z * c});
    }
  points.push_back({0, 0, half.z});
  points.push_back({0, 0, -half.z});
  return convex_hull(points);
}

std::string color_text(const Vec3& rgb) { return colored_name("", rgb.x, rgb.y, rgb.z); }

std::string colored_name(const std::string& name, double r, double g, double b) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = first_characters(name, 120);
  text += text.empty() ? "#" : " #";
  for (const double c : {r, g, b}) {
    const int v = static_cast<int>(std::lround(std::clamp(c, 0.0, 1.0) * 255));
    text += kDigits[v / 16];
    text += kDigits[v % 16];
  }
  return text;
}

ShapePtr inertia_box(const MassProperties& p, Transform& frame) {
  const PrincipalAxes axes = principal_axes(p.inertia);
  const Vec3 m = axes.moments;
  const auto side = [&](double a, double b, double c) {
    const double square = 6 * (a + b - c) / p.mass;
    return std::clamp(std::sqrt(std::max(square, 0.0)), 1e-3, 1e6);
  };
  frame = {p.center_of_mass, axes.axes};
  return box(side(m.y, m.z, m.x), side(m.z, m.x, m.y), side(m.x, m.y, m.z));
}

std::vector<std::pair<ShapePtr, std::string>> colored_surfaces(const MeshData& data, const ShapePtr& whole) {
  std::vector<std::pair<ShapePtr, std::string>> surfaces;
  if (data.colors.empty()) return surfaces;
  const auto name = [&](int color) {
    return color < 0 ? "" : color_text(data.colors[static_cast<std::size_t>(color)]);
  };
  if (std::all_of(data.color_of.begin(), data.color_of.end(), [&](int c) { return c == data.color_of[0]; }))
    return {{whole, name(data.color_of[0])}};
  for (auto& [color, part] : parts_by_color(data)) {
    if (surface_state(part).inside_out) turn_round(part);
    surfaces.emplace_back(triangle_shape(part), name(color));
  }
  return surfaces;
}

namespace {

/// True if the mesh is its hull but for rounding.
bool is_as_large(const Shape& mesh, const Shape& hull) {
  // Chosen: files have numbers of about seven digits, which move a volume by that much.
  constexpr double kRounding = 1e-6;
  const double volume = mass_properties(hull, 1).mass;
  return mesh.has_volume() && std::abs(mass_properties(mesh, 1).mass - volume) <= kRounding * volume;
}

}  // namespace

ShapePtr hull_if_convex(const Shape& mesh) {
  try {
    ShapePtr hull = convex_hull(mesh.as<Mesh>()->vertices);
    return is_as_large(mesh, *hull) ? hull : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

void MeshCache::add_hull(Entry& entry) {
  if (entry.hull || !entry.reason.empty()) return;
  try {
    entry.hull = convex_hull(entry.drawn->as<Mesh>()->vertices);
    entry.is_convex = is_as_large(*entry.drawn, *entry.hull);
  } catch (const Error& error) {
    entry.reason = error.what();
  }
}

MeshCache::Entry MeshCache::make(MeshData data) {
  size_ += data.vertices.size() + data.triangles.size();
  if (size_ > kMaxMeshCorners)
    throw Error("the meshes of the model have more than " + std::to_string(kMaxMeshCorners) +
                " corners and triangles together");
  Entry entry;
  if (surface_state(data).inside_out) turn_round(data);
  entry.drawn = triangle_shape(data);
  entry.colored = colored_surfaces(data, entry.drawn);
  entry.notes = data.notes;
  return entry;
}

const MeshCache::Entry& MeshCache::get(const std::string& reference, const Vec3& factors, const FileAccess& files,
                                       bool needs_hull) {
  const auto key = std::make_tuple(reference, factors.x, factors.y, factors.z);
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (factors.x * factors.y * factors.z == 0) throw Error("the scale of a mesh is not zero");
    MeshData data = read_mesh_file(reference, files);
    scale(data, factors);
    tidy(data);
    if (data.triangles.empty()) throw Error("the scaled mesh has no triangles with an area");
    found = entries_.emplace(key, make(std::move(data))).first;
  }
  if (needs_hull) add_hull(found->second);
  return found->second;
}

}  // namespace rigor::models
