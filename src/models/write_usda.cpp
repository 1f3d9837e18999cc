// OpenUSD as text (.usda) with the schemas of UsdPhysics: rigid bodies, masses, colliders, materials, joints, drives.
//
// Angles of joints are degrees there. Poses over time are time samples with one time code per second. Joints are those of UsdPhysics where one coordinate is free,
// spherical or fixed ones, and else the general joint with limits (an axis is locked by a lower limit above the upper one).
#include <cmath>
#include <map>
#include <set>

#include "io/material_color.h"
#include "models/exporters.h"
#include "models/triangles.h"
#include "rigor/mass_properties.h"

namespace rigor::models {

namespace {

constexpr double kDegrees = 180 / kPi;

/// The features of a scene that UsdPhysics expresses. The writers of joints and shapes report cases that depend on the rest of the scene.
constexpr WrittenFeatures kWritten[] = {
    {"world.gravity world.up world.ground"},
    {"body.name body.shape body.collision_shape body.position body.orientation body.mass body.inertia "
     "body.center_of_mass body.fixed "
     "body.can_collide"},
    {"body.velocity body.angular_velocity"},
    {"body.active", "inactive bodies are not written"},
    {"body.motion_of_fixed", "it is fixed and moves by itself, which is not written"},
    {"body.sensor", "a sensor is written as a body without colliders"},
    {"material.name material.density material.friction material.static_friction material.restitution"},
    {"joint.axes joint.distance joint.rope joint.collide joint.active joint.break_force joint.break_torque "
     "joint.max_swing "
     "joint.path joint.gear"},
    {"axis.lower axis.upper axis.spring_stiffness axis.spring_damping axis.spring_rest"},
    {"axis.motor=servo axis.motor=velocity axis.motor_target axis.motor_force axis.motor_proportional "
     "axis.motor_derivative"},
    {"distance.lower distance.upper rope.lower rope.upper"},
    {"gear.ratio gear.first_axis gear.second_axis path.closed"},  // the whole joint is listed
    {"drive.follow", "drives: motors that follow a joint are not written as USD"},
    {"world.drives", "drives: targets over time are not written as USD; motors keep their first targets"},
};

std::string tuple(const Vec3& v) { return "(" + exact(v.x) + ", " + exact(v.y) + ", " + exact(v.z) + ")"; }
std::string tuple(const Quat& q) {
  return "(" + exact(q.w) + ", " + exact(q.x) + ", " + exact(q.y) + ", " + exact(q.z) + ")";
}

class UsdaWriter {
 public:
  UsdaWriter(const Scene& scene, LeftOut& left_out) : scene_(scene), world_(scene.world), left_out_(left_out) {}

  std::string write(const Recording* motion) {
    if (motion) motions_ = motions_of(*motion), recording_ = motion;
    const Vec3 g = gravity();
    const bool z_up = std::abs(g.z) > std::abs(g.y);
    out_ =
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"" +
        std::string(z_up ? "Z" : "Y") + "\"\n    timeCodesPerSecond = 1\n";
    if (motion && !motion->steps.empty())
      out_ += "    startTimeCode = " + exact(motion->steps.front().time) +
              "\n    endTimeCode = " + exact(motion->steps.back().time) + "\n";
    out_ += ")\n\ndef Xform \"World\"\n{\n";
    depth_ = 1;
    open("PhysicsScene", "physics_scene");
    const double magnitude = length(g);
    line("vector3f physics:gravityDirection = " + tuple(magnitude > 0 ? g / magnitude : Vec3{0, -1, 0}));
    line("float physics:gravityMagnitude = " + exact(magnitude));
    close();
    for (const BodyId id : world_.bodies())
      if (id != world_.world_body() && world_.is_active(id)) write_body(id);
    for (const JointId id : world_.joints()) write_joint(id);
    list_unwritten(scene_, "USD", kWritten, left_out_);
    return out_ + "}\n";
  }

 private:
  // ---- text ---------------------------------------------------------------------------------------

  void line(const std::string& text) { out_ += std::string(static_cast<std::size_t>(4 * depth_), ' ') + text + "\n"; }
  void open(const std::string& type, const std::string& name, const std::string& schemas = "") {
    line("def " + type + " \"" + name + "\"" + (schemas.empty() ? "" : " ("));
    if (!schemas.empty()) {
      line("    prepend apiSchemas = [" + schemas + "]");
      line(")");
    }
    line("{");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }

  /// Names of prims are letters, digits and underscores.
  std::string prim_name(const std::string& name) {
    std::string text;
    for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) text = "_" + text;
    const std::string plain = text;
    while (!names_.insert(text).second)
      text = plain + "_" + std::to_string(++last_number_.try_emplace(plain, 1).first->second);
    return text;
  }

  Vec3 gravity() const {
    if (!world_.contains(world_.gravity())) return {};
    const auto* effect = dynamic_cast<const Gravity*>(world_.force(world_.gravity()).effect.get());
    return effect ? effect->acceleration : Vec3{};
  }

  void write_pose(const Transform& pose, const BodyMotion* motion) {
    if (!motion) {
      line("double3 xformOp:translate = " + tuple(pose.translation));
      line("quatd xformOp:orient = " + tuple(pose.rotation));
    } else {
      const auto samples = [&](auto value) {
        std::string text = "{";
        for (std::size_t i = 0; i < motion->poses.size(); ++i)
          text += (i ? ", " : " ") + exact(recording_->steps[i].time) + ": " + value(motion->poses[i]);
        return text + " }";
      };
      line("double3 xformOp:translate.timeSamples = " +
           samples([](const Transform& t) { return tuple(t.translation); }));
      line("quatd xformOp:orient.timeSamples = " + samples([](const Transform& t) { return tuple(t.rotation); }));
    }
    line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]");
  }

  // ---- bodies -------------------------------------------------------------------------------------

  void write_body(BodyId id) {
    const BodyDef& def = world_.body_def(id);
    const std::string name = prim_name(def.name);
    path_[id] = "/World/" + name;
    open("Xform", name, def.fixed ? "" : "\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"");
    const auto motion = motions_.find(def.name);
    write_pose({world_.position(id), world_.orientation(id)}, motion == motions_.end() ? nullptr : &motion->second);
    if (!def.fixed) {
      const MassProperties& m = world_.mass_properties(id);
      const PrincipalAxes axes = principal_axes(m.inertia);
      line("float physics:mass = " + exact(m.mass));
      line("point3f physics:centerOfMass = " + tuple(m.center_of_mass));
      line("float3 physics:diagonalInertia = " + tuple(axes.moments));
      line("quatf physics:principalAxes = " + tuple(axes.axes));
      const Quat q = world_.orientation(id);
      line("vector3f physics:velocity = " + tuple(rotate_inverse(q, world_.velocity(id))));
      line("vector3f physics:angularVelocity = " + tuple(rotate_inverse(q, world_.angular_velocity(id)) * kDegrees));
    }
    auto outer = std::exchange(names_, {});
    auto outer_numbers = std::exchange(last_number_, {});
    const bool one_shape = !def.collision_shape && def.can_collide && !def.sensor;
    for (const PlacedShape& part : simple_parts(*def.shape, def.material)) write_shape(part, one_shape, true);
    if (def.collision_shape && def.can_collide && !def.sensor)
      for (const PlacedShape& part : simple_parts(*def.collision_shape, def.material)) write_shape(part, true, false);
    if (one_shape || (def.collision_shape && def.can_collide)) write_material(def.material);
    if (has_unlike_parts(def))
      left_out_.push_back("body '" + def.name +
                          "': the surfaces of its parts differ; all of them get the material of the body");
    names_ = std::move(outer);
    last_number_ = std::move(outer_numbers);
    close();
  }

  void write_material(const Material& m) {
    open("Material", prim_name("surface"), "\"PhysicsMaterialAPI\"");
    line("float physics:staticFriction = " + exact(m.static_friction >= 0 ? m.static_friction : m.friction));
    line("float physics:dynamicFriction = " + exact(m.friction));
    line("float physics:restitution = " + exact(m.restitution));
    line("float physics:density = " + exact(m.density));
    close();
  }

  void write_shape(const PlacedShape& part, bool collides, bool drawn) {
    const Shape& s = *part.shape;
    const bool convex = s.as<Hull>() || s.as<SupportShape>();
    const bool is_surface = convex || s.as<Mesh>() || s.as<Rectangle>() || s.as<HeightField>();
    std::string schemas = collides ? "\"PhysicsCollisionAPI\"" : "";
    if (collides && is_surface) schemas += ", \"PhysicsMeshCollisionAPI\"";
    const char* type = s.as<Sphere>()     ? "Sphere"
                       : s.as<Box>()      ? "Cube"
                       : s.as<Capsule>()  ? "Capsule"
                       : s.as<Cylinder>() ? "Cylinder"
                       : s.as<Cone>()     ? "Cone"
                       : s.as<Plane>()    ? "Plane"
                                          : "Mesh";
    open(type, prim_name(drawn ? "shape" : "collision"), schemas);
    if (const Sphere* sphere = s.as<Sphere>()) line("double radius = " + exact(sphere->radius));
    if (const Box* box = s.as<Box>()) write_box(*box, part.pose);
    if (const Capsule* c = s.as<Capsule>()) write_round(c->radius, 2 * c->half_length);
    if (const Cylinder* c = s.as<Cylinder>()) write_round(c->radius, 2 * c->half_height);
    if (const Cone* c = s.as<Cone>()) write_round(c->radius, 2 * c->half_height);
    if (s.as<Plane>()) line("uniform token axis = \"Y\"");
    if (is_surface) write_triangles(s);
    if (collides && is_surface)
      line(std::string("uniform token physics:approximation = \"") + (convex ? "convexHull" : "none") + "\"");
    line("color3f[] primvars:displayColor = [" + tuple(linear_from_srgb(color_of(*part.material))) + "]");
    if (!drawn) line("uniform token purpose = \"guide\"");
    if (!s.as<Box>()) write_pose(part.pose, nullptr);
    close();
  }

  /// A cube of side 1 with a scale.
  void write_box(const Box& box, const Transform& pose) {
    line("double size = 1");
    line("double3 xformOp:translate = " + tuple(pose.translation));
    line("quatd xformOp:orient = " + tuple(pose.rotation));
    line("double3 xformOp:scale = " + tuple(box.half * 2));
    line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\", \"xformOp:scale\"]");
  }

  void write_round(double radius, double height) {
    line("uniform token axis = \"Y\"");
    line("double radius = " + exact(radius));
    line("double height = " + exact(height));
  }

  void write_triangles(const Shape& shape) {
    const TriangleList list = triangles_of(shape);
    std::string points, counts, indices;
    for (const Vec3& p : list.positions) points += (points.empty() ? "" : ", ") + tuple(p);
    for (const auto& t : list.triangles) {
      counts += counts.empty() ? "3" : ", 3";
      for (const std::uint32_t i : t) indices += (indices.empty() ? "" : ", ") + std::to_string(i);
    }
    line("point3f[] points = [" + points + "]");
    line("int[] faceVertexCounts = [" + counts + "]");
    line("int[] faceVertexIndices = [" + indices + "]");
    line("uniform token subdivisionScheme = \"none\"");
  }

  // ---- joints -------------------------------------------------------------------------------------

  void write_joint(JointId id) {
    const JointDef& def = world_.joint(id);
    if (joins_inactive_body(world_, def)) {
      left_out_.push_back("joint '" + def.name + "': one of its bodies is inactive");
      return;
    }
    if (const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind)) {
      const std::vector<int> free = free_axes(*axes);
      if (free.empty())
        begin_joint(def, "PhysicsFixedJoint", "");
      else if (free.size() == 1)
        return write_single(def, axes->axes[static_cast<std::size_t>(free[0])], free[0]);
      else if (free == std::vector{3, 4, 5} && is_plain_ball(*axes))
        begin_joint(def, "PhysicsSphericalJoint", "");
      else
        return write_general(def, *axes);
      if (!free.empty() && std::isfinite(axes->max_swing)) {
        line("float physics:coneAngle0Limit = " + exact(axes->max_swing * kDegrees));
        line("float physics:coneAngle1Limit = " + exact(axes->max_swing * kDegrees));
        line("uniform token physics:axis = \"X\"");
      }
      if (free.empty() && std::isfinite(axes->max_swing))
        left_out_.push_back("joint '" + def.name + "': max_swing is not written as USD");
      close();
      return;
    }
    if (const DistanceJoint* d = std::get_if<DistanceJoint>(&def.kind)) {
      begin_joint(def, "PhysicsDistanceJoint", "");
      line("float physics:minDistance = " + exact(d->lower));
      if (std::isfinite(d->upper)) line("float physics:maxDistance = " + exact(d->upper));
      close();
      return;
    }
    left_out_.push_back("joint '" + def.name + "': joints of the type " + def.type + " are not written");
  }

  void begin_joint(const JointDef& def, const std::string& type, const std::string& schemas) {
    open(type, prim_name(def.name), schemas);
    if (path_.contains(def.a)) line("rel physics:body0 = <" + path_[def.a] + ">");
    if (path_.contains(def.b)) line("rel physics:body1 = <" + path_[def.b] + ">");
    line("point3f physics:localPos0 = " + tuple(def.frame_a.translation));
    line("quatf physics:localRot0 = " + tuple(def.frame_a.rotation));
    line("point3f physics:localPos1 = " + tuple(def.frame_b.translation));
    line("quatf physics:localRot1 = " + tuple(def.frame_b.rotation));
    line(std::string("bool physics:collisionEnabled = ") + (def.collide ? "1" : "0"));
    if (!def.active) line("bool physics:jointEnabled = 0");
    if (std::isfinite(def.break_force)) line("float physics:breakForce = " + exact(def.break_force));
    if (std::isfinite(def.break_torque)) line("float physics:breakTorque = " + exact(def.break_torque));
  }

  void write_drive(const JointAxis& axis, const std::string& name, double scale) {
    const AxisMotor& m = axis.motor;
    const std::string drive = "drive:" + name + ":physics:";
    line("uniform token " + drive + "type = \"force\"");
    if (std::isfinite(m.max_force)) line("float " + drive + "maxForce = " + exact(m.max_force));
    if (m.kind == AxisMotor::Kind::servo) {
      line("float " + drive + "targetPosition = " + exact(m.target * scale));
      line("float " + drive + "stiffness = " + exact(m.proportional / scale));
      line("float " + drive + "damping = " + exact(m.derivative / scale));
    } else if (m.kind == AxisMotor::Kind::velocity) {
      line("float " + drive + "targetVelocity = " + exact(m.target * scale));
      line("float " + drive + "damping = " + exact(1e6 / scale));
    } else {
      line("float " + drive + "targetPosition = " + exact(axis.spring.rest * scale));
      line("float " + drive + "stiffness = " + exact(axis.spring.stiffness / scale));
      line("float " + drive + "damping = " + exact(axis.spring.damping / scale));
    }
  }

  /// What a spherical joint expresses: no drive, and no limit but the cone.
  static bool is_plain_ball(const AxesJoint& axes) {
    for (std::size_t k = 3; k < 6; ++k)
      if (is_driven(axes.axes[k]) || axes.axes[k].motion != AxisMotion::free) return false;
    return true;
  }

  static bool is_driven(const JointAxis& axis) {
    return axis.motor.kind != AxisMotor::Kind::none || axis.spring.stiffness > 0 || axis.spring.damping > 0;
  }

  void write_single(const JointDef& def, const JointAxis& axis, int k) {
    static constexpr const char* kAxes[] = {"X", "Y", "Z"};
    const bool turns = k >= 3;
    const double scale = turns ? kDegrees : 1;
    const std::string name = turns ? "angular" : "linear";
    begin_joint(def, turns ? "PhysicsRevoluteJoint" : "PhysicsPrismaticJoint",
                is_driven(axis) ? "\"PhysicsDriveAPI:" + name + "\"" : "");
    line(std::string("uniform token physics:axis = \"") + kAxes[k % 3] + "\"");
    if (axis.motion == AxisMotion::limited) {
      if (std::isfinite(axis.lower)) line("float physics:lowerLimit = " + exact(axis.lower * scale));
      if (std::isfinite(axis.upper)) line("float physics:upperLimit = " + exact(axis.upper * scale));
    }
    if (is_driven(axis)) write_drive(axis, name, scale);
    if (axis.motor.kind != AxisMotor::Kind::none && (axis.spring.stiffness > 0 || axis.spring.damping > 0))
      left_out_.push_back("joint '" + def.name + "': its spring is not written beside its motor");
    close();
  }

  void write_general(const JointDef& def, const AxesJoint& axes) {
    static constexpr const char* kNames[] = {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"};
    std::string schemas;
    const auto add = [&](const std::string& schema) { schemas += (schemas.empty() ? "\"" : ", \"") + schema + "\""; };
    for (std::size_t k = 0; k < 6; ++k) {
      if (axes.axes[k].motion != AxisMotion::free) add(std::string("PhysicsLimitAPI:") + kNames[k]);
      if (is_driven(axes.axes[k])) add(std::string("PhysicsDriveAPI:") + kNames[k]);
    }
    begin_joint(def, "PhysicsJoint", schemas);
    if (std::isfinite(axes.max_swing)) left_out_.push_back("joint '" + def.name + "': max_swing is not written as USD");
    for (std::size_t k = 0; k < 6; ++k) {
      const JointAxis& axis = axes.axes[k];
      const double scale = k < 3 ? 1 : kDegrees;
      const std::string limit = std::string("limit:") + kNames[k] + ":physics:";
      if (axis.motion == AxisMotion::locked) {
        line("float " + limit + "low = 1");
        line("float " + limit + "high = -1");
      } else if (axis.motion == AxisMotion::limited) {
        if (std::isfinite(axis.lower)) line("float " + limit + "low = " + exact(axis.lower * scale));
        if (std::isfinite(axis.upper)) line("float " + limit + "high = " + exact(axis.upper * scale));
      }
      if (is_driven(axis)) write_drive(axis, kNames[k], scale);
    }
    close();
  }

  const Scene& scene_;
  const World& world_;
  LeftOut& left_out_;
  std::string out_;
  int depth_ = 0;
  std::set<std::string> names_ = {"physics_scene"};
  std::map<std::string, int> last_number_;  // by name: the number of the last prim that has it with a number
  std::map<BodyId, std::string> path_;
  std::map<std::string, BodyMotion> motions_;
  const Recording* recording_ = nullptr;
};

}  // namespace

std::string write_usda(const Scene& scene, const Recording* motion, LeftOut& left_out) {
  refuse_many_triangles(scene.world);
  return UsdaWriter(scene, left_out).write(motion);
}

}  // namespace rigor::models
