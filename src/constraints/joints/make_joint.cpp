// Makes joints by type, and finds the parameters of an existing joint.
#include <algorithm>
#include <tuple>

#include "constraints/gear_bodies.h"
#include "constraints/joints/place_joint.h"
#include "rigor/error.h"
#include "rigor/joint_types.h"

namespace rigor {

std::unique_ptr<JointType> make_joint_type(std::string_view name, const std::string& place) {
  return std::unique_ptr<JointType>(static_cast<JointType*>(entry(Kind::joint, name, place).make().release()));
}

JointKind with_parameters(std::string_view type, const JointKind& kind, const Settings& parameters,
                          const std::string& place) {
  const std::unique_ptr<JointType> object = make_joint_type(type, place);
  object->kind = kind;
  configure(*object, parameters, place);
  return object->kind;
}

// ---- parameters of a joint ------------------------------------------------------------------------

namespace {

std::string general_type(const JointKind& kind) {
  struct Visitor {
    std::string operator()(const AxesJoint&) const { return "six-dof"; }
    std::string operator()(const DistanceJoint& k) const { return k.lower == k.upper ? "distance" : "rope"; }
    std::string operator()(const PathJoint&) const { return "path"; }
    std::string operator()(const GearJoint&) const { return "gear"; }
    std::string operator()(const ExtensionJoint& k) const { return k.type; }
  };
  return std::visit(Visitor{}, kind);
}

/// The parts of a kind that are not parameters.
void copy_references(const JointKind& from, JointKind& to) {
  if (const PathJoint* path = std::get_if<PathJoint>(&from)) std::get<PathJoint>(to).points = path->points;
  if (const GearJoint* gear = std::get_if<GearJoint>(&from)) {
    GearJoint& other = std::get<GearJoint>(to);
    other.first = gear->first, other.second = gear->second, other.offset = gear->offset;
  }
}

/// The parameters with which `type` makes this kind; none if it cannot.
std::optional<Settings> parameters_for(const std::string& type, const JointKind& kind) {
  const std::unique_ptr<JointType> object = make_joint_type(type, type);
  if (object->kind.index() != kind.index()) return std::nullopt;
  if (const auto* own = std::get_if<ExtensionJoint>(&kind))
    if (own->type != type) return std::nullopt;
  const JointKind plain = object->kind;
  const Settings usual = settings_of(*object);
  object->kind = kind;
  Settings differing = settings_of(*object);
  std::erase_if(differing, [&](const auto& item) { return usual.at(item.first) == item.second; });
  object->kind = plain;
  copy_references(kind, object->kind);
  try {
    configure(*object, differing, type);
  } catch (const Error&) {
    return std::nullopt;  // out of this type's range
  }
  return object->kind == kind ? std::optional(differing) : std::nullopt;
}

}  // namespace

JointDescription describe_joint(const JointDef& def) {
  if (find_method(Kind::joint, def.type))
    if (const auto parameters = parameters_for(def.type, def.kind)) return {def.type, *parameters};
  const std::string type = general_type(def.kind);
  if (const auto parameters = parameters_for(type, def.kind)) return {type, *parameters};
  throw Error("joint '" + def.name.substr(0, 60) + "'", "no joint type has such numbers");
}

void set_joint_parameters(World& world, JointId id, const Settings& parameters) {
  const JointDef& def = world.joint(id);
  const std::string place = "joint '" + def.name.substr(0, 60) + "'";
  world.set_joint(id, with_parameters(describe_joint(def).type, def.kind, parameters, place));
}

// ---- makers ---------------------------------------------------------------------------------------

namespace {

JointDef make(const World& world, std::string_view type, BodyId a, BodyId b, const PlacementSpec& spec,
              const Settings& parameters) {
  const Entry& e = entry(Kind::joint, type, "joint");
  const std::string place = e.name + " joint";
  JointDef def;
  def.type = e.name;
  def.a = a, def.b = b;
  const std::unique_ptr<JointType> object = make_joint_type(type, place);
  place_joint(world, e, spec, place, def, *object);
  configure(*object, parameters, place);
  def.kind = object->kind;
  return def;
}

JointDef make_at(const World& world, std::string_view type, BodyId a, BodyId b, const Vec3& anchor,
                 const std::optional<Vec3>& axis, const std::optional<Vec3>& axis2, const Settings& parameters) {
  return make_joint(world, type, a, b, {anchor, axis, axis2}, parameters);
}

JointDef make_ends(const World& world, std::string_view type, BodyId a, BodyId b, const Vec3& anchor_a,
                   const Vec3& anchor_b, const Settings& parameters) {
  PlacementSpec spec;
  spec.a.anchor = world.to_body(a, anchor_a), spec.b.anchor = world.to_body(b, anchor_b);
  return make(world, type, a, b, spec, parameters);
}

}  // namespace

JointDef make_joint(const World& world, std::string_view type, BodyId a, BodyId b, const JointPlacement& placement,
                    const Settings& parameters) {
  PlacementSpec spec;
  spec.world.anchor = placement.anchor;
  spec.world.axis = placement.axis, spec.world.axis2 = placement.axis2;
  return make(world, type, a, b, spec, parameters);
}

JointDef ball_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor, const Settings& p) {
  return make_at(w, "ball", a, b, anchor, {}, {}, p);
}
JointDef ball_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis, const Settings& p) {
  return make_at(w, "ball", a, b, anchor, axis, {}, p);
}
JointDef hinge_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis, const Settings& p) {
  return make_at(w, "hinge", a, b, anchor, axis, {}, p);
}
JointDef slider_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis, const Settings& p) {
  return make_at(w, "slider", a, b, anchor, axis, {}, p);
}
JointDef cylindrical_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis,
                           const Settings& p) {
  return make_at(w, "cylindrical", a, b, anchor, axis, {}, p);
}
JointDef universal_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis, const Vec3& axis2,
                         const Settings& p) {
  return make_at(w, "universal", a, b, anchor, axis, axis2, p);
}
JointDef fixed_joint(const World& w, BodyId a, BodyId b, const Settings& p) { return make(w, "fixed", a, b, {}, p); }
JointDef distance_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor_a, const Vec3& anchor_b,
                        const Settings& p) {
  return make_ends(w, "distance", a, b, anchor_a, anchor_b, p);
}
JointDef rope_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor_a, const Vec3& anchor_b, const Settings& p) {
  return make_ends(w, "rope", a, b, anchor_a, anchor_b, p);
}
JointDef point_on_line_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis,
                             const Settings& p) {
  return make_at(w, "point-on-line", a, b, anchor, axis, {}, p);
}
JointDef point_on_plane_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor, const Vec3& normal,
                              const Settings& p) {
  return make_at(w, "point-on-plane", a, b, anchor, normal, {}, p);
}
JointDef planar_joint(const World& w, BodyId a, BodyId b, const Vec3& anchor, const Vec3& normal, const Settings& p) {
  return make_at(w, "planar", a, b, anchor, normal, {}, p);
}
JointDef fixed_rotation_joint(const World& w, BodyId a, BodyId b, const Settings& p) {
  return make(w, "fixed-rotation", a, b, {}, p);
}
JointDef orientation_joint(const World& w, BodyId a, BodyId b, const Vec3& axis, const Settings& p) {
  return make_at(w, "orientation", a, b, w.position(b), axis, {}, p);
}
JointDef two_axis_rotation_joint(const World& w, BodyId a, BodyId b, const Vec3& axis, const Vec3& axis2,
                                 const Settings& p) {
  return make_at(w, "two-axis-rotation", a, b, w.position(b), axis, axis2, p);
}
JointDef car_wheel_joint(const World& w, BodyId chassis, BodyId wheel, const Vec3& center, const Vec3& steering_axis,
                         const Vec3& spin_axis, const Settings& p) {
  return make_at(w, "car-wheel", chassis, wheel, center, steering_axis, spin_axis, p);
}
JointDef six_dof_joint(const World& w, BodyId a, BodyId b, const JointPlacement& placement, const Settings& p) {
  return make_joint(w, "six-dof", a, b, placement, p);
}

JointDef path_joint(const World& w, BodyId a, BodyId b, const Vec3& bead, const std::vector<Vec3>& points,
                    bool closed) {
  PlacementSpec spec;
  spec.b.anchor = w.to_body(b, bead);
  JointDef def = make(w, "path", a, b, spec, {{"closed", closed}});
  for (const Vec3& p : points) std::get<PathJoint>(def.kind).points.push_back(w.to_body(a, p));
  return def;
}

JointDef gear_joint(const World& w, JointId first, JointId second, double ratio, int first_axis, int second_axis) {
  const auto free_axis = [&](JointId id, int axis) {
    const AxesJoint* axes = std::get_if<AxesJoint>(&w.joint(id).kind);
    if (axis >= 0 || !axes) return std::max(axis, 0);
    const auto moves = [](const JointAxis& a) { return a.motion != AxisMotion::locked; };
    const auto found = std::find_if(axes->axes.begin(), axes->axes.end(), moves);
    return found == axes->axes.end() ? 0 : static_cast<int>(found - axes->axes.begin());
  };
  JointDef def;
  def.type = "gear";
  first_axis = free_axis(first, first_axis), second_axis = free_axis(second, second_axis);
  std::tie(def.a, def.b) = gear_bodies(w, {first, first_axis}, {second, second_axis});
  if (!def.b) {  // refused with its reason when it is added
    def.a = w.joint(first).b;
    def.b = w.joint(second).b == def.a ? w.joint(second).a : w.joint(second).b;
  }
  def.kind =
      GearJoint{.first = first, .second = second, .first_axis = first_axis, .second_axis = second_axis, .ratio = ratio};
  return def;
}

}  // namespace rigor
