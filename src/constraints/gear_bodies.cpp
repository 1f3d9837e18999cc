#include "constraints/gear_bodies.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/world.h"

namespace rigor {

Screw screw_of(const JointPose& pose, int axis, const Vec3& point) {
  if (axis < 3) return {{}, pose.axis_a[axis]};
  const Vec3& n = pose.axis_a[axis - 3];
  return {n, cross(n, point - pose.p_a)};
}

Vec3 gear_point(const JointPose& first, int first_axis, const JointPose& second, int second_axis) {
  if (first_axis < 3) return second.p_a;
  if (second_axis < 3) return first.p_a;
  return 0.5 * (first.p_a + second.p_a);
}

double reach_from(const BodyState& s, std::uint32_t slot, const Vec3& point) {
  const Vec3& I = s.inertia[slot];
  return std::sqrt((I.x + I.y + I.z) / 2 * s.inverse_mass[slot]) + length(s.position[slot] - point);
}

namespace {

struct Movers {
  std::vector<BodyId> ids;
  void add(BodyId id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
};

bool has_one_free_axis(const JointDef& joint) {
  const AxesJoint* kind = std::get_if<AxesJoint>(&joint.kind);
  return kind && std::count_if(kind->axes.begin(), kind->axes.end(),
                               [](const JointAxis& a) { return a.motion != AxisMotion::locked; }) == 1;
}

/// True if the screws of the two coordinates are nearly the same, so that a wrench between them would need forces far larger than those that turn
/// the bodies.
bool are_nearly_same(const World& world, const GearEnd& first, const GearEnd& second, BodyId a, BodyId b) {
  // Chosen: hinges a twentieth of the bodies' size apart, or 12 degrees, are two axes.
  constexpr double kLeastSine = 0.2, kPartOfReach = 0.5;
  JointState unused;
  const auto pose = [&](const GearEnd& end) {
    return joint_pose(step_joint(world, end.joint, world.joint(end.joint), &unused), world.state());
  };
  const JointPose p1 = pose(first), p2 = pose(second);
  const Vec3 point = gear_point(p1, first.axis, p2, second.axis);
  const Screw s1 = screw_of(p1, first.axis, point), s2 = screw_of(p2, second.axis, point);
  const BodyState& state = world.state();
  const double size =
      kPartOfReach * std::max(reach_from(state, world.slot(a), point), reach_from(state, world.slot(b), point));
  const double L = std::max({size, length(s1.v), length(s2.v)});
  const auto product = [&](const Screw& x, const Screw& y) { return L * L * dot(x.w, y.w) + dot(x.v, y.v); };
  const double square = product(s1, s1) * product(s2, s2), mixed = product(s1, s2);
  return !(square - mixed * mixed >= kLeastSine * kLeastSine * square);
}

/// The outer bodies of two joints that share one.
std::pair<BodyId, BodyId> outer_bodies(const World& world, const GearEnd& first, const GearEnd& second) {
  const JointDef &one = world.joint(first.joint), &two = world.joint(second.joint);
  if (!has_one_free_axis(one) || !has_one_free_axis(two)) return {};
  const auto other = [](const JointDef& joint, BodyId body) { return joint.a == body ? joint.b : joint.a; };
  for (const BodyId shared : {one.a, one.b}) {
    if (shared != two.a && shared != two.b) continue;
    const BodyId a = other(one, shared), b = other(two, shared);
    if (a != b && !are_nearly_same(world, first, second, a, b)) return {a, b};
  }
  return {};
}

}  // namespace

std::pair<BodyId, BodyId> gear_bodies(const World& world, const GearEnd& first, const GearEnd& second) {
  const auto movers_of = [&](JointId id) {
    Movers movers;
    for (const BodyId body : {world.joint(id).a, world.joint(id).b})
      if (!world.is_fixed(body)) movers.add(body);
    return movers;
  };
  const Movers one = movers_of(first.joint), two = movers_of(second.joint);
  Movers all = one;
  for (const BodyId id : two.ids) all.add(id);
  if (all.ids.size() == 3) return outer_bodies(world, first, second);
  if (all.ids.empty() || all.ids.size() > 2) return {};
  const auto other = [&](BodyId id) { return all.ids[0] == id ? all.ids[1] : all.ids[0]; };
  if (all.ids.size() == 1) {
    const JointDef& carrier = world.joint(one.ids.empty() ? second.joint : first.joint);
    return {carrier.a == all.ids[0] ? carrier.b : carrier.a, all.ids[0]};
  }
  if (one.ids.size() == 1) return {one.ids[0], other(one.ids[0])};
  if (two.ids.size() == 1) return {other(two.ids[0]), two.ids[0]};
  return {all.ids[0], all.ids[1]};
}

}  // namespace rigor
