// COLLADA: the triangles of all geometries that the visual scene places, in metres.
//
// Read: <unit>, nodes with <matrix>, <translate>, <rotate>, <scale> and <lookat>, instances of geometries, of nodes and of skins at rest, the diffuse
// colours of materials. Lengths are multiplied by the unit, but the axes are those of the file, whatever its <up_axis> says: so do the programs of ROS
// (RViz and MoveIt undo the rotation that Assimp derives from it), and robots are made for them.
// Named in notes: textures. Not read, since they do not change the surface at rest: normals, animations, lights, cameras.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "io/affine.h"
#include "io/collada_document.h"
#include "io/collada_materials.h"
#include "io/json_text.h"
#include "io/mesh_file.h"
#include "io/scene_limits.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

constexpr std::size_t kMaxNodeDepth = 200;
/// Instances can make a small file large: elements of the scene that are visited, and corners and triangles that are there already.
constexpr std::size_t kMaxVisits = 500'000, kMaxRepeated = 5'000'000;

Affine look_at(const Element& e) {
  const std::vector<double> v = numbers_within(e, 9);
  const Vec3 eye{v[0], v[1], v[2]}, target{v[3], v[4], v[5]}, up{v[6], v[7], v[8]};
  const Vec3 back = eye - target, right = cross(up, back);
  if (!(length(right) > 0))
    e.fail("expected an eye, another point that it looks at, and a direction across that is up");
  const Vec3 z = normalized(back), x = normalized(right);
  return {transpose(Mat3{{x, cross(z, x), z}}), eye};
}

Affine rotation(const Element& e) {
  const std::vector<double> v = numbers_within(e, 4);
  const Vec3 axis{v[0], v[1], v[2]};
  if (!(length(axis) > 0)) {
    if (v[3] == 0) return {};  // exporters write a turn by 0 about no axis
    e.fail("the axis is zero");
  }
  return {rotation_matrix(quaternion_from_axis_angle(normalized(axis), v[3] * kPi / 180)), {}};
}

Affine matrix(const Element& e) {
  const std::vector<double> v = numbers_within(e, 16);
  if (v[12] != 0 || v[13] != 0 || v[14] != 0 || v[15] != 1) e.fail("expected 0 0 0 1 in the last row");
  return {Mat3{{{v[0], v[1], v[2]}, {v[4], v[5], v[6]}, {v[8], v[9], v[10]}}}, {v[3], v[7], v[11]}};
}

/// The product of a node's transformations, in their order.
Affine local_frame(const Element& node) {
  Affine frame;
  for (const Element& e : node.children()) {
    const std::string name = e.name();
    if (name == "matrix") {
      frame = frame * matrix(e);
    } else if (name == "translate") {
      const std::vector<double> v = numbers_within(e, 3);
      frame = frame * Affine{Mat3::identity(), {v[0], v[1], v[2]}};
    } else if (name == "rotate") {
      frame = frame * rotation(e);
    } else if (name == "scale") {
      const std::vector<double> v = numbers_within(e, 3);
      frame = frame * Affine{Mat3::diagonal({v[0], v[1], v[2]}), {}};
    } else if (name == "lookat") {
      frame = frame * look_at(e);
    } else if (name == "skew") {
      e.fail("skews are not read; write the transformation as a <matrix>");
    }
  }
  return frame;
}

class SceneCollector {
 public:
  explicit SceneCollector(ColladaDocument& document) : document_(document), materials_(document) {}

  MeshData run() {
    const Affine in_metres{unit() * Mat3::identity(), {}};
    mesh_.is_z_up = has_z_up();
    if (const Element scene = visual_scene()) {
      for (const Element& node : scene.children("node")) add_node(node, in_metres, 0);
    } else {
      for (const Element& e : document_.in_libraries("library_geometries", "geometry"))
        add_geometry(Element(), e, in_metres);
    }
    if (mesh_.colors.empty()) mesh_.color_of.clear();
    mesh_.notes.insert(mesh_.notes.end(), materials_.notes().begin(), materials_.notes().end());
    return std::move(mesh_);
  }

 private:
  Element asset(const char* name) const {
    const Element holder = document_.root().child("asset");
    return holder ? holder.child(name) : Element();
  }

  double unit() const {
    const Element e = asset("unit");
    if (!e) return 1;
    const double meter = e.number("meter", 1);
    e.check_range("meter", meter, kLengthRange, "a length in m");
    return meter;
  }

  bool has_z_up() const {
    const Element e = asset("up_axis");
    return e && text_within(e).find("Z_UP") != std::string::npos;
  }

  Element visual_scene() const {
    if (const Element scene = document_.root().child("scene"))
      if (const Element instance = scene.child("instance_visual_scene"))
        return document_.follow(instance, "url", "visual_scene");
    const std::vector<Element> all = document_.in_libraries("library_visual_scenes", "visual_scene");
    return all.empty() ? Element() : all.front();
  }

  void add_node(const Element& node, const Affine& parent, std::size_t depth) {
    if (depth > kMaxNodeDepth)
      node.fail("more than " + std::to_string(kMaxNodeDepth) + " nodes are nested, or they form a cycle");
    const auto [local, is_new] = frames_.try_emplace(node.node().hash_value());
    if (is_new) local->second = local_frame(node);
    const Affine frame = parent * local->second;
    visit(node);
    // A list of the children would be held at every depth: a cycle of a node with millions of them would fill the memory.
    for (const pugi::xml_node child : node.node().children()) {
      if (child.type() != pugi::node_element) continue;
      const Element e(child, node.file());
      visit(e);
      const std::string name = e.name();
      if (name == "node")
        add_node(e, frame, depth + 1);
      else if (name == "instance_node")
        add_node(document_.follow(e, "url", "node"), frame, depth + 1);
      else if (name == "instance_geometry")
        add_geometry(e, document_.follow(e, "url", "geometry"), frame);
      else if (name == "instance_controller")
        add_controller(e, frame);
    }
  }

  /// True for a node that is placed by the unit of length only.
  bool is_unmoved(const Affine& frame) const { return frame.t == Vec3{} && frame.m == unit() * Mat3::identity(); }

  void visit(const Element& e) {
    if (++visited_ > kMaxVisits)
      e.fail("the scene has more than " + std::to_string(kMaxVisits) + " elements with its instances");
  }

  /// A skin at rest is its geometry, placed by its <bind_shape_matrix>.
  void add_controller(const Element& instance, const Affine& frame) {
    const Element controller = document_.follow(instance, "url", "controller");
    const Element skin = controller.child("skin");
    if (skin && instance.child("skeleton") && !is_unmoved(frame) && !has_moved_skin_) {
      has_moved_skin_ = true;
      mesh_.notes.push_back("line " + std::to_string(instance.line()) +
                            ": a skin is placed by its node, which is moved; its skeleton, which may place it "
                            "elsewhere, is not read");
    }
    const Element source = skin ? skin : controller.child("morph");
    if (!source) controller.fail("expected a <skin> or a <morph>");
    const Element bind = source.child("bind_shape_matrix");
    if (!bind) return add_geometry(instance, document_.follow(source, "source", "geometry"), frame);
    const auto [placed, is_new] = frames_.try_emplace(bind.node().hash_value());
    if (is_new) placed->second = matrix(bind);
    add_geometry(instance, document_.follow(source, "source", "geometry"), frame * placed->second);
  }

  void add_geometry(const Element& instance, const Element& geometry, const Affine& frame) {
    const ColladaSurface& surface = document_.surface(geometry);
    if (surface.triangles.empty()) return;
    const std::size_t base = mesh_.vertices.size(), size = surface.vertices.size() + surface.triangles.size();
    if (!placed_.insert(geometry.node().hash_value()).second && (repeated_ += size) > kMaxRepeated)
      instance.fail("instances repeat more than " + std::to_string(kMaxRepeated) + " corners and triangles");
    if (base + surface.vertices.size() > kMaxMeshCorners ||
        mesh_.triangles.size() + surface.triangles.size() > kMaxMeshCorners)
      (instance ? instance : geometry).fail("the mesh has more corners than can be read");
    for (const Vec3& v : surface.vertices) {
      const Vec3 placed = frame.m * v + frame.t;
      for (int k = 0; k < 3; ++k)
        if (!(placed[k] >= kPositionRange.min && placed[k] <= kPositionRange.max))
          (instance ? instance : geometry).fail("it places a corner beyond what a scene can hold, 1e12 m");
      mesh_.vertices.push_back(placed);
    }
    const bool mirrored = determinant(frame.m) < 0;
    const std::vector<int>& colors = colors_of(instance, geometry, surface);
    for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
      std::array<int, 3> t = surface.triangles[i];
      for (int& corner : t) corner += static_cast<int>(base);
      if (mirrored) std::swap(t[1], t[2]);
      mesh_.triangles.push_back(t);
      mesh_.color_of.push_back(colors[static_cast<std::size_t>(surface.symbol_of[i])]);
    }
  }

  /// By symbol of the surface: the index of its colour in the mesh, or −1. `instance` may be none.
  const std::vector<int>& colors_of(const Element& instance, const Element& geometry, const ColladaSurface& surface) {
    const auto [entry, is_new] = colors_.try_emplace((instance ? instance : geometry).node().hash_value());
    if (!is_new) return entry->second;
    std::map<std::string, std::string> targets;
    if (instance) targets = materials_.bound(instance);
    for (const std::string& symbol : surface.symbols) {
      const auto bound = targets.find(symbol);
      entry->second.push_back(index_of(materials_.color(bound == targets.end() ? symbol : bound->second)));
    }
    return entry->second;
  }

  int index_of(const std::optional<Vec3>& color) {
    if (!color) return -1;
    const auto found = std::find(mesh_.colors.begin(), mesh_.colors.end(), *color);
    if (found != mesh_.colors.end()) return static_cast<int>(found - mesh_.colors.begin());
    if (mesh_.colors.size() == kMaxMeshColors) {
      if (mesh_.notes.empty())
        mesh_.notes.push_back("it has more than " + std::to_string(kMaxMeshColors) +
                              " colours, so some parts have that of the body");
      return -1;
    }
    mesh_.colors.push_back(*color);
    return static_cast<int>(mesh_.colors.size()) - 1;
  }

  ColladaDocument& document_;
  ColladaMaterials materials_;
  MeshData mesh_;
  std::map<std::size_t, Affine> frames_;            // by node, or by <bind_shape_matrix>
  std::map<std::size_t, std::vector<int>> colors_;  // by instance
  std::set<std::size_t> placed_;                    // geometries, by node
  std::size_t visited_ = 0, repeated_ = 0;
  bool has_moved_skin_ = false;  // it is noted once
};

}  // namespace

MeshData parse_collada(std::string_view text, const std::string& name) {
  ColladaDocument document(text, name);
  return SceneCollector(document).run();
}

}  // namespace rigor::models
