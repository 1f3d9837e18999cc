// glTF 2.0 and GLB: the triangles of all meshes that the scene's nodes place, in the units of the file (metres).
//
// Read: nodes with their matrices or translation, rotation and scale; accessors of floats and of 8, 16 and 32 bit indices, sparse
// ones included; triangle lists, strips and fans; buffers in the GLB chunk, in data: addresses and in files of the folder.
// Not read, since they do not change the surface at rest: materials, skins, animations. Refused: compressed meshes.
#include "io/gltf_document.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

class MeshCollector {
 public:
  explicit MeshCollector(const GltfDocument& document) : document_(document) {}

  MeshData run() {
    const GltfValue root = document_.root();
    for (const std::size_t node : document_.scene_nodes()) add_node(node, {}, 0);
    const bool has_scenes = root.has("scenes") && root.at("scenes").size() > 0;
    if (!has_scenes && root.has("meshes"))
      for (std::size_t i = 0; i < root.at("meshes").size(); ++i) document_.add_mesh(i, {}, mesh_);
    return std::move(mesh_);
  }

 private:
  void add_node(std::size_t index, const Affine& parent, std::size_t depth) {
    const GltfValue node = document_.root().at("nodes").item(index);
    if (depth > GltfDocument::kMaxNodeDepth)
      node.fail("more than " + std::to_string(GltfDocument::kMaxNodeDepth) + " nodes are nested, or they form a cycle");
    if (++visited_ > GltfDocument::kMaxNodes) node.fail("more than a million nodes");
    const Affine frame = parent * GltfDocument::local_frame(node);
    if (node.has("mesh")) document_.add_mesh(node.at("mesh").index(), frame, mesh_);
    if (!node.has("children")) return;
    const GltfValue list = node.at("children");
    for (std::size_t i = 0; i < list.size(); ++i) add_node(list.item(i).index(), frame, depth + 1);
  }

  const GltfDocument& document_;
  MeshData mesh_;
  std::size_t visited_ = 0;
};

}  // namespace

MeshData parse_gltf(std::string_view bytes, const FileAccess& files) {
  const GltfDocument document(bytes, files);
  return MeshCollector(document).run();
}

}  // namespace rigor::models
