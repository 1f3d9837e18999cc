// Rigid bodies in glTF (KHR_physics_rigid_bodies and KHR_implicit_shapes, drafts of 2024).
//
// A node with `motion` is a moving body; it owns everything below it up to the next such node. Colliders and meshes that no moving node owns belong to
// fixed bodies: a collider without a name and a mesh belongs to its parent. Nodes may be scaled, which scales their shapes. `extras.rigor`, which
// write_gltf.cpp writes, holds what the extension lacks: gravity, planes, names of materials, and whether the surfaces that are drawn are the colliders.
#include "models/gltf_physics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "io/material_color.h"
#include "io/scene_limits.h"
#include "io/scene_parts.h"
#include "models/gltf_joints.h"
#include "models/shapes.h"
#include "rigor/error.h"
#include "rigor/mass_properties.h"

namespace rigor::models {

namespace {

constexpr const char* kPhysics = "KHR_physics_rigid_bodies";
constexpr const char* kShapes = "KHR_implicit_shapes";

std::optional<GltfValue> extension(const GltfValue& holder, const char* name) {
  if (!holder.has("extensions") || !holder.at("extensions").has(name)) return std::nullopt;
  return holder.at("extensions").at(name);
}

std::optional<GltfValue> own_extras(const GltfValue& holder) {
  if (!holder.has("extras") || !holder.at("extras").has("rigor")) return std::nullopt;
  return holder.at("extras").at("rigor");
}

/// Axes of a frame by themselves, and the factors along them. Error if the frame shears.
struct ScaledFrame {
  Transform pose;
  Vec3 scale{1, 1, 1};
};

ScaledFrame scaled_frame(const Affine& a, const GltfValue& place) {
  ScaledFrame out;
  out.pose.translation = a.t;
  Vec3 axes[3];
  for (int k = 0; k < 3; ++k) {
    const Vec3 column{a.m(0, k), a.m(1, k), a.m(2, k)};
    out.scale[k] = length(column);
    if (!(out.scale[k] > 1e-9) || !(out.scale[k] < 1e9)) place.fail("the node is scaled to nothing or beyond measure");
    axes[k] = column / out.scale[k];
  }
  if (std::abs(dot(axes[0], axes[1])) + std::abs(dot(axes[1], axes[2])) + std::abs(dot(axes[2], axes[0])) > 1e-6)
    place.fail("a body or collider is sheared by the scales above it");
  if (determinant(a.m) < 0) place.fail("a body or collider is mirrored by the scales above it");
  for (double* s : {&out.scale.x, &out.scale.y, &out.scale.z})
    if (std::abs(*s - 1) < 1e-12) *s = 1;
  Mat3 R;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) R(i, k) = axes[k][i];
  out.pose.rotation = quaternion_from_matrix(R);
  return out;
}

class PhysicsReader {
 public:
  PhysicsReader(const GltfDocument& document, const std::string& file, ModelReport& report)
      : document_(document), root_(document.root()), file_(file), report_(report) {}

  Scene read() {
    World& world = scene_.world;
    world.remove_body(world.ground());
    world.set_gravity({0, -9.81, 0});
    for (const std::size_t index : document_.scene_nodes()) visit_root(index);
    for (BodyParts& parts : bodies_) add_body(parts);
    set_material_rules();
    for (const std::size_t index : joint_nodes_) add_joint(index);
    return std::move(scene_);
  }

 private:
  static constexpr int kNobody = -1;

  struct Part {
    ShapePtr shape;
    Affine frame;  // in the world
    std::optional<Material> material;
    bool sensor = false;
    std::size_t node = 0;
  };
  struct BodyParts {
    std::size_t node = 0;
    Affine frame;
    bool moves = false;
    std::vector<Part> colliders;
    GltfDocument::MeshByMaterial drawn;  // in the frame of the body
    BodyId id = {};
  };

  GltfValue node(std::size_t index) const { return root_.at("nodes").item(index); }
  void note(const GltfValue& place, ModelNote::Kind kind, const std::string& what) {
    report_.notes.push_back({kind, file_, 0, short_text(place.path()), what});
  }

  // ---- the tree -----------------------------------------------------------------------------------

  /// The root node of a file of our own holds the gravity, and its rotation only shows the scene upright.
  void visit_root(std::size_t index) {
    Affine frame = GltfDocument::local_frame(node(index));
    if (const auto extras = own_extras(node(index)); extras && extras->has("gravity")) {
      scene_.world.set_gravity(extras->vector_or("gravity", {}));
      scene_.name = first_characters(node(index).text_or("name", ""), kMaxNameLength);
      frame = {};
    }
    visit(index, frame, kNobody, kNobody, 0);
  }

  int body_at(std::size_t index, const Affine& frame, bool moves) {
    const auto found = body_of_node_.find(index);
    if (found != body_of_node_.end()) return found->second;
    bodies_.push_back({});
    bodies_.back().node = index;
    bodies_.back().frame = frame;
    bodies_.back().moves = moves;
    return body_of_node_[index] = static_cast<int>(bodies_.size()) - 1;
  }

  /// `owner`: the moving body above; `parent`: the node above, for colliders of fixed bodies.
  void visit(std::size_t index, const Affine& frame, int owner, int parent, std::size_t depth) {
    const GltfValue here = node(index);
    if (depth > GltfDocument::kMaxNodeDepth) here.fail("too many nodes are nested, or they form a cycle");
    if (++visited_ > GltfDocument::kMaxNodes) here.fail("more than a million nodes");
    const auto physics = extension(here, kPhysics);
    if (physics && physics->has("motion")) owner = body_at(index, frame, true);
    frames_[index] = frame;
    const bool collides = physics && (physics->has("collider") || physics->has("trigger"));
    int body = owner;
    if (body == kNobody && (collides || here.has("mesh"))) {
      const bool of_parent = collides && !here.has("mesh") && !here.has("name") && parent != kNobody;
      const auto at = static_cast<std::size_t>(of_parent ? parent : static_cast<int>(index));
      body = body_at(at, frames_[at], false);
    }
    if (here.has("mesh")) {
      BodyParts& parts = bodies_[static_cast<std::size_t>(body)];
      count_corners(here);
      document_.add_mesh(here.at("mesh").index(), inverse_of(parts.frame, here) * frame, parts.drawn);
    }
    if (collides) add_collider(here, index, *physics, frame, body);
    if (physics && physics->has("joint")) joint_nodes_.push_back(index);
    if (!here.has("children")) return;
    const GltfValue list = here.at("children");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t child = list.item(i).index();
      above_[child] = index;
      visit(child, frame * GltfDocument::local_frame(node(child)), owner, static_cast<int>(index), depth + 1);
    }
  }

  /// A mesh is read for each node that shows it, so a small file could fill the memory.
  void count_corners(const GltfValue& holder) {
    corners_ += document_.corner_count(holder.at("mesh").index());
    if (corners_ > kMaxMeshCorners)
      holder.fail("the nodes show meshes of more than " + std::to_string(kMaxMeshCorners) + " corners together");
  }

  static Affine inverse_of(const Affine& a, const GltfValue& place) {
    if (!(std::abs(determinant(a.m)) > 1e-27)) place.fail("a node is scaled to nothing");
    const Mat3 m = inverse(a.m);
    return {m, m * (a.t * -1)};
  }

  // ---- colliders ----------------------------------------------------------------------------------

  static double positive(const GltfValue& shape, const char* key, double usual) {
    const double value = shape.number_or(key, usual);
    if (!(value > 0 && value <= kLengthRange.max)) shape.fail(std::string(key) + ": expected a positive number");
    return value;
  }

  /// Shapes of KHR_implicit_shapes; round ones stand along y in both.
  ShapePtr implicit_shape(std::size_t index, const Vec3& scale, const GltfValue& place) {
    const auto all = extension(root_, kShapes);
    if (!all) place.fail("the file has no implicit shapes");
    const GltfValue shape = all->at("shapes").item(index);
    const std::string type = shape.at("type").text();
    const bool even = scale.x == scale.y && scale.y == scale.z;
    const bool even_across = scale.x == scale.z;
    if (type == "box") {
      const GltfValue box_shape = shape.at("box");
      const Vec3 size = box_shape.vector_or("size", {1, 1, 1});
      if (!(size.x > 0 && size.y > 0 && size.z > 0)) box_shape.fail("size: expected positive numbers");
      return box(size.x * scale.x, size.y * scale.y, size.z * scale.z);
    }
    if (!even && (type == "sphere" || type == "capsule" || !even_across))
      note(place, ModelNote::Kind::replaced, "a round shape that is scaled unevenly takes the scale of its axis y");
    if (type == "sphere") return sphere(positive(shape.at("sphere"), "radius", 0.5) * scale.y);
    if (type != "capsule" && type != "cylinder") shape.fail("unknown type '" + short_text(type) + "' of a shape");
    const GltfValue round = shape.at(type.c_str());
    const double height = positive(round, "height", 0.5) * scale.y, across = even_across ? scale.x : scale.y;
    const double bottom = round.number_or("radiusBottom", 0.25) * across,
                 top = round.number_or("radiusTop", 0.25) * across;
    if (bottom < 0 || top < 0 || !(bottom + top > 0)) round.fail("expected radii that are not negative");
    if (type == "cylinder" && top == 0) return cone(bottom, height);
    if (bottom != top)
      note(place, ModelNote::Kind::replaced, "a tapered " + type + " has its larger radius at both ends");
    return type == "capsule" ? capsule(std::max(bottom, top), height) : cylinder(std::max(bottom, top), height);
  }

  ShapePtr mesh_shape(const GltfValue& geometry, const Vec3& scale, bool moves) {
    MeshData mesh;
    Affine frame;
    frame.m = Mat3::diagonal(scale);
    const GltfValue holder = geometry.has("node") ? node(geometry.at("node").index()) : geometry;
    count_corners(holder);
    document_.add_mesh(holder.at("mesh").index(), frame, mesh);
    tidy(mesh);
    if (geometry.flag_or("convexHull", false)) return hull_shape(mesh);
    if (moves && !surface_state(mesh).is_closed()) {
      note(geometry, ModelNote::Kind::replaced, surface_state(mesh).sentence() + "; it collides as its convex hull");
      return hull_shape(mesh);
    }
    if (surface_state(mesh).inside_out) turn_round(mesh);
    return triangle_shape(mesh);
  }

  void add_collider(const GltfValue& here, std::size_t index, const GltfValue& physics, const Affine& frame, int body) {
    const bool sensor = !physics.has("collider");
    const GltfValue collider = physics.at(sensor ? "trigger" : "collider");
    if (!collider.has("geometry"))
      return note(collider, ModelNote::Kind::ignored, "a trigger of several nodes is left out");
    const GltfValue geometry = collider.at("geometry");
    Part part;
    part.frame = frame;
    part.sensor = sensor;
    part.node = index;
    const ScaledFrame placed = scaled_frame(frame, here);
    BodyParts& owner = bodies_[static_cast<std::size_t>(body)];
    const auto extras = own_extras(here);
    if (extras && extras->flag_or("plane", false)) {
      part.shape = plane();
      part.frame = frame * Affine{Mat3::identity(), extras->vector_or("at", {})};
    } else if (geometry.has("shape")) {
      part.shape = implicit_shape(geometry.at("shape").index(), placed.scale, geometry);
    } else {
      part.shape = mesh_shape(geometry, placed.scale, owner.moves);
    }
    if (collider.has("physicsMaterial")) part.material = material(collider.at("physicsMaterial").index());
    owner.colliders.push_back(std::move(part));
  }

  Material material(std::size_t index) {
    const auto all = extension(root_, kPhysics);
    if (!all) throw Error("the file has no physics materials");
    const GltfValue m = all->at("physicsMaterials").item(index);
    Material out;
    out.friction = std::clamp(m.number_or("dynamicFriction", 0.6), 0.0, kFrictionRange.max);
    const double at_rest = std::clamp(m.number_or("staticFriction", 0.6), 0.0, kFrictionRange.max);
    if (at_rest != out.friction) out.static_friction = at_rest;
    out.restitution = std::clamp(m.number_or("restitution", 0), 0.0, 1.0);
    if (const auto extras = own_extras(m)) {
      out.name = first_characters(extras->text_or("name", out.name), kMaxNameLength);
      out.density = std::clamp(extras->number_or("density", out.density), kDensityRange.min, kDensityRange.max);
    } else {
      out.name = "material " + std::to_string(index);
    }
    return out;
  }

  /// Rules are the world's, not a material's: those of the first material hold for all.
  void set_material_rules() {
    const auto all = extension(root_, kPhysics);
    if (!all || !all->has("physicsMaterials") || all->at("physicsMaterials").size() == 0) return;
    const GltfValue list = all->at("physicsMaterials");
    const auto rule = [&](std::size_t i, const char* key) {
      const std::string name = list.item(i).text_or(key, "average");
      return name == "minimum"    ? Combine::minimum
             : name == "maximum"  ? Combine::maximum
             : name == "multiply" ? Combine::product
                                  : Combine::mean;
    };
    MaterialRules rules;
    rules.friction = rule(0, "frictionCombine");
    rules.restitution = rule(0, "restitutionCombine");
    for (std::size_t i = 1; i < list.size(); ++i)
      if (rule(i, "frictionCombine") != rules.friction || rule(i, "restitutionCombine") != rules.restitution)
        note(list.item(i), ModelNote::Kind::replaced, "it combines with others by the rule of the first material");
    scene_.world.set_material_rules(rules);
  }

  // ---- bodies -------------------------------------------------------------------------------------

  /// The name itself, or with the next free number. Numbers are cached: many files have thousands of nodes with one name.
  template <class Taken>
  static std::string free_name(const std::string& wanted, std::map<std::string, int>& last_number, Taken taken) {
    if (!taken(wanted)) return wanted;
    for (int& n = last_number.try_emplace(wanted, 1).first->second;;)
      if (std::string next = wanted + "_" + std::to_string(++n); !taken(next)) return next;
  }
  std::string free_body_name(const std::string& wanted) {
    return free_name(wanted.empty() ? "body" : first_characters(wanted, kMaxNameLength - 12), last_body_,
                     [this](const std::string& n) { return n == "world" || scene_.world.find_body(n); });
  }

  static ShapePtr composed(const std::vector<Part>& parts, const Transform& body, const Material& usual,
                           const GltfValue& place) {
    std::vector<Composite::Part> list;
    for (const Part& part : parts) {
      const Transform pose = inverse(body) * scaled_frame(part.frame, place).pose;
      Composite::Part own{part.shape, near(pose), std::nullopt};
      if (part.material && !(*part.material == usual)) own.material = part.material;
      list.push_back(std::move(own));
    }
    if (list.size() == 1 && !list[0].material)
      return list[0].transform == Transform{} ? list[0].shape : transformed(list[0].shape, list[0].transform);
    return composite(std::move(list));
  }

  /// Poses in the body's frame come through the world: rounding is taken out where they are none.
  static Transform near(Transform pose) {
    if (length(pose.translation) < 1e-12) pose.translation = {};
    if (length(Vec3{pose.rotation.x, pose.rotation.y, pose.rotation.z}) < 1e-12) pose.rotation = {};
    return pose;
  }

  void add_body(BodyParts& parts) {
    const GltfValue here = node(parts.node);
    const ScaledFrame placed = scaled_frame(parts.frame, here);
    const auto physics = extension(here, kPhysics);
    BodyDef def;
    def.name = free_body_name(here.text_or("name", ""));
    def.position = placed.pose.translation;
    def.orientation = exact_rotation(here, parts.node, placed.pose.rotation);
    def.fixed = !parts.moves;
    if (!parts.colliders.empty() && parts.colliders[0].material) def.material = *parts.colliders[0].material;
    def.sensor = !parts.colliders.empty() &&
                 std::all_of(parts.colliders.begin(), parts.colliders.end(), [](const Part& p) { return p.sensor; });
    if (!def.sensor) std::erase_if(parts.colliders, [](const Part& p) { return p.sensor; });
    const Transform pose{def.position, def.orientation};
    const auto extras = own_extras(here);
    const bool drawn_as_colliders = extras && extras->flag_or("drawn_as_colliders", false);
    try {
      if (!parts.colliders.empty()) def.collision_shape = composed(parts.colliders, pose, def.material, here);
      def.can_collide = !parts.colliders.empty();
      if (!drawn_as_colliders) def.shape = drawn_shape(parts, physics, def.material);
      if (!def.shape) def.shape = def.collision_shape ? std::exchange(def.collision_shape, nullptr) : sphere(0.05);
      if (parts.moves) set_motion(physics->at("motion"), pose, def);
      parts.id = scene_.world.add_body(def);
    } catch (const Error& error) {
      here.fail(error.what());
    }
  }

  /// A rotation that a matrix went through has lost its last bits; the one of the node itself has them where nothing above it turns.
  Quat exact_rotation(const GltfValue& here, std::size_t index, const Quat& through_matrix) const {
    const Quat own = here.rotation_or("rotation", {});
    const double same = std::abs(dot(own, through_matrix));
    return !here.has("matrix") && above_.contains(index) && std::abs(same - 1) < 1e-15 ? own : through_matrix;
  }

  /// The name of a material of surfaces, with its colour at the end. Files of our own hold the name itself.
  std::string drawn_name(int index) const {
    const GltfValue m = root_.at("materials").item(static_cast<std::size_t>(index));
    if (const auto extras = own_extras(m); extras && extras->has("name"))
      return first_characters(extras->at("name").text(), kMaxNameLength);
    Vec3 color{1, 1, 1};
    if (m.has("pbrMetallicRoughness") && m.at("pbrMetallicRoughness").has("baseColorFactor")) {
      const std::vector<double> rgba = m.at("pbrMetallicRoughness").at("baseColorFactor").numbers(4);
      color = srgb_from_linear(
          {std::clamp(rgba[0], 0.0, 1.0), std::clamp(rgba[1], 0.0, 1.0), std::clamp(rgba[2], 0.0, 1.0)});
    }
    return colored_name(m.text_or("name", ""), color.x, color.y, color.z);
  }

  /// The surfaces that are drawn, each in its colour; null if there are none. A body without colliders has the name of its first material. A body whose mass
  /// comes from its volume keeps one surface, because parts of it would not be closed.
  ShapePtr drawn_shape(BodyParts& parts, const std::optional<GltfValue>& physics, Material& usual) const {
    const bool has_mass =
        parts.moves && physics->at("motion").has("mass") && physics->at("motion").has("inertiaDiagonal");
    const bool is_one = parts.moves && !has_mass;
    std::vector<Composite::Part> list;
    MeshData whole;
    for (auto& [index, mesh] : parts.drawn) {
      Material own = usual;
      if (index != GltfDocument::kNoMaterial) own.name = drawn_name(index);
      if (list.empty() && whole.triangles.empty() && parts.colliders.empty()) usual.name = own.name;
      if (is_one) {
        append(whole, mesh);
        continue;
      }
      if (ShapePtr shape = surface_shape(std::move(mesh)))
        list.push_back({std::move(shape), {}, own == usual ? std::nullopt : std::optional(own)});
    }
    if (is_one) return surface_shape(std::move(whole));
    if (list.empty()) return nullptr;
    if (list.size() == 1 && !list[0].material) return list[0].shape;
    return composite(std::move(list));
  }

  static void append(MeshData& out, const MeshData& mesh) {
    const int base = static_cast<int>(out.vertices.size());
    out.vertices.insert(out.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
    for (const auto& t : mesh.triangles) out.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
  }

  /// Null for a surface without an area.
  static ShapePtr surface_shape(MeshData mesh) {
    tidy(mesh);
    if (mesh.triangles.empty()) return nullptr;
    if (surface_state(mesh).inside_out) turn_round(mesh);
    return triangle_shape(mesh);
  }

  void set_motion(const GltfValue& motion, const Transform& pose, BodyDef& def) {
    if (motion.flag_or("isKinematic", false)) {
      note(motion, ModelNote::Kind::replaced, "a kinematic body is fixed and moves by its velocity");
      def.fixed = true;
    }
    def.velocity = rotate(pose.rotation, motion.vector_or("linearVelocity", {}));
    def.angular_velocity = rotate(pose.rotation, motion.vector_or("angularVelocity", {}));
    if (def.fixed) return;
    def.gravity_factor = motion.number_or("gravityFactor", 1);
    if (motion.has("mass")) {
      def.mass = motion.at("mass").number();
      if (!(*def.mass > 0))
        motion.at("mass").fail("expected a positive number; a body that does not move has no motion");
    }
    if (motion.has("centerOfMass")) def.center_of_mass = motion.vector_or("centerOfMass", {});
    const Vec3 moments = motion.vector_or("inertiaDiagonal", {});
    if (moments.x > 0 && moments.y > 0 && moments.z > 0) {
      const Mat3 R = rotation_matrix(motion.rotation_or("inertiaOrientation", {}));
      def.inertia = R * Mat3::diagonal(moments) * transpose(R);
    } else if (motion.has("inertiaDiagonal")) {
      note(motion, ModelNote::Kind::replaced,
           "an inertia of zero means that a body cannot turn; it turns as its shape does");
    }
  }

  // ---- joints -------------------------------------------------------------------------------------

  /// The body that a node belongs to, and the node's pose in it.
  BodyId holder(std::size_t index, Transform& frame) const {
    const auto at = frames_.find(index);
    if (at == frames_.end()) node(index).fail("a joint refers to a node that the scene does not show");
    const Transform pose = scaled_frame(at->second, node(index)).pose;
    int owner = kNobody;
    for (std::size_t i = index;;) {
      if (const auto found = body_of_node_.find(i); found != body_of_node_.end()) owner = found->second;
      const auto up = above_.find(i);
      if (owner != kNobody || up == above_.end()) break;
      i = up->second;
    }
    if (owner == kNobody) {
      frame = pose;
      return scene_.world.world_body();
    }
    const BodyParts& parts = bodies_[static_cast<std::size_t>(owner)];
    frame = near(inverse(Transform{scene_.world.position(parts.id), scene_.world.orientation(parts.id)}) * pose);
    return parts.id;
  }

  void add_joint(std::size_t index) {
    const GltfValue here = node(index), joint = here.at("extensions").at(kPhysics).at("joint");
    const auto all = extension(root_, kPhysics);
    JointDef def;
    def.a = holder(index, def.frame_a);
    def.b = holder(joint.at("connectedNode").index(), def.frame_b);
    def.collide = joint.flag_or("enableCollision", false);
    std::string name = first_characters(here.text_or("name", "joint"), kMaxNameLength - 12);
    if (name.ends_with(" a")) name.resize(name.size() - 2);
    def.name = free_name(name, last_joint_,
                         [this](const std::string& n) { return static_cast<bool>(scene_.world.find_joint(n)); });
    if (def.a == def.b) return note(joint, ModelNote::Kind::ignored, "both ends are the same body");
    const GltfValue description = all->at("physicsJoints").item(joint.at("joint").index());
    const auto listed = [&](const GltfValue& place, const std::string& what) {
      note(place, ModelNote::Kind::replaced, what);
    };
    read_gltf_joint(description, def, listed);
    try {
      scene_.world.add_joint(def);
    } catch (const Error& error) {
      joint.fail(error.what());
    }
  }

  const GltfDocument& document_;
  GltfValue root_;
  std::string file_;
  ModelReport& report_;
  Scene scene_;
  std::vector<BodyParts> bodies_;
  std::map<std::size_t, int> body_of_node_;
  std::map<std::size_t, Affine> frames_;      // in the world, by node
  std::map<std::size_t, std::size_t> above_;  // the parent of a node
  std::vector<std::size_t> joint_nodes_;
  std::map<std::string, int> last_body_, last_joint_;  // by name: the last number that was put behind it
  std::size_t visited_ = 0;
  std::size_t corners_ = 0;  // of all surfaces and colliders
};

}  // namespace

bool has_gltf_physics(const GltfDocument& document) {
  const GltfValue root = document.root();
  if (extension(root, kPhysics)) return true;
  if (!root.has("nodes")) return false;
  for (std::size_t i = 0; i < root.at("nodes").size(); ++i)
    if (extension(root.at("nodes").item(i), kPhysics)) return true;
  return false;
}

Scene read_gltf_physics(const GltfDocument& document, const std::string& file, ModelReport& report) {
  return PhysicsReader(document, file, report).read();
}

}  // namespace rigor::models
