// Any bytes are a COLLADA mesh or an Error of one sentence. A mesh can be a shape, and its parts have its colours.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "io/mesh_file.h"
#include "models/shapes.h"
#include "rigor/error.h"

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "collada_fuzz: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rigor;
  using namespace rigor::models;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const MeshData mesh = parse_mesh(text, "a.dae", {.forbidden = true});
    for (const auto& triangle : mesh.triangles)
      for (const int corner : triangle)
        require(corner >= 0 && static_cast<std::size_t>(corner) < mesh.vertices.size(), "a corner does not exist");
    for (const Vec3& v : mesh.vertices) require(is_finite(v), "a vertex is not finite");
    require(mesh.color_of.empty() == mesh.colors.empty(), "colours without triangles");
    require(mesh.colors.empty() || mesh.color_of.size() == mesh.triangles.size(),
            "triangles without an entry of colour");
    for (const std::string& note : mesh.notes) require(note.size() < 2000, "a note is too long");
    if (mesh.triangles.size() > 2000) return 0;
    MeshCache cache;
    MeshCache::Entry entry = cache.make(mesh);
    MeshCache::add_hull(entry);
    require(entry.hull || !entry.reason.empty(), "a mesh without a hull or a reason");
    require(entry.drawn != nullptr, "a mesh without a shape");
    require(entry.colored.empty() == mesh.colors.empty(), "colours that no surface has");
  } catch (const Error& error) {
    require(std::string_view(error.what()).size() < 2000, "a message is too long");
  }
  return 0;
}
