// Triangle meshes from files: OBJ, STL (binary and text), glTF and GLB, COLLADA.
//
// Equal corners are merged after reading, and triangles without an area are dropped: files repeat corners for
// normals and textures, and a surface is closed only if its triangles share them.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_access.h"
#include "model/mesh_surface.h"
#include "rigor/error.h"
#include "rigor/shape.h"

namespace rigor::models {

struct MeshData {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::size_t dropped = 0;  // triangles without an area
  // Colours, which only COLLADA files have here.
  std::vector<Vec3> colors;        // sRGB, from 0 to 1
  std::vector<int> color_of;       // by triangle: index in `colors`, -1 for none; empty if `colors` is
  std::vector<std::string> notes;  // sentences with file and line about what is not drawn
  bool is_z_up = false;            // the file says so; the vertices are as they stand in the file
};

inline constexpr std::size_t kMaxMeshColors = 200;
inline constexpr std::size_t kMaxMeshCorners = 30'000'000;

/// Recognises the format by the content, or by the extension of `path` where the content is ambiguous. `files` opens the files that a
/// glTF file refers to.
MeshData parse_mesh(std::string_view bytes, const std::string& path, const FileAccess& files);
/// The same error with the file at its beginning, where it does not have it yet.
Error in_file(const std::string& path, const Error& error);
/// The file that `reference` names. Error messages begin with it.
MeshData read_mesh_file(const std::string& reference, const FileAccess& files);
/// True for names that end like a mesh file.
bool is_mesh_file(const std::string& path);

// The formats; corners as they stand in the file.
MeshData parse_obj(std::string_view text);
MeshData parse_stl(std::string_view bytes);
MeshData parse_gltf(std::string_view bytes, const FileAccess& files);
/// Error messages begin with `name` and the line.
MeshData parse_collada(std::string_view text, const std::string& name);

/// Each vertex component times that of `scale`; a reflection reverses the triangles, so that the outside stays outside.
void scale(MeshData& mesh, const Vec3& factors);
/// Merges equal corners and drops triangles without an area.
void tidy(MeshData& mesh);

/// The triangles of each colour by its index, with -1 those without. The mesh has colours.
std::map<int, MeshData> parts_by_color(const MeshData& mesh);

SurfaceState surface_state(const MeshData& mesh);
/// Reverses all triangles.
void turn_round(MeshData& mesh);

/// Error unless the points span a size that shapes may have (kLengthRange) within the positions that a scene can hold.
void check_extent(const std::vector<Vec3>& points);
/// The mesh as a triangle mesh; Error with the reason if it is closed but inside out.
ShapePtr triangle_shape(const MeshData& mesh);
/// Its convex hull.
ShapePtr hull_shape(const MeshData& mesh);

}  // namespace rigor::models
