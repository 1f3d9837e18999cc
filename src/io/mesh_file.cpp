#include "io/mesh_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "io/json_reader.h"
#include "io/scene_limits.h"
#include "io/scene_parts.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

/// The same bound as mesh(): below it the area is rounding noise.
bool has_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = b - a, v = c - a;
  const double longest = std::max({length_squared(u), length_squared(v), length_squared(v - u)});
  return length(cross(u, v)) > 1e-14 * longest;
}

void check_numbers(const MeshData& mesh) {
  if (mesh.triangles.empty()) throw Error("the file has no triangles");
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      const double x = mesh.vertices[i][k];
      if (x >= kPositionRange.min && x <= kPositionRange.max) continue;
      const std::string corner = "corner " + std::to_string(i + 1) + " of the mesh ";
      if (std::isnan(x)) throw Error(corner + "has a coordinate that is not finite");
      throw Error(corner + "lies at " + number_words(x) + ", beyond what a scene can hold");
    }
}

}  // namespace

bool is_mesh_file(const std::string& path) {
  const std::string extension = lower_extension(path);
  return extension == ".obj" || extension == ".stl" || extension == ".gltf" || extension == ".glb" ||
         extension == ".dae";
}

MeshData parse_mesh(std::string_view bytes, const std::string& path, const FileAccess& files) {
  const std::string extension = lower_extension(path);
  MeshData mesh;
  if (bytes.starts_with("glTF") || extension == ".gltf" || extension == ".glb")
    mesh = parse_gltf(bytes, files);
  else if (extension == ".stl")
    mesh = parse_stl(bytes);
  else if (extension == ".obj")
    mesh = parse_obj(bytes);
  else if (extension == ".dae")
    mesh = parse_collada(bytes, short_path(path));
  else
    throw Error("a mesh is read from .obj, .stl, .dae, .gltf or .glb, not from '" + short_text(extension) + "'");
  check_numbers(mesh);
  tidy(mesh);
  if (mesh.triangles.empty()) throw Error("the file has no triangles with an area");
  return mesh;
}

MeshData read_mesh_file(const std::string& reference, const FileAccess& files) {
  const std::string path = files.resolve(reference);
  try {
    FileAccess inner = files;
    inner.folder = std::filesystem::path(path).parent_path().string();
    if (inner.folder.empty()) inner.folder = ".";
    return parse_mesh(read_file(path), path, inner);
  } catch (const Error& error) {
    throw in_file(path, error);
  }
}

Error in_file(const std::string& path, const Error& error) {
  const std::string name = short_path(path), sentence = error.what();
  return sentence.starts_with(name + ":") ? error : Error(name, sentence);
}

void turn_round(MeshData& mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
}

void scale(MeshData& mesh, const Vec3& factors) {
  for (Vec3& v : mesh.vertices) v = rigor::scale(v, factors);
  if (factors.x * factors.y * factors.z < 0) turn_round(mesh);
}

void tidy(MeshData& mesh) {
  std::vector<int> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) {
    const Vec3& v = mesh.vertices[static_cast<std::size_t>(i)];
    return std::make_tuple(v.x + 0.0, v.y + 0.0, v.z + 0.0);  // + 0 makes -0 equal to 0
  };
  std::sort(order.begin(), order.end(),
            [&](int i, int j) { return std::make_pair(key(i), i) < std::make_pair(key(j), j); });
  std::vector<int> first(mesh.vertices.size());  // by vertex: the first one with the same coordinates
  for (std::size_t n = 0; n < order.size(); ++n) {
    const auto i = static_cast<std::size_t>(order[n]);
    const bool same = n > 0 && key(order[n]) == key(order[n - 1]);
    first[i] = same ? first[static_cast<std::size_t>(order[n - 1])] : order[n];
  }
  std::vector<int> number(mesh.vertices.size(), -1);
  MeshData out;
  out.dropped = mesh.dropped;
  out.colors = std::move(mesh.colors);
  out.notes = std::move(mesh.notes);
  out.is_z_up = mesh.is_z_up;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const std::array<int, 3>& triangle = mesh.triangles[i];
    std::array<int, 3> corner{};
    for (std::size_t k = 0; k < 3; ++k) corner[k] = first[static_cast<std::size_t>(triangle[k])];
    const auto at = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(corner[k])]; };
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0] || !has_area(at(0), at(1), at(2))) {
      ++out.dropped;
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      int& n = number[static_cast<std::size_t>(corner[k])];
      if (n < 0) {
        n = static_cast<int>(out.vertices.size());
        out.vertices.push_back(at(k));
      }
      corner[k] = n;
    }
    out.triangles.push_back(corner);
    if (!mesh.color_of.empty()) out.color_of.push_back(mesh.color_of[i]);
  }
  mesh = std::move(out);
}

std::map<int, MeshData> parts_by_color(const MeshData& mesh) {
  std::map<int, std::vector<std::array<int, 3>>> triangles;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) triangles[mesh.color_of[i]].push_back(mesh.triangles[i]);
  std::map<int, MeshData> parts;
  std::vector<int> number(mesh.vertices.size(), -1);  // by vertex: its index in the current part
  for (auto& [color, own] : triangles) {
    MeshData& part = parts[color];
    std::vector<int> used;
    for (auto& triangle : own)
      for (int& corner : triangle) {
        int& n = number[static_cast<std::size_t>(corner)];
        if (n < 0) {
          n = static_cast<int>(used.size());
          used.push_back(corner);
          part.vertices.push_back(mesh.vertices[static_cast<std::size_t>(corner)]);
        }
        corner = n;
      }
    for (const int corner : used) number[static_cast<std::size_t>(corner)] = -1;
    part.triangles = std::move(own);
  }
  return parts;
}

SurfaceState surface_state(const MeshData& mesh) { return rigor::surface_state(mesh.vertices, mesh.triangles); }

void check_extent(const std::vector<Vec3>& points) {
  if (points.empty()) return;  // refused where shapes are made
  Aabb bounds;
  for (const Vec3& p : points) bounds.include(p);
  const Vec3 size = bounds.upper - bounds.lower;
  const double longest = std::max({size.x, size.y, size.z});
  for (const Vec3& corner : {bounds.lower, bounds.upper})
    for (int k = 0; k < 3; ++k)
      if (!(corner[k] >= kPositionRange.min && corner[k] <= kPositionRange.max))
        throw Error("a corner of the mesh lies at " + number_words(corner[k]) + " m, beyond what a scene can hold");
  if (!(longest >= kLengthRange.min && longest <= kLengthRange.max))
    throw Error("the mesh is " + number_words(longest) + " m long; shapes are from " + number_words(kLengthRange.min) +
                " to " + number_words(kLengthRange.max) + " m");
}

ShapePtr triangle_shape(const MeshData& data) {
  check_extent(data.vertices);
  return mesh(data.vertices, data.triangles);
}

ShapePtr hull_shape(const MeshData& data) {
  check_extent(data.vertices);
  return convex_hull(data.vertices);
}

}  // namespace rigor::models
