// STL, binary (80 bytes, a count, 50 bytes per triangle; little endian) and text (facets of three vertices). The normals are
// not read: the order of the corners determines the outside.
#include <charconv>
#include <cstdint>
#include <cstring>

#include "io/json_text.h"
#include "io/mesh_file.h"
#include "io/scene_limits.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

constexpr std::size_t kHeader = 84, kRecord = 50;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (int k = 3; k >= 0; --k) value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(k)]);
  return value;
}

double float_at(std::string_view bytes, std::size_t at) {
  const std::uint32_t bits = word_at(bytes, at);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

void add_triangle(MeshData& mesh, const std::array<Vec3, 3>& corners) {
  const int n = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
  mesh.triangles.push_back({n, n + 1, n + 2});
}

MeshData parse_binary(std::string_view bytes) {
  const std::size_t count = word_at(bytes, 80);
  if (count > kMaxMeshCorners / 3)
    throw Error("the mesh has " + std::to_string(count) + " triangles, more than can be read");
  if (bytes.size() < kHeader + count * kRecord)
    throw Error("the file is cut off: " + std::to_string(count) + " triangles are announced, " +
                std::to_string((bytes.size() - kHeader) / kRecord) + " are there");
  MeshData mesh;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Vec3, 3> corners;
    for (std::size_t c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k)
        corners[c][k] = float_at(bytes, kHeader + i * kRecord + 12 + 12 * c + 4 * static_cast<std::size_t>(k));
    add_triangle(mesh, corners);
  }
  return mesh;
}

class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  MeshData read() {
    MeshData mesh;
    std::array<Vec3, 3> corners;
    std::size_t count = 0;
    for (std::string_view text = word(); !text.empty(); text = word()) {
      if (text == "vertex") {
        if (count == 3) throw Error("line " + std::to_string(line_), "a facet has three corners, this one has more");
        corners[count] = {number(), 0, 0};
        corners[count].y = number();
        corners[count].z = number();
        ++count;
      } else if (text == "endfacet") {
        if (count != 3)
          throw Error("line " + std::to_string(line_),
                      "a facet has three corners, this one has " + std::to_string(count));
        if (mesh.triangles.size() >= kMaxMeshCorners / 3) throw Error("the mesh has more triangles than can be read");
        add_triangle(mesh, corners);
        count = 0;
      } else if (text == "endsolid") {
        finished_ = true;
      }
    }
    if (!finished_) throw Error("line " + std::to_string(line_), "the file is cut off: 'endsolid' is missing");
    return mesh;
  }

 private:
  std::string_view word() {
    while (!rest_.empty() && std::strchr(" \t\r\n", rest_.front())) {
      if (rest_.front() == '\n') ++line_;
      rest_.remove_prefix(1);
    }
    const std::size_t end = std::min(rest_.find_first_of(" \t\r\n"), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }

  double number() {
    std::string_view text = word();
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      throw Error("line " + std::to_string(line_), "expected a number, got '" + short_text(text) + "'");
    if (!(value >= kPositionRange.min && value <= kPositionRange.max))
      throw Error("line " + std::to_string(line_),
                  "expected a number up to 1e12, beyond which a scene holds nothing, got '" + short_text(text) + "'");
    return value;
  }

  std::string_view rest_;
  std::size_t line_ = 1;
  bool finished_ = false;
};

}  // namespace

MeshData parse_stl(std::string_view bytes) {
  // Binary files may begin with "solid" as well. Their length distinguishes them from text.
  const bool binary_length =
      bytes.size() >= kHeader && bytes.size() == kHeader + std::size_t{word_at(bytes, 80)} * kRecord;
  if (!binary_length && bytes.starts_with("solid")) return TextReader(bytes).read();
  if (bytes.size() < kHeader)
    throw Error("the file is too short for an STL file: " + std::to_string(bytes.size()) + " bytes");
  return parse_binary(bytes);
}

}  // namespace rigor::models
