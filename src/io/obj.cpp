// Wavefront OBJ: `v` and `f` lines, which is the surface. Groups, normals, textures and materials do not change it.
//
// A face is a polygon v/vt/vn …, counted from 1, or from the end when negative; it is cut into a fan.
#include <charconv>
#include <cstdint>

#include "io/json_text.h"
#include "io/mesh_file.h"
#include "io/scene_limits.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

class ObjReader {
 public:
  MeshData read(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      rest_ = text.substr(begin, end - begin);
      begin = end + 1;
      read_line();
    }
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { throw Error("line " + std::to_string(line_), reason); }

  std::string_view word() {
    const std::size_t begin = std::min(rest_.find_first_not_of(" \t\r"), rest_.size());
    const std::size_t end = std::min(rest_.find_first_of(" \t\r", begin), rest_.size());
    const std::string_view found = rest_.substr(begin, end - begin);
    rest_ = rest_.substr(end);
    return found;
  }

  double number() {
    std::string_view text = word();
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      fail("expected a number, got '" + short_text(text) + "'");
    if (!(value >= kPositionRange.min && value <= kPositionRange.max))
      fail("expected a number up to 1e12, beyond which a scene holds nothing, got '" + short_text(text) + "'");
    return value;
  }

  int corner(std::string_view text) const {
    std::int64_t index = 0;
    const std::string_view digits = text.substr(0, text.find('/'));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
      fail("expected the number of a corner, got '" + short_text(text) + "'");
    const auto count = static_cast<std::int64_t>(mesh_.vertices.size());
    if (index < 0) index += count + 1;
    if (index < 1 || index > count)
      fail("there is no corner " + short_text(digits) + "; " + std::to_string(count) + " have been given so far");
    return static_cast<int>(index - 1);
  }

  void read_line() {
    const std::string_view key = word();
    if (key == "v") {
      const double x = number(), y = number(), z = number();
      if (mesh_.vertices.size() >= kMaxMeshCorners) fail("the mesh has more corners than can be read");
      mesh_.vertices.push_back({x, y, z});
    } else if (key == "f") {
      read_face();
    }
  }

  void read_face() {
    int first = -1, last = -1, corners = 0;
    for (std::string_view text = word(); !text.empty() && !text.starts_with('#'); text = word()) {
      const int next = corner(text);
      if (++corners == 1) first = next;
      if (corners > 2) mesh_.triangles.push_back({first, last, next});
      last = next;
    }
    if (corners < 3) fail("a face has at least three corners, this one has " + std::to_string(corners));
    if (mesh_.triangles.size() > kMaxMeshCorners) fail("the mesh has more triangles than can be read");
  }

  MeshData mesh_;
  std::string_view rest_;
  std::size_t line_ = 0;
};

}  // namespace

MeshData parse_obj(std::string_view text) { return ObjReader().read(text); }

}  // namespace rigor::models
