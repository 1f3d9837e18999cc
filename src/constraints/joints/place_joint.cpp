#include "constraints/joints/place_joint.h"

#include <algorithm>
#include <cmath>

#include "rigor/error.h"

namespace rigor {

namespace {

/// Sine of the smallest angle between two axes that define a frame: below it their cross product is rounding.
constexpr double kParallel = 1e-6;
/// Tolerance of the right angle between the axes of a universal joint; chosen: six digits in a file.
constexpr double kPerpendicular = 1e-5;

Vec3 direction(const std::optional<Vec3>& v, const std::string& place) {
  if (!is_finite(*v)) throw Error(place, "expected three finite numbers");
  const double largest = std::max({std::abs(v->x), std::abs(v->y), std::abs(v->z)});
  if (!(largest > 1e-100)) throw Error(place, "expected a direction, not zero");
  return normalized(*v / largest);
}

/// x along `axis` and z in the plane with `axis2`; with `z_first` z along `axis2` and x in the plane with `axis`.
Quat rotation_from(const FrameSpec& spec, const std::string& suffix, bool z_first, const std::string& place) {
  const std::string place_x = place + ".axis" + suffix, place_z = place + ".axis2" + suffix;
  if (!spec.axis2) return quaternion_between({1, 0, 0}, direction(spec.axis, place_x));
  Vec3 z = direction(spec.axis2, place_z);
  if (!spec.axis) return quaternion_between({0, 0, 1}, z);
  Vec3 x = direction(spec.axis, place_x);
  const Vec3 y = cross(z, x);
  if (length(y) < kParallel) throw Error(place_z, "expected a direction that is not parallel to the axis");
  const Vec3 y_unit = normalized(y);
  if (z_first)
    x = cross(y_unit, z);
  else
    z = cross(x, y_unit);
  return quaternion_from_matrix(transpose(Mat3{{x, y_unit, z}}));
}

class FramePlacer {
 public:
  FramePlacer(const World& world, const Entry& entry, const PlacementSpec& spec, const std::string& place)
      : world_(world), entry_(entry), spec_(spec), place_(place) {}

  Transform frame(BodyId body, const FrameSpec& own, const char* suffix, BodyId b) const {
    if (!own.frame) return {anchor(body, own, suffix, b), rotation(body, own, suffix, b)};
    if (own.anchor || own.axis || own.axis2)
      throw Error(place_, std::string("give either 'frame") + suffix + "' or anchor and axes of that body, not both");
    return *own.frame;
  }

 private:
  bool wants(std::string_view capability) const { return has_capability(entry_, capability); }

  Vec3 anchor(BodyId body, const FrameSpec& own, const char* suffix, BodyId b) const {
    const std::optional<Vec3>& given = own.anchor ? own.anchor : spec_.world.anchor;
    if (given && !is_finite(*given)) throw Error(place_ + ".anchor", "expected three finite numbers");
    if (own.anchor) return *own.anchor;
    if (wants("ends")) {
      if (!spec_.world.anchor) return {};
      throw Error(place_ + ".anchor", "it has two ends: give 'anchor_a' and 'anchor_b'");
    }
    if (spec_.world.anchor) return world_.to_body(body, *spec_.world.anchor);
    if (wants("anchor"))
      throw Error(place_,
                  std::string("it needs an 'anchor', or 'anchor_a' and 'anchor_b'; 'anchor") + suffix + "' is missing");
    if (wants("points")) return {};
    return world_.to_body(body, world_.position(b));
  }

  Quat rotation(BodyId body, const FrameSpec& own, const char* suffix, BodyId b) const {
    const bool z_first = body == b && wants("axis2");
    if (own.axis || own.axis2) {
      if (z_first ? !own.axis2 : !own.axis)
        throw Error(place_, std::string("'") + (z_first ? "axis2" : "axis") + suffix + "' is missing");
      return rotation_from(own, suffix, z_first, place_);
    }
    if (spec_.world.axis || spec_.world.axis2) {
      if (!spec_.world.axis) throw Error(place_, "'axis2' is given without 'axis'");
      check_axes();
      const bool own_z = z_first && !wants("perpendicular");
      return conjugate(world_.orientation(body)) * rotation_from(spec_.world, "", own_z, place_);
    }
    if (wants("axis")) throw Error(place_, "it needs an 'axis', or 'axis_a' and 'axis_b'");
    if (wants("points")) return {};
    return conjugate(world_.orientation(body));
  }

  void check_axes() const {
    if (!wants("axis2")) return;
    if (!spec_.world.axis2) throw Error(place_, "it needs an 'axis2'");
    const double cosine =
        dot(direction(spec_.world.axis, place_ + ".axis"), direction(spec_.world.axis2, place_ + ".axis2"));
    if (wants("perpendicular") && std::abs(cosine) > kPerpendicular)
      throw Error(place_ + ".axis2", "expected a direction perpendicular to the axis");
  }

  const World& world_;
  const Entry& entry_;
  const PlacementSpec& spec_;
  const std::string& place_;
};

JointStart start_of(const World& world, const JointDef& def) {
  const Transform a = Transform{world.position(def.a), world.orientation(def.a)} * def.frame_a;
  const Transform b = Transform{world.position(def.b), world.orientation(def.b)} * def.frame_b;
  const double sine = dot(rotate(a.rotation, {1, 0, 0}), rotate(b.rotation, {0, 0, 1}));
  return {length(b.translation - a.translation), std::asin(std::clamp(sine, -1.0, 1.0))};
}

}  // namespace

void place_joint(const World& world, const Entry& entry, const PlacementSpec& spec, const std::string& place,
                 JointDef& def, JointType& type) {
  const FramePlacer placer(world, entry, spec, place);
  def.frame_a = placer.frame(def.a, spec.a, "_a", def.b);
  def.frame_b = placer.frame(def.b, spec.b, "_b", def.b);
  if (spec.a.frame && spec.b.frame && !spec.world.is_empty())
    throw Error(place, "give either 'frame_a' and 'frame_b' or an anchor and axes, not both");
  if (!spec.a.frame && !spec.b.frame) type.start(start_of(world, def));
}

}  // namespace rigor
