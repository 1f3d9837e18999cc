// URDF: the tree of bodies under a link called "world".
//
// A body that moves freely hangs on the world by a floating joint, a fixed one by a fixed joint. URDF's joints have one coordinate, or none, three
// (planar) or six (floating); other joints are listed as left out and written as floating ones. The frame of a link is that of its joint: where a hinge does
// not pass through the origin of its body, the link's origin is moved there. Orientations are roll, pitch and yaw: they read back to
// rounding (10⁻¹⁶ rad). Every other number reads back to the same bits.
//
// URDF has boxes, spheres and cylinders. A capsule is written as a cylinder and two spheres, which is the same solid, and our reader makes a capsule of them.
// A plane is written as a box of 1 km, with an element <rigor:plane> that our reader takes instead of the box and others skip. urdfdom refuses a <limit>
// without effort and velocity and <dynamics> without damping and friction, so those are written where the scene has none.
#include <cmath>
#include <map>
#include <set>

#include "models/exporters.h"
#include "models/urdf.h"
#include "rigor/mass_properties.h"

namespace rigor::models {

namespace {

/// The features of a scene that URDF expresses. The writers of joints and shapes report cases that depend on the rest of the scene.
constexpr WrittenFeatures kWritten[] = {
    {"world.up world.ground world.gravity"},  // gravity: see turn_upright()
    {"body.name body.shape body.collision_shape body.position body.orientation body.mass body.inertia "
     "body.center_of_mass body.fixed "
     "body.can_collide"},
    {"body.velocity body.angular_velocity", "the velocity is not written: a robot starts at rest"},
    {"body.active", "inactive bodies are not written"},
    {"body.motion_of_fixed", "it is fixed and moves by itself, which is not written"},
    {"body.sensor", "a sensor is written as a link that does not collide"},
    {"material.name material.density material.friction material.rolling_friction material.spinning_friction "
     "material.restitution"},
    {"gear.ratio gear.first_axis gear.second_axis"},
    {"joint.axes joint.gear joint.distance joint.rope joint.path"},
    {"joint.collide", "links that a joint connects do not collide in URDF"},
    {"axis.lower axis.upper axis.spring_stiffness axis.spring_damping axis.spring_rest axis.friction axis.motor_force"},
    {"axis.motor=servo axis.motor=velocity", "its motor is written as an effort limit only"},
    {"drive.follow"},  // as mimic
    {"world.drives", "drives: targets over time are not written as URDF"},
};

/// The box that replaces a plane for readers that have none, in m.
constexpr double kPlaneSide = 1000, kPlaneThickness = 1;

/// Angles about the fixed axes x, y, z.
Vec3 roll_pitch_yaw(const Quat& q) {
  const Mat3 R = rotation_matrix(q);
  const double sine = -R(2, 0);
  if (std::abs(sine) > 1 - 1e-14) return {std::atan2(-R(0, 1) * sine, R(1, 1)), std::copysign(kPi / 2, sine), 0};
  return {std::atan2(R(2, 1), R(2, 2)), std::asin(sine), std::atan2(R(1, 0), R(0, 0))};
}

class UrdfWriter {
 public:
  UrdfWriter(const Scene& scene, LeftOut& left_out)
      : scene_(scene), world_(scene.world), left_out_(left_out), tree_(scene_tree(scene.world)) {}

  std::string write() {
    out_ = "  <link name=\"world\"/>\n";
    move_origins();
    turn_upright();
    find_mimics();
    for (const TreeBody& b : tree_.bodies)
      if (is_written(b.id)) write_link(b);
    for (const TreeBody& b : tree_.bodies)
      if (is_written(b.id)) write_joint(b);
    for (const JointId id : tree_.loops) write_loop(id);
    for (const auto& [what, owners] : sentences_) left_out_.push_back(owners_text(owners) + ": " + what);
    list_unwritten(scene_, "URDF", kWritten, left_out_);
    const std::string space = has_plane_ ? " xmlns:rigor=\"urn:rigor\"" : "";
    return "<?xml version=\"1.0\"?>\n<robot name=\"" + xml_text(scene_.name.empty() ? "scene" : scene_.name) + "\"" +
           space + ">\n" + out_ + "</robot>\n";
  }

 private:
  void leave_out(const std::string& where, const std::string& what) {
    for (auto& [known, owners] : sentences_) {
      if (known != what) continue;
      if (owners.back() != where) owners.push_back(where);
      return;
    }
    sentences_.push_back({what, {where}});
  }

  Vec3 gravity() const {
    const auto* effect = world_.contains(world_.gravity())
                             ? dynamic_cast<const Gravity*>(world_.force(world_.gravity()).effect.get())
                             : nullptr;
    return effect ? effect->acceleration : Vec3{};
  }

  /// Programs that read URDF assume that z is up and that gravity is 9.81 m/s²: a scene with another direction is turned as a whole.
  void turn_upright() {
    const Vec3 g = gravity();
    const double strength = length(g);
    const Vec3 down{0, 0, -1};
    if (strength > 0 && normalized(g) != down) {
      static const double half = std::sqrt(0.5);
      turn_ = g.x == 0 && g.z == 0 && g.y < 0 ? Quat{half, half, 0, 0} : quaternion_between(normalized(g), down);
      left_out_.push_back("gravity: z points up in URDF, so the whole scene is written turned from (" +
                          exact(g.x + 0.0) + ", " + exact(g.y + 0.0) + ", " + exact(g.z + 0.0) + ") to −z");
    }
    if (std::abs(strength - 9.81) > 1e-12)
      left_out_.push_back("gravity: " + exact(strength) +
                          " m/s² is not written as URDF, whose readers assume 9.81 m/s²");
  }

  bool is_written(BodyId id) const { return id == world_.world_body() || world_.is_active(id); }

  /// The pose of the link's frame, which a hinge may have moved within the body.
  Transform pose(BodyId id) const {
    const Transform body{world_.position(id), world_.orientation(id)};
    const auto moved = origin_.find(id);
    return moved == origin_.end() ? body : body * Transform{moved->second, {}};
  }

  void move_origins() {
    for (const TreeBody& b : tree_.bodies) {
      if (!b.joint) continue;
      const JointDef& def = world_.joint(b.joint);
      const std::vector<int> free = free_axes(std::get<AxesJoint>(def.kind));
      const Vec3& anchor = (b.turned ? def.frame_a : def.frame_b).translation;
      if (free.size() == 1 && free[0] >= 3 && anchor != Vec3{}) origin_[b.id] = anchor;
    }
  }

  Vec3 moved_by(BodyId id) const {
    const auto found = origin_.find(id);
    return found == origin_.end() ? Vec3{} : found->second;
  }

  /// The attributes xyz and rpy.
  static std::string place(const Transform& at) {
    std::string text = " xyz=\"" + exact(at.translation) + "\"";
    if (at.rotation != Quat{}) text += " rpy=\"" + exact(roll_pitch_yaw(at.rotation)) + "\"";
    return text;
  }

  static std::string origin(const Transform& at, const char* indent) {
    return at == Transform{} ? "" : std::string(indent) + "<origin" + place(at) + "/>\n";
  }

  void write_link(const TreeBody& b) {
    const BodyDef& def = world_.body_def(b.id);
    out_ += "  <link name=\"" + xml_text(def.name) + "\">\n";
    if (!def.fixed) {
      const MassProperties& m = world_.mass_properties(b.id);
      const Mat3& I = m.inertia;
      out_ += "    <inertial>\n" + origin({m.center_of_mass - moved_by(b.id), {}}, "      ");
      out_ += "      <mass value=\"" + exact(m.mass) + "\"/>\n      <inertia ixx=\"" + exact(I(0, 0)) + "\" ixy=\"" +
              exact(I(0, 1)) + "\" ixz=\"" + exact(I(0, 2)) + "\" iyy=\"" + exact(I(1, 1)) + "\" iyz=\"" +
              exact(I(1, 2)) + "\" izz=\"" + exact(I(2, 2)) + "\"/>\n    </inertial>\n";
    }
    for (const PlacedShape& part : simple_parts(*def.shape, def.material))
      write_shape(part, "visual", def, moved_by(b.id));
    const Shape& colliding = def.collision_shape ? *def.collision_shape : *def.shape;
    if (def.can_collide && !def.sensor)
      for (const PlacedShape& part : simple_parts(colliding, def.material))
        write_shape(part, "collision", def, moved_by(b.id));
    write_contact(def);
    out_ += "  </link>\n";
  }

  void write_contact(const BodyDef& def) {
    if (!def.can_collide) return;
    if (has_unlike_parts(def))
      leave_out("body '" + def.name + "'",
                "the surfaces of its parts differ; all of them get the material of the body");
    const Material& m = def.material;
    out_ += "    <contact>\n      <lateral_friction value=\"" + exact(m.friction) + "\"/>\n";
    if (m.rolling_friction > 0) out_ += "      <rolling_friction value=\"" + exact(m.rolling_friction) + "\"/>\n";
    if (m.spinning_friction > 0) out_ += "      <spinning_friction value=\"" + exact(m.spinning_friction) + "\"/>\n";
    if (m.restitution > 0) out_ += "      <restitution value=\"" + exact(m.restitution) + "\"/>\n";
    out_ += "    </contact>\n";
  }

  /// One <geometry> with its origin in the frame of the link. `extension` stands after it, within the same <visual> or <collision>.
  struct Piece {
    std::string geometry;
    Transform at;
    std::string extension = "";
  };

  /// Empty for a shape that URDF does not have. `at` is the pose of the shape in the link.
  std::vector<Piece> pieces_of(const Shape& s, Transform at, const BodyDef& def) {
    static const double half = std::sqrt(0.5);
    const auto round = [](double radius) { return "<sphere radius=\"" + exact(radius) + "\"/>"; };
    const auto can = [](double radius, double length) {
      return "<cylinder radius=\"" + exact(radius) + "\" length=\"" + exact(length) + "\"/>";
    };
    if (const Box* box = s.as<Box>()) return {{"<box size=\"" + exact(box->half * 2) + "\"/>", at}};
    if (const Sphere* sphere = s.as<Sphere>()) return {{round(sphere->radius), at}};
    // The other shapes stand along y here, along z there.
    const bool same = at.rotation.w == at.rotation.x && at.rotation.w > 0 && at.rotation.y == 0 && at.rotation.z == 0;
    const Transform standing{at.translation, same ? Quat{} : at.rotation * Quat{half, -half, 0, 0}};
    if (const Cylinder* c = s.as<Cylinder>()) return {{can(c->radius, 2 * c->half_height), standing}};
    if (const Capsule* c = s.as<Capsule>()) {
      leave_out("body '" + def.name + "'",
                "URDF has no capsules: it is written as a cylinder with a sphere at each end");
      const auto end = [&](double y) { return Transform{transform_point(at, Vec3{0, y, 0}), {}}; };
      return {{can(c->radius, 2 * c->half_length), standing},
              {round(c->radius), end(c->half_length)},
              {round(c->radius), end(-c->half_length)}};
    }
    if (s.as<Plane>()) {
      has_plane_ = true;
      leave_out("body '" + def.name + "'", "URDF has no planes: it is written as a box of 1 km");
      const Vec3 size{kPlaneSide, kPlaneSide, kPlaneThickness};
      return {{"<box size=\"" + exact(size) + "\"/>", standing * Transform{{0, 0, -kPlaneThickness / 2}, {}},
               "      <rigor:plane" + place(standing) + "/>\n"}};
    }
    return {};
  }

  void write_shape(const PlacedShape& part, const char* kind, const BodyDef& def, const Vec3& moved) {
    Transform at = part.pose;
    at.translation -= moved;
    const std::vector<Piece> pieces = pieces_of(*part.shape, at, def);
    if (pieces.empty())
      return leave_out("body '" + def.name + "'", "a shape of the type " + std::string(part.shape->type()) +
                                                      " is not written: URDF refers to mesh files only");
    const std::string name = part.material->name == Material{}.name ? "" : part.material->name;
    const Vec3 color = color_of(*part.material);
    for (const Piece& piece : pieces) {
      out_ += std::string("    <") + kind + ">\n" + origin(piece.at, "      ") + "      <geometry>" + piece.geometry +
              "</geometry>\n" + piece.extension;
      if (!name.empty())
        out_ += "      <material name=\"" + xml_text(name.substr(0, name.rfind(" #"))) + "\"><color rgba=\"" +
                exact(color) + " 1\"/></material>\n";
      out_ += std::string("    </") + kind + ">\n";
    }
  }

  // ---- joints -------------------------------------------------------------------------------------

  void write_joint(const TreeBody& b) {
    const std::string& child = world_.name(b.id);
    const std::string parent =
        b.parent < 0 ? "world" : world_.name(tree_.bodies[static_cast<std::size_t>(b.parent)].id);
    Transform at = pose(b.id);
    if (b.parent < 0 && turn_ != Quat{}) at = Transform{{}, turn_} * at;
    if (b.parent >= 0) at = inverse(pose(tree_.bodies[static_cast<std::size_t>(b.parent)].id)) * at;
    if (!b.joint) {
      const bool fixed = world_.is_fixed(b.id);
      begin_joint(free_joint_name(child + (fixed ? "_fixed" : "_free")), fixed ? "fixed" : "floating", parent, child,
                  at);
      out_ += "  </joint>\n";
      return;
    }
    const JointDef& def = world_.joint(b.joint);
    const AxesJoint& axes = std::get<AxesJoint>(def.kind);
    const std::vector<int> free = free_axes(axes);
    const Transform& frame = b.turned ? def.frame_a : def.frame_b;
    if (free.empty()) {
      begin_joint(def.name, "fixed", parent, child, at);
      out_ += "  </joint>\n";
      return;
    }
    if (free.size() > 1) {
      leave_out("joint '" + def.name + "'", "URDF has no joint of these axes; the link moves freely");
      begin_joint(def.name, "floating", parent, child, at);
      out_ += "  </joint>\n";
      return;
    }
    write_single(b, def, axes.axes[static_cast<std::size_t>(free[0])], free[0], frame, parent, child, at);
  }

  std::string free_joint_name(std::string name) const {
    while (world_.find_joint(name)) name += "_";
    return name;
  }

  void begin_joint(const std::string& name, const char* type, const std::string& parent, const std::string& child,
                   const Transform& at) {
    out_ += "  <joint name=\"" + xml_text(name) + "\" type=\"" + type + "\">\n    <parent link=\"" + xml_text(parent) +
            "\"/>\n    <child link=\"" + xml_text(child) + "\"/>\n" + origin(at, "    ");
  }

  void write_single(const TreeBody& b, const JointDef& def, const JointAxis& axis, int k, const Transform& frame,
                    const std::string& parent, const std::string& child, const Transform& at) {
    const bool turns = k >= 3;
    const bool limited = axis.motion == AxisMotion::limited;
    begin_joint(def.name, turns ? (limited ? "revolute" : "continuous") : "prismatic", parent, child, at);
    Vec3 unit;
    unit[k % 3] = b.turned ? -1 : 1;
    out_ += "    <axis xyz=\"" + exact(rotate(frame.rotation, unit)) + "\"/>\n";
    const double now = world_.joint_position(b.joint, k);
    const bool has_bounds = limited || !turns, has_force = std::isfinite(axis.motor.max_force);
    std::string limit;
    if (has_bounds) {
      limit += " lower=\"" + exact(std::isfinite(axis.lower) ? axis.lower - now : -kUrdfNoBound) + "\"";
      limit += " upper=\"" + exact(std::isfinite(axis.upper) ? axis.upper - now : kUrdfNoBound) + "\"";
    }
    if (has_bounds || has_force)
      out_ += "    <limit" + limit + " effort=\"" + exact(has_force ? axis.motor.max_force : kUrdfNoBound) +
              "\" velocity=\"" + exact(kUrdfNoBound) + "\"/>\n";
    const bool has_spring = axis.spring.stiffness > 0;
    if (has_spring || axis.spring.damping > 0 || axis.friction > 0) {
      out_ += "    <dynamics damping=\"" + exact(axis.spring.damping) + "\" friction=\"" + exact(axis.friction) + "\"";
      if (has_spring)
        out_ += " spring_stiffness=\"" + exact(axis.spring.stiffness) + "\" spring_reference=\"" +
                exact(axis.spring.rest - now) + "\"";
      out_ += "/>\n";
    }
    if (const auto mimic = mimics_.find(b.joint); mimic != mimics_.end()) write_mimic(b.joint, k, mimic->second);
    out_ += "  </joint>\n";
  }

  struct Mimic {
    JointId leader;
    int axis = 0;
    double ratio = 1, offset = 0;  // of the scene's coordinates, which URDF counts from the present pose
  };

  /// The only axis of a joint of the tree; −1: it has several, or does not belong to the tree.
  int single_axis(JointId id) const {
    for (const TreeBody& b : tree_.bodies) {
      if (b.joint != id || !is_written(b.id)) continue;
      const std::vector<int> free = free_axes(std::get<AxesJoint>(world_.joint(id).kind));
      return free.size() == 1 ? free[0] : -1;
    }
    return -1;
  }

  /// Gears between joints of one axis, and motors that follow such joints.
  void find_mimics() {
    const auto add = [&](JointId own, const Mimic& mimic) {
      return own != mimic.leader && single_axis(own) >= 0 && single_axis(mimic.leader) == mimic.axis &&
             mimics_.emplace(own, mimic).second;
    };
    for (const JointId id : tree_.loops)
      if (const auto* gear = std::get_if<GearJoint>(&world_.joint(id).kind); gear && world_.joint(id).active)
        if (add(gear->first, {gear->second, gear->second_axis, -gear->ratio, gear->offset})) written_gears_.insert(id);
    for (const Drive& drive : scene_.drives) {
      if (!drive.follow) continue;
      const JointId own = world_.find_joint(drive.joint), leader = world_.find_joint(drive.follow->joint);
      const int axis = drive.follow->axis >= 0 ? drive.follow->axis : single_axis(leader);
      add(own, {leader, axis, drive.follow->ratio, drive.follow->offset});
    }
  }

  void write_mimic(JointId own, int axis, const Mimic& mimic) {
    const double offset =
        mimic.offset + mimic.ratio * world_.joint_position(mimic.leader, mimic.axis) - world_.joint_position(own, axis);
    out_ += "    <mimic joint=\"" + xml_text(world_.joint(mimic.leader).name) + "\" multiplier=\"" +
            exact(mimic.ratio) + "\"" + (std::abs(offset) > 1e-12 ? " offset=\"" + exact(offset) + "\"" : "") + "/>\n";
  }

  void write_loop(JointId id) {
    if (written_gears_.contains(id)) return;
    const JointDef& def = world_.joint(id);
    leave_out("joint '" + def.name + "'",
              std::holds_alternative<GearJoint>(def.kind)
                  ? "it couples joints that URDF cannot couple"
                  : "it closes a loop, gives way or has no axes; URDF describes rigid trees");
  }

  const Scene& scene_;
  const World& world_;
  LeftOut& left_out_;
  SceneTree tree_;
  std::map<BodyId, Vec3> origin_;  // of links, in their bodies
  Quat turn_;                      // from the scene's axes to those of the file
  std::map<JointId, Mimic> mimics_;
  std::set<JointId> written_gears_;
  std::vector<std::pair<std::string, std::vector<std::string>>> sentences_;  // what is left out, and of which objects
  bool has_plane_ = false;                                                   // an element <rigor:plane> was written
  std::string out_;
};

}  // namespace

std::string write_urdf(const Scene& scene, LeftOut& left_out) { return UrdfWriter(scene, left_out).write(); }

}  // namespace rigor::models
