#include "io/gltf_document.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "io/base64.h"
#include "io/scene_parts.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t k = size; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

void refuse_extensions(const GltfValue& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string name = list.item(i).text();
    if (name != "KHR_mesh_quantization" && name.starts_with("KHR_materials") == false &&
        name != "KHR_texture_transform" && name != "KHR_lights_punctual" && name != "KHR_physics_rigid_bodies" &&
        name != "KHR_implicit_shapes")
      list.fail("the file requires the extension " + short_text(name) + ", which is not read");
  }
}

}  // namespace

// ---- values ---------------------------------------------------------------------------------------

void GltfValue::fail(const std::string& reason) const { throw Error(path_, reason); }

GltfValue GltfValue::at(const char* key) const {
  if (!has(key)) fail(std::string("'") + key + "' is missing");
  return {(*value_)[key], path_.empty() ? key : path_ + "." + key};
}

GltfValue GltfValue::item(std::size_t i) const {
  if (!value_->is_array() || i >= value_->size()) fail("there is no entry " + std::to_string(i));
  return {(*value_)[i], path_ + "[" + std::to_string(i) + "]"};
}

std::size_t GltfValue::index() const {
  if (!value_->is_number_integer() || value_->get<std::int64_t>() < 0) fail("expected a number of at least 0");
  return value_->get<std::size_t>();
}

double GltfValue::number() const {
  if (!value_->is_number()) fail("expected a number");
  return value_->get<double>();
}

bool GltfValue::flag_or(const char* key, bool usual) const {
  if (!has(key)) return usual;
  const Json& value = (*value_)[key];
  if (!value.is_boolean()) at(key).fail("expected true or false");
  return value.get<bool>();
}

std::string GltfValue::text() const {
  if (!value_->is_string()) fail("expected a string");
  return value_->get<std::string>();
}

std::vector<double> GltfValue::numbers(std::size_t count) const {
  if (size() != count) fail("expected " + std::to_string(count) + " numbers");
  std::vector<double> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(item(i).number());
  return list;
}

Vec3 GltfValue::vector_or(const char* key, const Vec3& usual) const {
  if (!has(key)) return usual;
  const std::vector<double> v = at(key).numbers(3);
  return {v[0], v[1], v[2]};
}

Quat GltfValue::rotation_or(const char* key, const Quat& usual) const {
  if (!has(key)) return usual;
  const std::vector<double> v = at(key).numbers(4);
  const Quat q{v[3], v[0], v[1], v[2]};
  const double norm = std::sqrt(dot(q, q));
  if (!(norm > 1e-6) || !std::isfinite(norm)) fail("the rotation is zero");
  return std::abs(norm - 1) < 1e-15 ? q : q * (1 / norm);
}

// ---- the file -------------------------------------------------------------------------------------

GltfDocument::GltfDocument(std::string_view bytes, const FileAccess& files) {
  std::string_view text = bytes;
  if (bytes.starts_with("glTF")) text = split_glb(bytes);
  json_ = parse_json(text);
  if (!root().at("asset").at("version").text().starts_with("2.")) root().at("asset").fail("version 2 of glTF is read");
  if (root().has("extensionsRequired")) refuse_extensions(root().at("extensionsRequired"));
  load_buffers(files);
}

std::vector<std::size_t> GltfDocument::scene_nodes() const {
  std::vector<std::size_t> nodes;
  if (!root().has("scenes") || root().at("scenes").size() == 0) return nodes;
  const GltfValue scene = root().at("scenes").item(root().index_or("scene", 0));
  if (!scene.has("nodes")) return nodes;
  const GltfValue list = scene.at("nodes");
  for (std::size_t i = 0; i < list.size(); ++i) nodes.push_back(list.item(i).index());
  return nodes;
}

std::string_view GltfDocument::split_glb(std::string_view bytes) {
  if (bytes.size() < 20) throw Error("the file is cut off: a GLB file has at least 20 bytes");
  if (little_endian(bytes, 4, 4) != 2) throw Error("version 2 of GLB is read");
  std::string_view json;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::size_t length = little_endian(bytes, at, 4), type = little_endian(bytes, at + 4, 4);
    if (length > bytes.size() - at - 8) throw Error("the file is cut off: a chunk is longer than what is left");
    const std::string_view chunk = bytes.substr(at + 8, length);
    if (type == 0x4E4F534A && json.empty()) json = chunk;
    if (type == 0x004E4942 && binary_.empty()) binary_ = std::string(chunk);
    at += 8 + length;
  }
  if (json.empty()) throw Error("the GLB file has no JSON chunk");
  return json.substr(0, json.find_last_not_of('\0') + 1);
}

void GltfDocument::load_buffers(const FileAccess& files) {
  if (!root().has("buffers")) return;
  const GltfValue list = root().at("buffers");
  std::size_t bytes = 0;  // of files, which may be named more than once
  for (std::size_t i = 0; i < list.size(); ++i) {
    const GltfValue buffer = list.item(i);
    if (!buffer.has("uri")) {
      buffers_.push_back(i == 0 ? binary_ : "");
      continue;
    }
    const std::string uri = buffer.at("uri").text();
    if (uri.starts_with("data:")) {
      const std::size_t comma = uri.find(";base64,");
      if (comma == std::string::npos) buffer.fail("a data address is read as base64 only");
      buffers_.push_back(decode_base64(std::string_view(uri).substr(comma + 8)));
    } else {
      buffers_.push_back(read_file(files.resolve(uri)));
      bytes += buffers_.back().size();
      if (bytes > kMaxFileSize) buffer.fail("the files of the buffers are larger than 512 MB together");
    }
  }
}

Affine GltfDocument::local_frame(const GltfValue& node) {
  Affine a;
  if (node.has("matrix")) {
    const std::vector<double> m = node.at("matrix").numbers(16);  // column by column
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) a.m(i, j) = m[static_cast<std::size_t>(4 * j + i)];
    a.t = {m[12], m[13], m[14]};
    return a;
  }
  if (node.has("rotation")) {
    const std::vector<double> q = node.at("rotation").numbers(4);  // x, y, z, w
    const Quat rotation{q[3], q[0], q[1], q[2]};
    if (!(dot(rotation, rotation) > 1e-12)) node.fail("the rotation is zero");
    a.m = rotation_matrix(normalized(rotation));
  }
  if (node.has("scale")) {
    const std::vector<double> s = node.at("scale").numbers(3);
    a.m = a.m * Mat3::diagonal({s[0], s[1], s[2]});
  }
  if (node.has("translation")) {
    const std::vector<double> t = node.at("translation").numbers(3);
    a.t = {t[0], t[1], t[2]};
  }
  return a;
}

/// Element i of component k of an accessor, as a number; normalised integers are scaled.
struct GltfDocument::View {
  std::string_view bytes;
  std::size_t stride = 0, component = 4;
  int type = 5126;
  bool normalised = false;

  double value(std::size_t i, std::size_t k) const {
    const std::uint32_t raw = little_endian(bytes, i * stride + k * component, component);
    if (type == 5126) {
      float v = 0;
      std::memcpy(&v, &raw, sizeof v);
      return static_cast<double>(v);
    }
    double v = raw, most = component == 1 ? 255 : component == 2 ? 65535 : 4294967295.0;
    if (type == 5120) v = static_cast<std::int8_t>(raw), most = 127;
    if (type == 5122) v = static_cast<std::int16_t>(raw), most = 32767;
    return normalised ? std::max(v / most, -1.0) : v;
  }
};

GltfDocument::View GltfDocument::view_of(std::size_t buffer_view, std::size_t offset, std::size_t count,
                                         std::size_t width, int type, const GltfValue& place) const {
  View v;
  v.type = type;
  switch (type) {
    case 5120:
    case 5121: v.component = 1; break;
    case 5122:
    case 5123: v.component = 2; break;
    case 5125:
    case 5126: v.component = 4; break;
    default: place.fail("unknown type of numbers");
  }
  const GltfValue view = root().at("bufferViews").item(buffer_view);
  const std::size_t buffer = view.at("buffer").index(), length = view.at("byteLength").index(),
                    begin = view.index_or("byteOffset", 0);
  if (buffer >= buffers_.size()) view.fail("there is no such buffer");
  const std::string& bytes = buffers_[buffer];
  if (begin > bytes.size() || length > bytes.size() - begin)
    view.fail("the file is cut off: the view reaches beyond its buffer");
  v.stride = view.index_or("byteStride", v.component * width);
  if (v.stride < v.component * width || v.stride > 252 + v.component * width) view.fail("the stride does not fit");
  const bool fits =
      offset <= length && (count == 0 || (v.component * width <= length - offset &&
                                          (count - 1) <= (length - offset - v.component * width) / v.stride));
  if (!fits) place.fail("the file is cut off: the accessor reaches beyond its view");
  v.bytes = std::string_view(bytes).substr(begin + offset, length - offset);
  return v;
}

std::vector<double> GltfDocument::read_accessor(std::size_t index, std::size_t width, const char* shape) const {
  const GltfValue accessor = root().at("accessors").item(index);
  if (accessor.at("type").text() != shape) accessor.fail(std::string("expected the type ") + shape);
  const std::size_t count = accessor.at("count").index();
  if (count > kMaxMeshCorners) accessor.fail("more entries than can be read");
  const int type = static_cast<int>(std::min<std::size_t>(accessor.at("componentType").index(), 100'000));
  std::vector<double> values(count * width, 0.0);
  if (accessor.has("bufferView")) {
    View v =
        view_of(accessor.at("bufferView").index(), accessor.index_or("byteOffset", 0), count, width, type, accessor);
    v.normalised = accessor.flag_or("normalized", false) && width == 3;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < width; ++k) values[i * width + k] = v.value(i, k);
  }
  if (accessor.has("sparse")) {
    const GltfValue sparse = accessor.at("sparse"), at = sparse.at("indices"), with = sparse.at("values");
    const std::size_t changes = sparse.at("count").index();
    if (changes > count) sparse.fail("more changes than entries");
    const View where = view_of(at.at("bufferView").index(), at.index_or("byteOffset", 0), changes, 1,
                               static_cast<int>(std::min<std::size_t>(at.at("componentType").index(), 100'000)), at);
    const View what =
        view_of(with.at("bufferView").index(), with.index_or("byteOffset", 0), changes, width, type, with);
    for (std::size_t i = 0; i < changes; ++i) {
      const double entry = where.value(i, 0);
      if (!(entry >= 0 && entry < static_cast<double>(count))) sparse.fail("a change is beyond the last entry");
      for (std::size_t k = 0; k < width; ++k) values[static_cast<std::size_t>(entry) * width + k] = what.value(i, k);
    }
  }
  return values;
}

template <class Add> void GltfDocument::for_each_surface(std::size_t mesh, Add add) const {
  const GltfValue list = root().at("meshes").item(mesh).at("primitives");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const GltfValue primitive = list.item(i);
    const std::size_t mode = primitive.index_or("mode", 4);
    if (mode < 4) continue;  // points and lines have no surface
    if (mode > 6) primitive.fail("unknown mode");
    add(primitive, mode);
  }
}

std::size_t GltfDocument::corner_count(std::size_t mesh) const {
  std::size_t sum = 0;
  for_each_surface(mesh, [&](const GltfValue& primitive, std::size_t) {
    std::size_t most = 0;
    const auto count = [&](const GltfValue& accessor) {
      most = std::max(most, root().at("accessors").item(accessor.index()).at("count").index());
    };
    count(primitive.at("attributes").at("POSITION"));
    if (primitive.has("indices")) count(primitive.at("indices"));
    sum += std::min(most, 2 * kMaxMeshCorners);
  });
  return sum;
}

void GltfDocument::add_mesh(std::size_t index, const Affine& frame, MeshData& out) const {
  for_each_surface(index,
                   [&](const GltfValue& primitive, std::size_t mode) { add_primitive(primitive, mode, frame, out); });
}

void GltfDocument::add_mesh(std::size_t index, const Affine& frame, MeshByMaterial& out) const {
  for_each_surface(index, [&](const GltfValue& primitive, std::size_t mode) {
    int material = kNoMaterial;
    if (primitive.has("material")) {
      const std::size_t given = primitive.at("material").index();
      if (!root().has("materials") || given >= root().at("materials").size())
        primitive.fail("there is no such material");
      material = static_cast<int>(given);
    }
    add_primitive(primitive, mode, frame, out[material]);
  });
}

void GltfDocument::add_primitive(const GltfValue& primitive, std::size_t mode, const Affine& frame,
                                 MeshData& out) const {
  const std::vector<double> xyz = read_accessor(primitive.at("attributes").at("POSITION").index(), 3, "VEC3");
  const std::size_t count = xyz.size() / 3, base = out.vertices.size();
  std::vector<double> order;
  if (primitive.has("indices")) {
    order = read_accessor(primitive.at("indices").index(), 1, "SCALAR");
  } else {
    for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<double>(i));
  }
  if (base + count > kMaxMeshCorners || out.triangles.size() + order.size() > kMaxMeshCorners)
    primitive.fail("the mesh has more corners than can be read");
  for (std::size_t i = 0; i < count; ++i)
    out.vertices.push_back(frame.m * Vec3{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]} + frame.t);
  const bool mirrored = determinant(frame.m) < 0;
  const auto corner = [&](std::size_t i) {
    if (!(order[i] >= 0 && order[i] < static_cast<double>(count))) primitive.fail("an index is beyond the last corner");
    return static_cast<int>(base + static_cast<std::size_t>(order[i]));
  };
  const std::size_t stride = mode == 4 ? 3 : 1;
  for (std::size_t i = 0; i + 2 < order.size(); i += stride) {
    std::array<int, 3> t{corner(mode == 6 ? 0 : i), corner(i + 1), corner(i + 2)};
    if ((mode == 5 && i % 2 == 1) != mirrored) std::swap(t[1], t[2]);
    out.triangles.push_back(t);
  }
}

}  // namespace rigor::models
