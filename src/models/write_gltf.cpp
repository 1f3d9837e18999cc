// glTF 2.0: what bodies look like, how they move, and with KHR_physics_rigid_bodies and KHR_implicit_shapes what they are.
//
// Every body is a node; each simple shape of it that collides is a child node with a collider. A joint is a pair of child nodes, one in each body, at the
// joint's frames. glTF's up is +y: a scene whose gravity points along −z stands under a node that turns it. Positions in buffers are 32-bit floats;
// numbers in the JSON text have all their digits. `extras.rigor` holds what the extensions lack, for gltf_physics.cpp: gravity, planes, materials. Spec: Khronos glTF 2.0; the physics extensions are drafts of 2024.
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "io/base64.h"
#include "io/json_text.h"
#include "io/material_color.h"
#include "models/exporters.h"
#include "models/triangles.h"
#include "rigor/error.h"
#include "rigor/mass_properties.h"

namespace rigor::models {

namespace {

constexpr int kFloat = 5126, kUnsigned = 5125, kVertices = 34962, kIndices = 34963;
constexpr Vec3 kUnderPlane{0, -0.5, 0};  // m: center of the box that stands for a plane
constexpr double kPlaneSide = 1000;      // m, of the box that stands for a plane
constexpr const char* kPhysics = "KHR_physics_rigid_bodies";
constexpr const char* kShapes = "KHR_implicit_shapes";

/// The features of a scene that the drafts of the physics extensions express. The writers of joints and shapes report cases that depend on the rest of the scene.
constexpr WrittenFeatures kWritten[] = {
    {"world.up world.ground"},
    {"world.gravity", "gravity: it is in extras.rigor, which only this program reads; the extensions have none"},
    {"body.name body.shape body.collision_shape body.position body.orientation body.mass body.inertia "
     "body.center_of_mass body.fixed "
     "body.can_collide body.gravity_factor body.sensor body.velocity body.angular_velocity"},
    {"body.active", "inactive bodies are not written"},
    {"body.motion_of_fixed", "it is fixed and moves by itself, which is not written"},
    {"material.name material.density material.friction material.static_friction material.restitution "
     "material_rules.friction material_rules.restitution"},
    {"joint.axes joint.distance joint.rope joint.collide joint.max_swing joint.gear joint.path"},
    {"joint.active joint.broken", "a joint that is switched off or broken is not written"},
    {"axis.lower axis.upper axis.spring_stiffness axis.spring_damping axis.spring_rest"},
    {"axis.motor=servo axis.motor=velocity axis.motor_target axis.motor_force axis.motor_proportional "
     "axis.motor_derivative"},
    {"distance.lower distance.upper distance.stiffness distance.damping rope.lower rope.upper rope.stiffness "
     "rope.damping"},
    {"gear.ratio gear.first_axis gear.second_axis path.closed"},  // the whole joint is listed
    {"drive.follow", "drives: motors that follow a joint are not written as glTF"},
    {"world.drives", "drives: targets over time are not written as glTF; motors keep their first targets"},
};

Json list(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Json list(const Quat& q) { return Json::array({q.x, q.y, q.z, q.w}); }

void append_word(std::string& out, std::uint32_t word) {
  for (int k = 0; k < 4; ++k) out.push_back(static_cast<char>(word >> (8 * k) & 0xff));
}

class GltfWriter {
 public:
  GltfWriter(const Scene& scene, LeftOut& left_out) : scene_(scene), world_(scene.world), left_out_(left_out) {
    json_ = {{"asset", {{"version", "2.0"}, {"generator", "rigor"}}}, {"scene", 0}};
    for (const char* key : {"scenes", "nodes", "meshes", "materials", "accessors", "bufferViews"})
      json_[key] = Json::array();
  }

  std::string write(const Recording* motion, bool binary) {
    add_root();
    for (const BodyId id : world_.bodies())
      if (id != world_.world_body() && world_.is_active(id)) add_body(id);
    for (const JointId id : world_.joints()) add_joint(id);
    if (motion && !motion->steps.empty()) add_animation(*motion);
    list_unwritten(scene_, "glTF", kWritten, left_out_);
    return finish(binary);
  }

 private:
  // ---- buffers ------------------------------------------------------------------------------------

  std::size_t add_view(const void* data, std::size_t size, int target) {
    while (buffer_.size() % 4 != 0) buffer_.push_back('\0');
    Json view = {{"buffer", 0}, {"byteOffset", buffer_.size()}, {"byteLength", size}};
    if (target != 0) view["target"] = target;
    if (buffer_.size() + size > std::numeric_limits<std::uint32_t>::max() - 1024)
      throw Error("a glTF file holds at most 4 GB; record fewer steps (--every)");
    buffer_.append(static_cast<const char*>(data), size);
    json_["bufferViews"].push_back(std::move(view));
    return json_["bufferViews"].size() - 1;
  }

  /// Numbers, `width` to an element; with their bounds where glTF wants them.
  std::size_t add_floats(const std::vector<float>& numbers, std::size_t width, int target, bool bounds) {
    static constexpr const char* kTypes[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    Json accessor = {{"bufferView", add_view(numbers.data(), numbers.size() * sizeof(float), target)},
                     {"componentType", kFloat},
                     {"count", numbers.size() / width},
                     {"type", kTypes[width]}};
    if (bounds) {
      std::vector<float> lower(width, std::numeric_limits<float>::max()), upper(width, -lower[0]);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        lower[i % width] = std::min(lower[i % width], numbers[i]);
        upper[i % width] = std::max(upper[i % width], numbers[i]);
      }
      accessor["min"] = lower, accessor["max"] = upper;
    }
    json_["accessors"].push_back(std::move(accessor));
    return json_["accessors"].size() - 1;
  }

  static void append(std::vector<float>& out, const Vec3& v) {
    for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(v[k]));
  }

  // ---- looks --------------------------------------------------------------------------------------

  std::size_t material(const Material& material) {
    const auto found = materials_.find(material.name);
    if (found != materials_.end()) return found->second;
    const Vec3 c = linear_from_srgb(color_of(material));
    json_["materials"].push_back(
        {{"name", material.name},
         {"pbrMetallicRoughness",
          {{"baseColorFactor", Json::array({c.x, c.y, c.z, 1})}, {"metallicFactor", 0}, {"roughnessFactor", 0.7}}},
         {"doubleSided", true},
         {"extras", {{"rigor", {{"name", material.name}}}}}});
    return materials_[material.name] = json_["materials"].size() - 1;
  }

  Json primitive(const PlacedShape& part) {
    TriangleList list = triangles_of(*part.shape);
    std::vector<float> positions, normals;
    std::vector<std::uint32_t> indices;
    for (std::size_t i = 0; i < list.positions.size(); ++i) {
      append(positions, transform_point(part.pose, list.positions[i]));
      append(normals, normalized(rotate(part.pose.rotation, list.normals[i])));
    }
    for (const auto& t : list.triangles) indices.insert(indices.end(), t.begin(), t.end());
    Json out = {{"attributes",
                 {{"POSITION", add_floats(positions, 3, kVertices, true)},
                  {"NORMAL", add_floats(normals, 3, kVertices, false)}}},
                {"material", material(*part.material)}};
    const std::size_t view = add_view(indices.data(), indices.size() * sizeof(std::uint32_t), kIndices);
    json_["accessors"].push_back(
        {{"bufferView", view}, {"componentType", kUnsigned}, {"count", indices.size()}, {"type", "SCALAR"}});
    out["indices"] = json_["accessors"].size() - 1;
    return out;
  }

  /// Bodies with one shape and one material share a mesh.
  std::size_t mesh_of(const Shape& shape, const Material& usual) {
    const auto key = std::make_pair(&shape, usual.name);
    const auto found = meshes_.find(key);
    if (found != meshes_.end()) return found->second;
    Json primitives = Json::array();
    for (const PlacedShape& part : simple_parts(shape, usual)) primitives.push_back(primitive(part));
    json_["meshes"].push_back({{"primitives", std::move(primitives)}});
    return meshes_[key] = json_["meshes"].size() - 1;
  }

  // ---- nodes --------------------------------------------------------------------------------------

  std::size_t add_node(Json node) {
    json_["nodes"].push_back(std::move(node));
    return json_["nodes"].size() - 1;
  }

  static void place(Json& node, const Transform& pose) {
    if (pose.translation != Vec3{}) node["translation"] = list(pose.translation);
    if (pose.rotation != Quat{}) node["rotation"] = list(normalized(pose.rotation));
  }

  std::size_t add_child(std::size_t parent, Json node) {
    const std::size_t own = add_node(std::move(node));
    json_["nodes"][parent]["children"].push_back(own);
    return own;
  }

  void add_root() {
    const Vec3 g = gravity();
    const bool z_up = std::abs(g.z) > std::max(std::abs(g.x), std::abs(g.y));
    const bool x_up = !z_up && std::abs(g.x) > std::abs(g.y);
    Json root = {{"name", scene_.name.empty() ? "scene" : scene_.name}};
    root["extras"]["rigor"]["gravity"] = list(acceleration());
    if (z_up) place(root, {{}, quaternion_between({0, 0, 1}, {0, 1, 0})});
    if (x_up) place(root, {{}, quaternion_between({1, 0, 0}, {0, 1, 0})});
    root_ = add_node(std::move(root));
    json_["scenes"].push_back({{"nodes", Json::array({root_})}});
  }

  Vec3 acceleration() const {
    if (!world_.contains(world_.gravity())) return {};
    const auto* effect = dynamic_cast<const Gravity*>(world_.force(world_.gravity()).effect.get());
    return effect ? effect->acceleration + Vec3{} : Vec3{};
  }
  Vec3 gravity() const { return length(acceleration()) > 0 ? acceleration() : Vec3{0, -1, 0}; }

  void add_body(BodyId id) {
    const BodyDef& def = world_.body_def(id);
    Json node = {{"name", def.name}};
    place(node, {world_.position(id), world_.orientation(id)});
    if (id != world_.ground() || !def.shape->as<Plane>()) node["mesh"] = mesh_of(*def.shape, def.material);
    if (!def.fixed) node["extensions"][kPhysics]["motion"] = motion(id);
    if (!def.collision_shape && (def.can_collide || def.sensor)) node["extras"]["rigor"]["drawn_as_colliders"] = true;
    node_of_[id] = add_child(root_, std::move(node));
    if (!def.can_collide && !def.sensor) return;
    const Shape& shape = def.collision_shape ? *def.collision_shape : *def.shape;
    for (const PlacedShape& part : simple_parts(shape, def.material)) add_collider(id, part);
  }

  Json motion(BodyId id) const {
    const MassProperties& m = world_.mass_properties(id);
    const PrincipalAxes axes = principal_axes(m.inertia);
    const Quat q = world_.orientation(id);
    Json out = {{"mass", m.mass},
                {"centerOfMass", list(m.center_of_mass)},
                {"inertiaDiagonal", list(axes.moments)},
                {"inertiaOrientation", list(axes.axes)}};
    if (world_.velocity(id) != Vec3{}) out["linearVelocity"] = list(rotate_inverse(q, world_.velocity(id)));
    if (world_.angular_velocity(id) != Vec3{})
      out["angularVelocity"] = list(rotate_inverse(q, world_.angular_velocity(id)));
    if (const double factor = world_.body_def(id).gravity_factor; factor != 1) out["gravityFactor"] = factor;
    return out;
  }

  // ---- physics ------------------------------------------------------------------------------------

  Json& physics() { return json_["extensions"][kPhysics]; }

  std::size_t implicit_shape(Json shape) {
    Json& all = json_["extensions"][kShapes]["shapes"];
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == shape) return i;
    all.push_back(std::move(shape));
    return all.size() - 1;
  }

  /// Null where the shape is a surface of triangles.
  std::optional<Json> implicit(const PlacedShape& part, Transform& pose) {
    const Shape& s = *part.shape;
    if (const Sphere* sphere = s.as<Sphere>())
      return Json{{"type", "sphere"}, {"sphere", {{"radius", sphere->radius}}}};
    if (const Box* box = s.as<Box>()) return Json{{"type", "box"}, {"box", {{"size", list(box->half * 2)}}}};
    if (const Capsule* c = s.as<Capsule>())
      return Json{{"type", "capsule"},
                  {"capsule", {{"height", 2 * c->half_length}, {"radiusBottom", c->radius}, {"radiusTop", c->radius}}}};
    if (const Cylinder* c = s.as<Cylinder>())
      return Json{
          {"type", "cylinder"},
          {"cylinder", {{"height", 2 * c->half_height}, {"radiusBottom", c->radius}, {"radiusTop", c->radius}}}};
    if (const Cone* c = s.as<Cone>())
      return Json{{"type", "cylinder"},
                  {"cylinder", {{"height", 2 * c->half_height}, {"radiusBottom", c->radius}, {"radiusTop", 0}}}};
    if (s.as<Plane>()) {
      pose = pose * Transform{kUnderPlane, {}};
      left_out_.push_back("planes: the extension has none, so each is written as a box of 1 km");
      return Json{{"type", "box"}, {"box", {{"size", list(Vec3{kPlaneSide, 1, kPlaneSide})}}}};
    }
    return std::nullopt;
  }

  std::size_t physics_material(const Material& m) {
    static constexpr const char* kNames[] = {"minimum", "maximum", "average", "multiply"};
    const MaterialRules& rules = world_.material_rules();
    Json own = {{"staticFriction", m.static_friction >= 0 ? m.static_friction : m.friction},
                {"dynamicFriction", m.friction},
                {"restitution", m.restitution},
                {"frictionCombine", kNames[static_cast<int>(rules.friction)]},
                {"restitutionCombine", kNames[static_cast<int>(rules.restitution)]},
                {"extras", {{"rigor", {{"name", m.name}, {"density", m.density}}}}}};
    Json& all = physics()["physicsMaterials"];
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == own) return i;
    all.push_back(std::move(own));
    return all.size() - 1;
  }

  void add_collider(BodyId id, const PlacedShape& part) {
    Transform pose = part.pose;
    Json geometry = Json::object();
    if (std::optional<Json> shape = implicit(part, pose)) {
      geometry["shape"] = implicit_shape(std::move(*shape));
    } else {
      // A node of its own that no scene shows carries the surface.
      const bool convex = part.shape->as<Hull>() || part.shape->as<SupportShape>();
      geometry["node"] = add_node({{"mesh", mesh_of(*part.shape, *part.material)}});
      if (convex) geometry["convexHull"] = true;
    }
    Json collider = {{"geometry", std::move(geometry)}};
    const bool sensor = world_.is_sensor(id);
    if (!sensor) collider["physicsMaterial"] = physics_material(*part.material);
    Json node = Json::object();
    place(node, pose);
    if (part.shape->as<Plane>()) node["extras"]["rigor"] = {{"plane", true}, {"at", list(kUnderPlane * -1)}};
    node["extensions"][kPhysics][sensor ? "trigger" : "collider"] = std::move(collider);
    add_child(node_of_[id], std::move(node));
  }

  static Json limit(bool linear, int axis, double lower, double upper) {
    Json out = {{linear ? "linearAxes" : "angularAxes", Json::array({axis})}};
    if (std::isfinite(lower)) out["min"] = lower;
    if (std::isfinite(upper)) out["max"] = upper;
    return out;
  }

  void add_axis(const JointAxis& axis, int k, const std::string& name, Json& limits, Json& drives) {
    const bool linear = k < 3;
    if (axis.motion == AxisMotion::locked) limits.push_back(limit(linear, k % 3, 0, 0));
    if (axis.motion == AxisMotion::limited) limits.push_back(limit(linear, k % 3, axis.lower, axis.upper));
    const auto drive = [&](double stiffness, double damping, double position, double velocity, double force) {
      Json out = {{"type", linear ? "linear" : "angular"}, {"mode", "force"}, {"axis", k % 3}};
      if (std::isfinite(force)) out["maxForce"] = force;
      if (stiffness > 0) out["stiffness"] = stiffness, out["positionTarget"] = position;
      out["damping"] = damping, out["velocityTarget"] = velocity;
      drives.push_back(std::move(out));
    };
    constexpr double kNone = std::numeric_limits<double>::infinity();
    if (axis.spring.stiffness > 0 || axis.spring.damping > 0)
      drive(axis.spring.stiffness, axis.spring.damping, axis.spring.rest, 0, kNone);
    if (axis.motor.kind == AxisMotor::Kind::servo) {
      drive(axis.motor.proportional, axis.motor.derivative, axis.motor.target, 0, axis.motor.max_force);
      drives.back()["extras"]["rigor"]["servo"] = true;
    }
    if (axis.motor.kind == AxisMotor::Kind::velocity) {
      drive(0, 1e6, 0, axis.motor.target, axis.motor.max_force);
      left_out_.push_back("joint '" + name + "': a velocity motor is a drive with a damping of 10⁶");
    }
  }

  void add_joint(JointId id) {
    const JointDef& def = world_.joint(id);
    if (!def.active || world_.joint_state(id).broken) return;
    if (joins_inactive_body(world_, def)) {
      left_out_.push_back("joint '" + def.name + "': one of its bodies is inactive");
      return;
    }
    Json limits = Json::array(), drives = Json::array();
    if (const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind)) {
      for (int k = 0; k < 6; ++k) add_axis(axes->axes[static_cast<std::size_t>(k)], k, def.name, limits, drives);
      if (std::isfinite(axes->max_swing))
        limits.push_back({{"angularAxes", Json::array({1, 2})}, {"min", 0}, {"max", axes->max_swing}});
    } else if (const DistanceJoint* d = std::get_if<DistanceJoint>(&def.kind)) {
      Json all = {{"linearAxes", Json::array({0, 1, 2})}, {"min", d->lower}};
      if (std::isfinite(d->upper)) all["max"] = d->upper;
      if (std::isfinite(d->stiffness)) all["stiffness"] = d->stiffness, all["damping"] = d->damping;
      limits.push_back(std::move(all));
    } else {
      left_out_.push_back("joint '" + def.name + "': joints of the type " + def.type + " are not written");
      return;
    }
    Json joint = Json::object();
    if (!limits.empty()) joint["limits"] = std::move(limits);
    if (!drives.empty()) joint["drives"] = std::move(drives);
    Json& all = physics()["physicsJoints"];
    all.push_back(std::move(joint));
    const std::size_t index = all.size() - 1;
    const auto holder = [&](BodyId body) { return node_of_.contains(body) ? node_of_[body] : root_; };
    Json other = {{"name", def.name + " b"}};
    place(other, def.frame_b);
    const std::size_t connected = add_child(holder(def.b), std::move(other));
    Json own = {{"name", def.name + " a"}};
    place(own, def.frame_a);
    own["extensions"][kPhysics]["joint"] = {
        {"connectedNode", connected}, {"joint", index}, {"enableCollision", def.collide}};
    add_child(holder(def.a), std::move(own));
  }

  // ---- motion -------------------------------------------------------------------------------------

  void add_animation(const Recording& recording) {
    std::vector<float> times;
    for (const RecordedStep& step : recording.steps) times.push_back(static_cast<float>(step.time));
    for (std::size_t i = 1; i < times.size(); ++i)
      if (!(times[i] > times[i - 1])) throw Error("the recorded steps are too short for the 32-bit times of glTF");
    Json animation = {{"name", "run"}, {"channels", Json::array()}, {"samplers", Json::array()}};
    std::optional<std::size_t> input;
    for (const auto& [name, motion] : motions_of(recording)) {
      const BodyId id = world_.find_body(name);
      if (!id || !node_of_.contains(id)) {
        left_out_.push_back("body '" + name + "' appears during the run and is not animated");
        continue;
      }
      std::vector<float> positions, rotations;
      Quat last = motion.poses[0].rotation;
      for (const Transform& pose : motion.poses) {
        append(positions, pose.translation);
        Quat q = normalized(pose.rotation);
        if (dot(q, last) < 0) q = q * -1;
        last = q;
        for (const double c : {q.x, q.y, q.z, q.w}) rotations.push_back(static_cast<float>(c));
      }
      if (!input) input = add_floats(times, 1, 0, true);
      const auto channel = [&](const char* path, std::size_t output) {
        animation["samplers"].push_back({{"input", *input}, {"output", output}, {"interpolation", "LINEAR"}});
        animation["channels"].push_back(
            {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", node_of_[id]}, {"path", path}}}});
      };
      channel("translation", add_floats(positions, 3, 0, false));
      channel("rotation", add_floats(rotations, 4, 0, false));
    }
    if (!animation["channels"].empty()) json_["animations"] = Json::array({std::move(animation)});
  }

  // ---- file ---------------------------------------------------------------------------------------

  std::string finish(bool binary) {
    if (json_.contains("extensions") || !node_of_.empty()) {
      Json used = Json::array();
      bool shapes = json_.contains("extensions") && json_["extensions"].contains(kShapes);
      bool bodies = json_.contains("extensions") && json_["extensions"].contains(kPhysics);
      for (const Json& node : json_["nodes"]) bodies = bodies || node.contains("extensions");
      if (bodies) used.push_back(kPhysics);
      if (shapes) used.push_back(kShapes);
      if (!used.empty()) json_["extensionsUsed"] = std::move(used);
    }
    for (const char* key : {"meshes", "materials", "accessors", "bufferViews"})
      if (json_[key].empty()) json_.erase(key);
    while (buffer_.size() % 4 != 0) buffer_.push_back('\0');
    if (!buffer_.empty()) {
      json_["buffers"] = Json::array({{{"byteLength", buffer_.size()}}});
      if (!binary) json_["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64(buffer_);
    }
    if (!binary) return json_.dump(1) + "\n";
    std::string text = json_.dump();
    while (text.size() % 4 != 0) text.push_back(' ');
    const std::uint64_t total = 12 + 8 + text.size() + (buffer_.empty() ? 0 : 8 + buffer_.size());
    std::string out = "glTF";
    append_word(out, 2);
    append_word(out, static_cast<std::uint32_t>(total));
    append_word(out, static_cast<std::uint32_t>(text.size()));
    out += "JSON" + text;
    if (!buffer_.empty()) {
      append_word(out, static_cast<std::uint32_t>(buffer_.size()));
      out += std::string("BIN\0", 4) + buffer_;
    }
    return out;
  }

  const Scene& scene_;
  const World& world_;
  LeftOut& left_out_;
  Json json_;
  std::string buffer_;
  std::size_t root_ = 0;
  std::map<BodyId, std::size_t> node_of_;
  std::map<std::string, std::size_t> materials_;
  std::map<std::pair<const Shape*, std::string>, std::size_t> meshes_;
};

}  // namespace

std::string write_gltf(const Scene& scene, const Recording* motion, bool binary, LeftOut& left_out) {
  return GltfWriter(scene, left_out).write(motion, binary);
}

}  // namespace rigor::models
