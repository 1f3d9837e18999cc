// Any bytes are a mesh (OBJ, STL, glTF, GLB; the first byte picks) or an Error of one sentence. A mesh can be a shape.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "io/mesh_file.h"
#include "rigor/error.h"
#include "rigor/mass_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rigor;
  using namespace rigor::models;
  if (size == 0) return 0;
  static const char* kNames[] = {"a.obj", "a.stl", "a.gltf", "a.glb"};
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    FileAccess none;
    none.forbidden = true;
    const MeshData mesh = parse_mesh(bytes, kNames[data[0] % 4], none);
    const SurfaceState state = surface_state(mesh);
    if (mesh.triangles.size() > 2000) return 0;
    const ShapePtr shape = triangle_shape(mesh);
    if (shape->has_volume() && !(mass_properties(*shape, 1).mass > 0)) {
      std::fprintf(stderr, "mesh_fuzz: a closed mesh without mass\n");
      std::abort();
    }
    if (state.is_closed() && !state.inside_out) hull_shape(mesh);
  } catch (const Error& error) {
    if (std::string_view(error.what()).size() < 2000) return 0;
    std::fprintf(stderr, "mesh_fuzz: a message is too long\n");
    std::abort();
  }
  return 0;
}
