#include "viewer/describe.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/appearance_parts.h"
#include "io/write_parts.h"

namespace rigor::viewer {

namespace {

/// Vertices and triangles as flat lists, as graphics cards need them.
struct Triangles {
  Json vertices = Json::array(), indices = Json::array();

  void vertex(const Vec3& v) {
    for (int k = 0; k < 3; ++k) vertices.push_back(v[k]);
  }
  void triangle(int a, int b, int c) {
    for (const int i : {a, b, c}) indices.push_back(i);
  }
  Json part(bool smooth) && {
    return {{"kind", "polyhedron"},
            {"smooth", smooth},
            {"vertices", std::move(vertices)},
            {"triangles", std::move(indices)}};
  }
};

struct PartWriter {
  Json& parts;
  Transform frame;

  void add(Json part) const {
    part["position"] = to_json(frame.translation);
    part["orientation"] = to_json(frame.rotation);
    parts.push_back(std::move(part));
  }
  void operator()(const Plane&) const { add({{"kind", "plane"}}); }
  void operator()(const Sphere& s) const { add({{"kind", "sphere"}, {"radius", s.radius}}); }
  void operator()(const Box& s) const { add({{"kind", "box"}, {"size", to_json(s.half * 2)}}); }
  void operator()(const Capsule& s) const {
    add({{"kind", "capsule"}, {"radius", s.radius}, {"length", 2 * s.half_length}});
  }
  void operator()(const Cylinder& s) const {
    add({{"kind", "cylinder"}, {"radius", s.radius}, {"height", 2 * s.half_height}});
  }
  void operator()(const Cone& s) const { add({{"kind", "cone"}, {"radius", s.radius}, {"height", 2 * s.half_height}}); }
  void operator()(const Hull& s) const {
    Triangles t;
    for (const Vec3& v : s.vertices) t.vertex(v);
    for (const std::vector<int>& face : s.faces)
      for (std::size_t i = 2; i < face.size(); ++i) t.triangle(face[0], face[i - 1], face[i]);
    add(std::move(t).part(false));
  }
  void operator()(const SupportShape& s) const {
    const Hull& hull = *s.hull->as<Hull>();
    Triangles t;
    for (const Vec3& v : hull.vertices) t.vertex(v);
    for (const std::vector<int>& face : hull.faces)
      for (std::size_t i = 2; i < face.size(); ++i) t.triangle(face[0], face[i - 1], face[i]);
    add(std::move(t).part(true));
  }
  void operator()(const Mesh& s) const {
    Triangles t;
    for (const Vec3& v : s.vertices) t.vertex(v);
    for (const auto& triangle : s.triangles) t.triangle(triangle[0], triangle[1], triangle[2]);
    add(std::move(t).part(false));
  }
  void operator()(const Rectangle& s) const {
    add({{"kind", "box"}, {"size", to_json(Vec3{2 * s.half_x, std::max(s.thickness, 1e-3), 2 * s.half_z})}});
  }
  void operator()(const HeightField& s) const {
    Triangles t;
    for (int row = 0; row < s.rows; ++row)
      for (int column = 0; column < s.columns; ++column)
        t.vertex({(column - 0.5 * (s.columns - 1)) * s.spacing_x,
                  s.heights[static_cast<std::size_t>(row * s.columns + column)],
                  (row - 0.5 * (s.rows - 1)) * s.spacing_z});
    for (int row = 0; row + 1 < s.rows; ++row)
      for (int column = 0; column + 1 < s.columns; ++column) {
        const int i = row * s.columns + column;
        t.triangle(i, i + s.columns, i + 1);
        t.triangle(i + 1, i + s.columns, i + s.columns + 1);
      }
    add(std::move(t).part(true));
  }
  void operator()(const Transformed& s) const {
    std::visit(PartWriter{parts, frame * s.transform}, s.shape->geometry());
  }
  void operator()(const Composite& s) const {
    for (const Composite::Part& p : s.parts) {
      const std::size_t first = parts.size();
      std::visit(PartWriter{parts, frame * p.transform}, p.shape->geometry());
      if (!p.material) continue;
      for (std::size_t i = first; i < parts.size(); ++i)
        if (!parts[i].contains("material")) parts[i]["material"] = p.material->name;
    }
  }
};

/// The frames in both bodies, position and quaternion each, concatenated: a page needs them to fit a figure over bodies.
Json frames(const JointDef& joint) {
  Json list = Json::array();
  for (const Transform& frame : {joint.frame_a, joint.frame_b}) {
    for (int k = 0; k < 3; ++k) list.push_back(frame.translation[k]);
    for (const double c : {frame.rotation.w, frame.rotation.x, frame.rotation.y, frame.rotation.z}) list.push_back(c);
  }
  return list;
}

/// The data with which a page draws a joint as a mechanical part: a rod, a rope, a spring, an axle, a rail, a wire, gears.
struct MechanismWriter {
  Json& joint;

  void operator()(const AxesJoint& kind) const {
    Json free = Json::array(), motors = Json::array(), springs = Json::array();
    for (int k = 0; k < 6; ++k) {
      const JointAxis& axis = kind.axes[static_cast<std::size_t>(k)];
      if (axis.motion != AxisMotion::locked) free.push_back(k);
      if (axis.motor.kind != AxisMotor::Kind::none) motors.push_back(k);
      if (axis.spring.stiffness > 0) springs.push_back(k);
    }
    joint["free"] = std::move(free);
    if (!motors.empty()) joint["motors"] = std::move(motors);
    if (!springs.empty()) joint["springs"] = std::move(springs);
  }
  void operator()(const DistanceJoint& kind) const {
    joint["link"] = std::isfinite(kind.stiffness) ? "spring" : kind.lower == kind.upper ? "rod" : "rope";
    if (std::isfinite(kind.upper)) joint["length"] = kind.upper;
  }
  void operator()(const PathJoint& kind) const {
    joint["closed"] = kind.closed;
    joint["path"] = Json::array();
    for (const Vec3& p : kind.points) joint["path"].push_back(to_json(p));
  }
  void operator()(const GearJoint& kind) const {
    joint["gear"] = {{"first", kind.first.index}, {"second", kind.second.index}, {"ratio", kind.ratio}};
  }
  void operator()(const ExtensionJoint&) const {}
};

}  // namespace

Json describe_parts(const Shape& shape) {
  Json parts = Json::array();
  std::visit(PartWriter{parts, {}}, shape.geometry());
  return parts;
}

int ShapeTable::number(const ShapePtr& shape, Json& fresh) {
  if (const auto known = by_pointer_.find(shape.get()); known != by_pointer_.end()) return known->second;
  Json parts = describe_parts(*shape);
  const int next = static_cast<int>(by_text_.size());
  const auto [entry, is_new] = by_text_.emplace(parts.dump(), next);
  if (is_new) fresh.push_back({{"id", next}, {"parts", std::move(parts)}});
  by_pointer_.emplace(shape.get(), entry->second);
  keep_.push_back(shape);
  return entry->second;
}

Json describe_body(const World& world, BodyId id, ShapeTable& shapes, Json& fresh_shapes) {
  const BodyDef& def = world.body_def(id);
  Json json = {{"index", id.index},
               {"generation", id.generation},
               {"name", def.name},
               {"shape", shapes.number(def.shape, fresh_shapes)},
               {"material", def.material.name},
               {"fixed", def.fixed},
               {"ground", id == world.ground()}};
  if (def.material.surface_velocity != Vec3{}) json["surface"] = to_json(def.material.surface_velocity);
  return json;
}

Json describe_joints(const World& world) {
  Json list = Json::array();
  for (const JointId id : world.joints()) {
    const JointDef& joint = world.joint(id);
    Json json = {{"index", id.index},      {"name", joint.name},
                 {"type", joint.type},     {"a", joint.a.index},
                 {"b", joint.b.index},     {"frames", frames(joint)},
                 {"active", joint.active}, {"broken", world.joint_state(id).broken}};
    std::visit(MechanismWriter{json}, joint.kind);
    list.push_back(std::move(json));
  }
  return list;
}

Json describe_forces(const World& world) {
  Json list = Json::array();
  for (const ForceId id : world.forces()) {
    const ForceDef& force = world.force(id);
    Json json = {{"name", force.name}, {"type", std::string(force.effect->type())}, {"active", force.active}};
    if (std::isfinite(force.end_time)) json["end"] = force.end_time;
    json[force.affected.kind == Affected::Kind::all_except ? "except" : "bodies"] = Json::array();
    for (const BodyId body : force.affected.bodies)
      json[force.affected.kind == Affected::Kind::all_except ? "except" : "bodies"].push_back(body.index);
    json["parameters"] = Json::object();
    for (const auto& [key, value] : settings_of(*force.effect)) {
      const double* number = std::get_if<double>(&value);
      if (!number || std::isfinite(*number)) json["parameters"][key] = to_json(value);
    }
    list.push_back(std::move(json));
  }
  return list;
}

namespace {

/// Orientations at the start of the bodies whose lights and cameras do not turn, by their names. A page that is opened in mid-run needs them.
Json start_orientations(const Scene& scene) {
  Json json = Json::object();
  const auto add = [&](const std::string& name) {
    const BodyId id = name.empty() ? BodyId{} : scene.world.find_body(name);
    if (!id) return;
    const Quat q = scene.world.orientation(id);
    json[name] = Json::array({q.w, q.x, q.y, q.z});
  };
  for (const Light& light : scene.appearance.lights)
    if (!light.turns) add(light.body);
  for (const MountedCamera& camera : scene.appearance.cameras)
    if (camera.mode == MountedCamera::Mode::track) add(camera.body);
  return json;
}

}  // namespace

Json describe_materials(const Scene& scene) {
  Json list = Json::array();
  for (const auto& [name, material] : scene.materials)
    list.push_back({{"name", name},
                    {"density", material.density},
                    {"friction", material.friction},
                    {"static_friction", material.static_friction},
                    {"restitution", material.restitution},
                    {"rolling_friction", material.rolling_friction}});
  return list;
}

Json describe_scene(const Scene& scene, const World& world) {
  Json json = {{"name", scene.name},
               {"description", scene.description},
               {"up", to_json(up_direction(world))},
               {"duration", scene.duration}};
  json["camera"] = Json::object();
  const SceneCamera& camera = scene.camera;
  if (camera.position) json["camera"]["position"] = to_json(*camera.position);
  if (camera.target) json["camera"]["target"] = to_json(*camera.target);
  if (camera.direction) json["camera"]["direction"] = to_json(*camera.direction);
  if (!camera.use.empty()) json["camera"]["use"] = camera.use;
  if (!camera.follow.empty()) json["camera"]["follow"] = camera.follow;
  if (!camera.trails.empty()) json["camera"]["trails"] = camera.trails;
  if (Json appearance = write_appearance(scene); !appearance.is_null()) json["appearance"] = std::move(appearance);
  if (Json starts = start_orientations(scene); !starts.empty()) json["starts"] = std::move(starts);
  return json;
}

Vec3 gravity_of(const World& world) {
  if (!world.contains(world.gravity())) return {};
  const auto* gravity = dynamic_cast<const Gravity*>(world.force(world.gravity()).effect.get());
  return gravity ? gravity->acceleration : Vec3{};
}

Vec3 up_direction(const World& world) {
  const Vec3 gravity = gravity_of(world);
  if (const double g = length(gravity); g > 0) return gravity / -g;
  if (world.contains(world.ground())) return rotate(world.orientation(world.ground()), {0, 1, 0});
  return {0, 1, 0};
}

}  // namespace rigor::viewer
