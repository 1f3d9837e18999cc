// MJCF: the tree of bodies with joints, shapes and masses; loops as equality constraints, ropes as tendons, servos as actuators.
//
// Bodies are written where they are now. A joint of one coordinate has its present value as `ref`, so that limits and springs keep their meaning. All numbers
// read back to the same bits. Masses are written as they are (<inertial>), so the density of shapes does not matter.
#include <algorithm>
#include <array>
#include <cmath>

#include "models/exporters.h"
#include "models/mjcf_sensor_writer.h"
#include "models/xml_writer.h"
#include "rigor/mass_properties.h"
#include "world/world_image.h"

namespace rigor::models {

namespace {

/// The features of a scene that MJCF expresses. The writers of joints and shapes report cases that depend on the rest of the scene.
constexpr WrittenFeatures kWritten[] = {
    {"world.gravity world.up world.ground world.ignore_collisions run.dt run.min_step run.max_step"},
    {"body.name body.shape body.collision_shape body.position body.orientation body.mass body.inertia "
     "body.center_of_mass body.fixed "
     "body.can_collide body.gravity_factor body.groups body.mask"},
    {"body.velocity body.angular_velocity", "the velocity is not written: a model starts at rest"},
    {"body.active", "inactive bodies are not written"},
    {"body.motion_of_fixed", "it is fixed and moves by itself, which is not written"},
    {"body.sensor", "a sensor is written as a body that does not collide"},
    {"material.name material.density material.friction material.rolling_friction material.spinning_friction"},
    {"joint.axes joint.distance joint.rope joint.gear joint.collide joint.max_swing joint.active joint.broken "
     "joint.path"},
    {"axis.lower axis.upper axis.spring_stiffness axis.spring_damping axis.spring_rest axis.friction"},
    {"axis.motor=servo axis.motor=velocity axis.motor_target axis.motor_force axis.motor_proportional "
     "axis.motor_derivative"},
    {"distance.lower distance.upper distance.stiffness distance.damping rope.lower rope.upper rope.stiffness "
     "rope.damping"},
    {"gear.ratio gear.first_axis gear.second_axis"},
    {"drive.follow", "drives: motors that follow a joint are not written as MJCF"},
    {"sensors"},  // see write_mjcf_sensors()
    {"world.drives", "drives: targets over time are not written as MJCF; motors keep their first targets"},
};

/// The number b for which b / factor is `value` to the last bit, where there is one.
double product_that_divides(double value, double factor) {
  const double b = value * factor;
  for (const double candidate : {b, std::nextafter(b, INFINITY), std::nextafter(b, -INFINITY)})
    if (candidate / factor == value) return candidate;
  return b;
}

bool is_y_to_z(const Quat& q) { return q.w == q.x && q.w > 0 && q.y == 0 && q.z == 0; }

class MjcfWriter {
 public:
  MjcfWriter(const Scene& scene, LeftOut& left_out)
      : scene_(scene), world_(scene.world), left_out_(left_out), tree_(scene_tree(scene.world)), sensor_sites_(scene) {}

  std::string write() {
    write_sites(world_.world_body(), body_);
    sensor_sites_.write("", body_);
    find_kinds();
    for (std::size_t i = 0; i < tree_.bodies.size(); ++i)
      if (tree_.bodies[i].parent < 0) write_body(static_cast<int>(i), body_);
    for (const JointId id : tree_.loops) write_loop(id);
    write_exclusions();
    write_mjcf_sensors(
        scene_, [this](const SceneSensor& sensor) { return coordinate_name(sensor); }, sensors_, left_out_);
    XmlWriter out;
    out.open("mujoco", {{"model", scene_.name.empty() ? "scene" : scene_.name}});
    out.element("compiler", {{"angle", "radian"}, {"autolimits", "true"}});
    out.element("option", {{"timestep", exact(scene_.time.step)}, {"gravity", exact(gravity())}});
    section(out, "asset", assets_);
    section(out, "worldbody", body_);
    section(out, "contact", contact_);
    section(out, "equality", equality_);
    section(out, "tendon", tendons_);
    section(out, "actuator", actuators_);
    section(out, "sensor", sensors_);
    out.close();
    list_unwritten(scene_, "MJCF", kWritten, left_out_);
    return out.take();
  }

 private:
  static void section(XmlWriter& out, const char* name, XmlWriter& content) {
    if (content.is_empty()) return;
    out.open(name);
    out.append(std::move(content));
    out.close();
  }

  void leave_out(const std::string& where, const std::string& what) { left_out_.push_back(where + ": " + what); }

  Vec3 gravity() const {
    if (!world_.contains(world_.gravity())) return {};
    const auto* effect = dynamic_cast<const Gravity*>(world_.force(world_.gravity()).effect.get());
    return effect ? effect->acceleration : Vec3{};
  }

  Transform pose(BodyId id) const { return {world_.position(id), world_.orientation(id)}; }

  // ---- bodies -------------------------------------------------------------------------------------

  using Groups = std::pair<std::uint32_t, std::uint32_t>;  // groups and mask

  static bool do_collide(const Groups& a, const Groups& b) {
    return (a.first & b.second) != 0 && (b.first & a.second) != 0;
  }

  /// Bodies with the same groups and mask are a kind, which has a bit of contype. In conaffinity they have the bits of all kinds that they collide with.
  void find_kinds() {
    constexpr std::size_t kMostKinds = 31;  // MuJoCo's numbers have a sign
    for (const TreeBody& b : tree_.bodies) {
      const BodyDef& def = world_.body_def(b.id);
      const Groups own{def.group, def.mask};
      if (!def.active || !def.can_collide || def.sensor) continue;
      if (std::find(kinds_.begin(), kinds_.end(), own) == kinds_.end() && kinds_.size() <= kMostKinds)
        kinds_.push_back(own);
    }
    if (kinds_.size() > kMostKinds)
      leave_out("scene", "bodies have more than " + std::to_string(kMostKinds) +
                             " kinds of groups and masks; all collide there");
    const bool all_collide = kinds_.size() == 1 && do_collide(kinds_[0], kinds_[0]);
    if (all_collide || kinds_.size() > kMostKinds) kinds_.clear();
  }

  void write_kind(const BodyDef& def, std::vector<XmlAttribute>& a) const {
    const Groups own{def.group, def.mask};
    std::uint32_t type = 0, affinity = 0;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (kinds_[k] == own) type = 1u << k;
      if (do_collide(kinds_[k], own)) affinity |= 1u << k;
    }
    a.push_back({"contype", std::to_string(type)});
    a.push_back({"conaffinity", std::to_string(affinity)});
  }

  void write_body(int index, XmlWriter& out) {
    const TreeBody& b = tree_.bodies[static_cast<std::size_t>(index)];
    const BodyDef& def = world_.body_def(b.id);
    if (!def.active) return;
    Transform at = pose(b.id);
    if (b.parent >= 0) at = inverse(pose(tree_.bodies[static_cast<std::size_t>(b.parent)].id)) * at;
    std::vector<XmlAttribute> attributes = {{"name", def.name}, {"pos", exact(at.translation)}};
    if (at.rotation != Quat{}) attributes.push_back({"quat", exact(at.rotation)});
    if (def.gravity_factor != 1) attributes.push_back({"gravcomp", exact(1 - def.gravity_factor)});
    out.open("body", attributes);
    if (!def.fixed) {
      if (!b.joint)
        out.element("freejoint", {});
      else
        write_tree_joint(b, out);
      write_inertial(b.id, out);
    }
    write_geoms(def, out);
    write_sites(b.id, out);
    sensor_sites_.write(def.name, out);
    for (const int child : b.children) write_body(child, out);
    out.close();
  }

  void write_inertial(BodyId id, XmlWriter& out) {
    const MassProperties& m = world_.mass_properties(id);
    const Mat3& I = m.inertia;
    out.element("inertial", {{"pos", exact(m.center_of_mass)},
                             {"mass", exact(m.mass)},
                             {"fullinertia",
                              exact(Vec3{I(0, 0), I(1, 1), I(2, 2)}) + " " + exact(Vec3{I(0, 1), I(0, 2), I(1, 2)})}});
  }

  void write_geoms(const BodyDef& def, XmlWriter& out) {
    const bool two_shapes = def.collision_shape != nullptr || !def.can_collide;
    for (const PlacedShape& part : simple_parts(*def.shape, def.material))
      write_geom(part, def, !two_shapes && !def.sensor, true, out);
    if (def.collision_shape && def.can_collide && !def.sensor)
      for (const PlacedShape& part : simple_parts(*def.collision_shape, def.material))
        write_geom(part, def, true, false, out);
  }

  void write_geom(const PlacedShape& part, const BodyDef& def, bool collides, bool drawn, XmlWriter& out) {
    std::vector<XmlAttribute> a;
    Transform at = part.pose;
    if (!shape_attributes(*part.shape, at, def.name, a)) return;
    if (at.translation != Vec3{}) a.push_back({"pos", exact(at.translation)});
    if (at.rotation != Quat{}) a.push_back({"quat", exact(at.rotation)});
    const Material& m = *part.material;
    const bool rolls = m.rolling_friction > 0, spins = m.spinning_friction > 0;
    if (collides) {
      a.push_back({"friction", exact(Vec3{m.friction, m.spinning_friction, m.rolling_friction})});
      if (rolls || spins) a.push_back({"condim", rolls ? "6" : "4"});
      if (!kinds_.empty()) write_kind(def, a);
    } else {
      a.push_back({"contype", "0"});
      a.push_back({"conaffinity", "0"});
    }
    if (!drawn) a.push_back({"group", "3"});
    const Vec3 c = color_of(m);
    a.push_back({"rgba", exact(c) + " 1"});
    out.element("geom", a);
  }

  /// Shapes that stand along y here stand along z there: the pose is turned.
  bool shape_attributes(const Shape& s, Transform& at, const std::string& body, std::vector<XmlAttribute>& a) {
    static const double half = std::sqrt(0.5);
    const auto turn = [&] { at.rotation = is_y_to_z(at.rotation) ? Quat{} : at.rotation * Quat{half, -half, 0, 0}; };
    if (const Sphere* sphere = s.as<Sphere>()) {
      a = {{"type", "sphere"}, {"size", exact(sphere->radius)}};
    } else if (const Box* box = s.as<Box>()) {
      a = {{"type", "box"}, {"size", exact(box->half)}};
    } else if (const Capsule* c = s.as<Capsule>()) {
      turn();
      a = {{"type", "capsule"}, {"size", exact(c->radius) + " " + exact(c->half_length)}};
    } else if (const Cylinder* cylinder = s.as<Cylinder>()) {
      turn();
      a = {{"type", "cylinder"}, {"size", exact(cylinder->radius) + " " + exact(cylinder->half_height)}};
    } else if (s.as<Plane>()) {
      turn();
      a = {{"type", "plane"}, {"size", "0 0 1"}};
    } else if (s.as<Hull>() || s.as<Mesh>() || s.as<SupportShape>()) {
      a = {{"type", "mesh"}, {"mesh", mesh_asset(s)}};
      if (s.as<Mesh>()) leave_out("body '" + body + "'", "a triangle mesh collides as its convex hull there");
    } else {
      leave_out("body '" + body + "'", "a shape of the type " + std::string(s.type()) + " is not written");
      return false;
    }
    return true;
  }

  std::string mesh_asset(const Shape& shape) {
    if (const auto found = meshes_.find(&shape); found != meshes_.end()) return found->second;
    const Shape& solid = shape.as<SupportShape>() ? *shape.as<SupportShape>()->hull : shape;
    std::string vertices, faces;
    const auto add_face = [&](int i, int j, int k) {
      faces += (faces.empty() ? "" : " ") + std::to_string(i) + " " + std::to_string(j) + " " + std::to_string(k);
    };
    const std::vector<Vec3>& corners = solid.as<Hull>() ? solid.as<Hull>()->vertices : solid.as<Mesh>()->vertices;
    for (const Vec3& v : corners) vertices += (vertices.empty() ? "" : " ") + exact(v);
    if (const Mesh* mesh = solid.as<Mesh>())
      for (const auto& t : mesh->triangles) add_face(t[0], t[1], t[2]);
    else
      for (const auto& face : solid.as<Hull>()->faces)
        for (std::size_t i = 1; i + 1 < face.size(); ++i) add_face(face[0], face[i], face[i + 1]);
    const std::string name = "mesh" + std::to_string(meshes_.size() + 1);
    assets_.element("mesh", {{"name", name}, {"vertex", vertices}, {"face", faces}});
    return meshes_[&shape] = name;
  }

  // ---- joints -------------------------------------------------------------------------------------

  void write_tree_joint(const TreeBody& b, XmlWriter& out) {
    const JointDef& def = world_.joint(b.joint);
    const AxesJoint& axes = std::get<AxesJoint>(def.kind);
    const std::vector<int> free = free_axes(axes);
    const Transform& frame = b.turned ? def.frame_a : def.frame_b;
    if (free == std::vector{3, 4, 5} && is_plain_ball(axes)) {
      const JointAxis& any = axes.axes[3];
      std::vector<XmlAttribute> a = {{"name", def.name}, {"type", "ball"}, {"pos", exact(frame.translation)}};
      if (any.spring.damping > 0) a.push_back({"damping", exact(any.spring.damping)});
      if (any.friction > 0) a.push_back({"frictionloss", exact(any.friction)});
      if (std::isfinite(axes.max_swing)) a.push_back({"range", "0 " + exact(axes.max_swing)});
      out.element("joint", a);
      return;
    }
    bool moved = false;
    for (const int k : free) moved = moved || world_.joint_position(b.joint, k) != 0;
    if (free.size() > 1 && (b.turned || moved))
      leave_out("joint '" + def.name + "'", b.turned ? "its coordinates are counted from the other body"
                                                     : "its coordinates are counted from where it is now");
    for (const int k : free) write_axis(b, def, axes, k, free.size(), frame, out);
    if (std::isfinite(axes.max_swing) || std::isfinite(axes.max_twist) || std::isfinite(axes.min_twist))
      leave_out("joint '" + def.name + "'", "limits of swing and twist are not written");
  }

  static bool is_plain_ball(const AxesJoint& axes) {
    for (std::size_t k = 3; k < 6; ++k) {
      const JointAxis& a = axes.axes[k];
      if (a.motion != AxisMotion::free || a.motor.kind != AxisMotor::Kind::none || a.spring.stiffness > 0 ||
          a.spring != axes.axes[3].spring || a.friction != axes.axes[3].friction)
        return false;
    }
    return std::isinf(axes.min_twist) && std::isinf(axes.max_twist);
  }

  static std::string axis_name(const std::string& joint, int k, std::size_t count) {
    static constexpr const char* kNames[] = {"x", "y", "z", "rx", "ry", "rz"};
    return count == 1 ? joint : joint + "." + kNames[k];
  }

  /// The joint of MJCF whose coordinate a sensor measures; empty if there is none.
  std::string coordinate_name(const SceneSensor& sensor) const {
    const JointId id = world_.find_joint(sensor.joint);
    const auto child = id ? tree_.index.find(world_.joint(id).b) : tree_.index.end();
    if (child == tree_.index.end() || tree_.bodies[static_cast<std::size_t>(child->second)].joint != id) return "";
    const AxesJoint& axes = std::get<AxesJoint>(world_.joint(id).kind);
    const std::vector<int> free = free_axes(axes);
    const bool is_ball = free == std::vector{3, 4, 5} && is_plain_ball(axes);
    const bool has_axis = std::find(free.begin(), free.end(), sensor.axis) != free.end();
    return is_ball || !has_axis ? "" : axis_name(sensor.joint, sensor.axis, free.size());
  }

  void write_axis(const TreeBody& b, const JointDef& def, const AxesJoint& axes, int k, std::size_t count,
                  const Transform& frame, XmlWriter& out) {
    const JointAxis& axis = axes.axes[static_cast<std::size_t>(k)];
    const std::string name = axis_name(def.name, k, count);
    Vec3 unit;
    unit[k % 3] = b.turned ? -1 : 1;
    const double ref = count == 1 ? world_.joint_position(b.joint, k) : 0;
    std::vector<XmlAttribute> a = {{"name", name},
                                   {"type", k < 3 ? "slide" : "hinge"},
                                   {"pos", exact(frame.translation)},
                                   {"axis", exact(rotate(frame.rotation, unit))}};
    if (ref != 0) a.push_back({"ref", exact(ref)});
    if (axis.motion == AxisMotion::limited && axis.lower == axis.upper) {  // MuJoCo refuses an empty range
      equality_.element("joint", {{"joint1", name}, {"polycoef", exact(axis.lower - ref) + " 0 0 0 0"}});
    } else if (axis.motion == AxisMotion::limited) {
      const auto bound = [](double v, double most) { return std::isfinite(v) ? v : most; };
      a.push_back({"range", exact(bound(axis.lower, -1e10)) + " " + exact(bound(axis.upper, 1e10))});
    }
    if (axis.spring.stiffness > 0) {
      a.push_back({"stiffness", exact(axis.spring.stiffness)});
      a.push_back({"springref", exact(axis.spring.rest)});
    }
    if (axis.spring.damping > 0) a.push_back({"damping", exact(axis.spring.damping)});
    if (axis.friction > 0) a.push_back({"frictionloss", exact(axis.friction)});
    out.element("joint", a);
    write_motor(axis.motor, name, def.name);
  }

  void write_motor(const AxisMotor& motor, const std::string& axis, const std::string& joint) {
    if (motor.kind == AxisMotor::Kind::velocity)
      return leave_out("joint '" + joint + "'", "its velocity motor is not written: its speed would be a control");
    if (motor.kind == AxisMotor::Kind::none) {
      if (std::isfinite(motor.max_force))
        actuators_.element("motor",
                           {{"joint", axis}, {"forcerange", exact(-motor.max_force) + " " + exact(motor.max_force)}});
      return;
    }
    const double p = motor.proportional;
    std::vector<XmlAttribute> a = {
        {"name", axis + " servo"},
        {"joint", axis},
        {"biastype", "affine"},
        {"gainprm", exact(p)},
        {"biasprm", exact(Vec3{product_that_divides(motor.target, p), -p, -motor.derivative})}};
    if (std::isfinite(motor.max_force))
      a.push_back({"forcerange", exact(-motor.max_force) + " " + exact(motor.max_force)});
    actuators_.element("general", a);
  }

  // ---- loops --------------------------------------------------------------------------------------

  std::string body_name(BodyId id) const { return id == world_.world_body() ? "" : world_.name(id); }

  void write_loop(JointId id) {
    const JointDef& def = world_.joint(id);
    const std::string where = "joint '" + def.name + "'";
    if (!def.active || world_.joint_state(id).broken) return leave_out(where, "it is switched off or broken");
    if (joins_inactive_body(world_, def)) return leave_out(where, "one of its bodies is inactive");
    if (const auto* gear = std::get_if<GearJoint>(&def.kind)) return write_gear(id, def, *gear);
    if (const auto* rope = std::get_if<DistanceJoint>(&def.kind)) return write_rope(def, *rope);
    const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
    if (!axes || std::isfinite(axes->stiffness))
      return leave_out(where, "joints of the type " + def.type + " that give way or follow a path are not written");
    const std::vector<int> free = free_axes(*axes);
    if (!free.empty() && !(free == std::vector{3, 4, 5} && is_plain_ball(*axes)))
      return leave_out(where, "it closes a loop and is neither rigid nor a ball joint");
    if (!free.empty() &&
        (axes->axes[3].friction > 0 || axes->axes[3].spring.damping > 0 || std::isfinite(axes->max_swing)))
      leave_out(where, "it closes a loop: its friction, damping and limit are not written");
    const bool a_is_world = def.a == world_.world_body();
    const BodyId first = a_is_world ? def.b : def.a, second = a_is_world ? def.a : def.b;
    const Transform& frame = a_is_world ? def.frame_b : def.frame_a;
    if (free.empty()) {
      const Transform relative = frame * inverse(a_is_world ? def.frame_a : def.frame_b);
      equality_.element("weld", {{"name", def.name},
                                 {"body1", body_name(first)},
                                 {"body2", body_name(second)},
                                 {"relpose", exact(relative.translation) + " " + exact(relative.rotation)}});
    } else {
      equality_.element("connect", {{"name", def.name},
                                    {"body1", body_name(first)},
                                    {"body2", body_name(second)},
                                    {"anchor", exact(frame.translation)}});
    }
  }

  /// q₁ + r q₂ = c. MuJoCo counts both coordinates from the reference pose, which is the present one here, so that the constant term of its polynomial
  /// is what the gear is off by now.
  void write_gear(JointId id, const JointDef& def, const GearJoint& gear) {
    for (const JointId joint : {gear.first, gear.second})
      if (std::find(tree_.loops.begin(), tree_.loops.end(), joint) != tree_.loops.end())
        return leave_out("joint '" + def.name + "'",
                         "it couples a joint that closes a loop and has no coordinate there");
    const auto name = [&](JointId joint, int axis) {
      return axis_name(world_.name(joint), axis, free_axes(std::get<AxesJoint>(world_.joint(joint).kind)).size());
    };
    const std::array<double, 2>& q = world_.joint_state(id).gear_angle;
    const double error = gear.offset - (q[0] + gear.ratio * q[1]);
    constexpr double kRounding = 1e-12;  // of the coordinates, over many steps
    const bool is_rounding = std::abs(error) <= kRounding * (1 + std::abs(q[0]) + std::abs(gear.ratio * q[1]));
    equality_.element("joint", {{"name", def.name},
                                {"joint1", name(gear.first, gear.first_axis)},
                                {"joint2", name(gear.second, gear.second_axis)},
                                {"polycoef", exact(is_rounding ? 0 : error) + " " + exact(-gear.ratio) + " 0 0 0"}});
  }

  /// A tendon between a site in each body; the sites are written with the bodies.
  void write_rope(const JointDef& def, const DistanceJoint& rope) {
    std::vector<XmlAttribute> a = {{"name", def.name}};
    if (std::isinf(rope.stiffness)) {
      a.push_back({"range", exact(rope.lower) + " " + exact(std::isfinite(rope.upper) ? rope.upper : 1e10)});
    } else {
      a.push_back({"stiffness", exact(rope.stiffness)});
      a.push_back({"damping", exact(rope.damping)});
      a.push_back({"springlength", exact(rope.lower) + " " + exact(rope.upper)});
    }
    tendons_.open("spatial", a);
    tendons_.element("site", {{"site", def.name + " a"}});
    tendons_.element("site", {{"site", def.name + " b"}});
    tendons_.close();
  }

  void write_sites(BodyId body, XmlWriter& out) const {
    for (const JointId id : tree_.loops) {
      const JointDef& def = world_.joint(id);
      if (!std::holds_alternative<DistanceJoint>(def.kind)) continue;
      if (def.a == body) out.element("site", {{"name", def.name + " a"}, {"pos", exact(def.frame_a.translation)}});
      if (def.b == body) out.element("site", {{"name", def.name + " b"}, {"pos", exact(def.frame_b.translation)}});
    }
  }

  // ---- contact ------------------------------------------------------------------------------------

  /// Bodies that a joint connects do not collide here unless it says so; there they do where the carrier is fixed.
  void write_exclusions() {
    for (const TreeBody& b : tree_.bodies) {
      if (!b.joint) continue;
      const JointDef& def = world_.joint(b.joint);
      const BodyId parent = b.parent < 0 ? BodyId{} : tree_.bodies[static_cast<std::size_t>(b.parent)].id;
      if (!parent) continue;
      if (world_.is_fixed(parent) && !def.collide)
        contact_.element("exclude", {{"body1", world_.name(parent)}, {"body2", world_.name(b.id)}});
      else if (!world_.is_fixed(parent) && def.collide)
        leave_out("joint '" + def.name + "'", "its two bodies do not collide there");
    }
    for (const JointId id : tree_.loops) {  // in MJCF, bodies of an equality constraint still collide
      const JointDef& def = world_.joint(id);
      if (!def.collide && def.a != def.b && def.a != world_.world_body() && def.b != world_.world_body() &&
          !joins_inactive_body(world_, def) && !world_.may_collide(def.a, def.b))
        contact_.element("exclude", {{"body1", world_.name(def.a)}, {"body2", world_.name(def.b)}});
    }
    for (const auto& [a, b] : world_.image().ignored_pairs)
      if (a != world_.world_body() && b != world_.world_body() && world_.is_active(a) && world_.is_active(b))
        contact_.element("exclude", {{"body1", world_.name(a)}, {"body2", world_.name(b)}});
  }

  const Scene& scene_;
  const World& world_;
  LeftOut& left_out_;
  SceneTree tree_;
  SensorSites sensor_sites_;
  XmlWriter assets_, body_, contact_, equality_, tendons_, actuators_, sensors_;
  std::map<const Shape*, std::string> meshes_;
  std::vector<Groups> kinds_;  // of the bodies that collide; empty: all collide with each other
};

}  // namespace

std::string write_mjcf(const Scene& scene, LeftOut& left_out) { return MjcfWriter(scene, left_out).write(); }

}  // namespace rigor::models
