// A glTF 2.0 or GLB file as a tree of values and as meshes. Nothing of the file is trusted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "io/affine.h"
#include "io/json_text.h"
#include "io/mesh_file.h"
#include "rigor/math.h"

namespace rigor::models {

/// A JSON value with the path that led to it.
class GltfValue {
 public:
  GltfValue(const Json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& reason) const;
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  /// Error if the key is missing.
  GltfValue at(const char* key) const;
  GltfValue item(std::size_t i) const;
  std::size_t size() const { return value_->is_array() ? value_->size() : 0; }
  std::size_t index() const;
  std::size_t index_or(const char* key, std::size_t usual) const { return has(key) ? at(key).index() : usual; }
  /// A finite number.
  double number() const;
  double number_or(const char* key, double usual) const { return has(key) ? at(key).number() : usual; }
  bool flag_or(const char* key, bool usual) const;
  std::string text() const;
  std::string text_or(const char* key, const std::string& usual) const { return has(key) ? at(key).text() : usual; }
  std::vector<double> numbers(std::size_t count) const;
  Vec3 vector_or(const char* key, const Vec3& usual) const;
  /// A rotation, x y z w in the file; of unit length.
  Quat rotation_or(const char* key, const Quat& usual) const;

 private:
  const Json* value_;
  std::string path_;
};

class GltfDocument {
 public:
  static constexpr std::size_t kMaxNodeDepth = 200, kMaxNodes = 1'000'000;

  GltfDocument(std::string_view bytes, const FileAccess& files);

  GltfValue root() const { return {json_, ""}; }
  /// The nodes of the scene that is shown first; an empty list if the file has no scenes.
  std::vector<std::size_t> scene_nodes() const;
  static Affine local_frame(const GltfValue& node);
  /// A bound of the corners and of the triangles that add_mesh() adds.
  std::size_t corner_count(std::size_t mesh) const;
  /// Adds the triangles of a mesh.
  void add_mesh(std::size_t index, const Affine& frame, MeshData& out) const;
  /// The index of a primitive without a material.
  static constexpr int kNoMaterial = -1;
  using MeshByMaterial = std::map<int, MeshData>;  // by the index of the material
  /// Adds the triangles of a mesh to those of their materials.
  void add_mesh(std::size_t index, const Affine& frame, MeshByMaterial& out) const;

 private:
  struct View;
  std::string_view split_glb(std::string_view bytes);
  void load_buffers(const FileAccess& files);
  View view_of(std::size_t buffer_view, std::size_t offset, std::size_t count, std::size_t width, int type,
               const GltfValue& place) const;
  std::vector<double> read_accessor(std::size_t index, std::size_t width, const char* shape) const;
  void add_primitive(const GltfValue& primitive, std::size_t mode, const Affine& frame, MeshData& out) const;
  /// Calls `add` with every primitive that has a surface, and its mode.
  template <class Add> void for_each_surface(std::size_t mesh, Add add) const;

  std::string binary_;
  Json json_;
  std::vector<std::string> buffers_;
};

}  // namespace rigor::models
