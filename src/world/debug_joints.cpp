#include "world/debug_joints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "world/joint_gap.h"

namespace rigor {

std::vector<DebugVector> joint_frame_vectors(const World& world) {
  std::vector<DebugVector> items;
  for_each_working_joint(world, [&](JointId, const JointDef& joint, const JointState&) {
    for (const Transform& frame :
         {joint_frame(world, joint.a, joint.frame_a), joint_frame(world, joint.b, joint.frame_b)})
      for (int k = 0; k < 3; ++k) {
        Vec3 axis;
        axis[k] = 1;
        items.push_back({frame.translation, rotate(frame.rotation, axis), static_cast<double>(k)});
      }
  });
  return items;
}

std::vector<DebugVector> joint_error_vectors(const World& world) {
  std::vector<DebugVector> items;
  for_each_working_joint(world, [&](JointId, const JointDef& joint, const JointState&) {
    const Vec3 gap = joint_gap(world, joint);
    if (gap != Vec3{}) items.push_back({joint_frame(world, joint.a, joint.frame_a).translation, gap, length(gap)});
  });
  return items;
}

std::vector<DebugVector> joint_force_vectors(const World& world) {
  std::vector<DebugVector> items;
  for_each_working_joint(world, [&](JointId, const JointDef& joint, const JointState& state) {
    if (state.force != Vec3{})
      items.push_back({joint_frame(world, joint.b, joint.frame_b).translation, state.force, length(state.force)});
  });
  return items;
}

// ---- limits -------------------------------------------------------------------------------------------------------

namespace {

/// Lines of one joint. Arcs have the distance from the joint to the nearer center of mass as radius, so that they fit the scene.
struct LimitLines {
  std::vector<DebugVector>& items;
  Vec3 center;
  double radius;  // m

  void line(const Vec3& from, const Vec3& to, double value = 0) const { items.push_back({from, to - from, value}); }

  /// Directions cos φ u + sin φ v for φ in [from, to], with a spoke at either end and one at `now`.
  void arc(const Vec3& u, const Vec3& v, double from, double to, double now, double size) const {
    constexpr int kPieces = 24;
    const auto at = [&](double angle) { return center + size * (std::cos(angle) * u + std::sin(angle) * v); };
    const double begin = std::isfinite(from) ? from : to - 2 * kPi;  // one side may be open
    const double end = std::isfinite(to) ? to : begin + 2 * kPi;
    for (int i = 0; i < kPieces; ++i)
      line(at(begin + (end - begin) * i / kPieces), at(begin + (end - begin) * (i + 1) / kPieces));
    if (std::isfinite(from)) line(center, at(from));
    if (std::isfinite(to)) line(center, at(to));
    line(center, at(now), 1);
  }

  /// Directions at `angle` from the axis x.
  void cone(const Transform& a, double angle) const {
    constexpr int kPieces = 32, kSpoke = 4;
    const auto at = [&](int i) {
      const double phi = 2 * kPi * i / kPieces;
      const Vec3 side{0, std::cos(phi) * std::sin(angle), std::sin(phi) * std::sin(angle)};
      return center + radius * rotate(a.rotation, side + Vec3{std::cos(angle), 0, 0});
    };
    for (int i = 0; i < kPieces; ++i) {
      line(at(i), at(i + 1));
      if (i % kSpoke == 0) line(center, at(i));
    }
  }
};

Vec3 unit(int k) {
  Vec3 e;
  e[k] = 1;
  return e;
}

/// A range along a line through `origin`. If one side is unlimited, only the other end is drawn, as a mark across the line.
void draw_range(const LimitLines& out, const Vec3& origin, const Vec3& direction, const Vec3& across, double lower,
                double upper, double now) {
  const double size = 0.15 * out.radius;
  for (const auto& [x, value] : {std::pair{lower, 0.0}, std::pair{upper, 0.0}, std::pair{now, 1.0}}) {
    if (!std::isfinite(x)) continue;
    const Vec3 p = origin + x * direction;
    out.line(p - size * across, p + size * across, value);
  }
  if (std::isfinite(lower) && std::isfinite(upper)) out.line(origin + lower * direction, origin + upper * direction);
}

/// The rotation from a to b is Rx(α) Ry(β) Rz(γ): each angle acts after the previous ones (joints.h).
void draw_angle(const LimitLines& out, const World& world, JointId id, const Transform& a, int axis,
                const JointAxis& limits) {
  const Quat x = quaternion_from_axis_angle(unit(0), world.joint_position(id, 3));
  const Quat xy = x * quaternion_from_axis_angle(unit(1), world.joint_position(id, 4));
  const Quat before = a.rotation * (axis == 3 ? Quat{} : axis == 4 ? x : xy);
  const int u = (axis - 3 + 1) % 3, v = (axis - 3 + 2) % 3;
  out.arc(rotate(before, unit(u)), rotate(before, unit(v)), limits.lower, limits.upper, world.joint_position(id, axis),
          out.radius);
}

void draw_cone_and_twist(const LimitLines& out, const AxesJoint& joint, const Transform& a, const Transform& b) {
  const Vec3 x_a = rotate(a.rotation, unit(0)), x_b = rotate(b.rotation, unit(0));
  if (std::isfinite(joint.max_swing)) {
    out.cone(a, joint.max_swing);
    out.line(out.center, out.center + out.radius * x_b, 1);
  }
  if (!std::isfinite(joint.min_twist) && !std::isfinite(joint.max_twist)) return;
  const Quat swing = quaternion_between(x_a, x_b);
  const Vec3 y = rotate(swing, rotate(a.rotation, unit(1))), z = rotate(swing, rotate(a.rotation, unit(2)));
  const Vec3 y_b = rotate(b.rotation, unit(1));
  out.arc(y, z, joint.min_twist, joint.max_twist, std::atan2(dot(y_b, z), dot(y_b, y)), 0.6 * out.radius);
}

void draw_axes(const LimitLines& out, const World& world, JointId id, const AxesJoint& joint, const Transform& a,
               const Transform& b) {
  for (int k = 0; k < 6; ++k) {
    const JointAxis& axis = joint.axes[static_cast<std::size_t>(k)];
    if (axis.motion != AxisMotion::limited) continue;
    if (k < 3)
      draw_range(out, a.translation, rotate(a.rotation, unit(k)), rotate(a.rotation, unit((k + 1) % 3)), axis.lower,
                 axis.upper, world.joint_position(id, k));
    else
      draw_angle(out, world, id, a, k, axis);
  }
  draw_cone_and_twist(out, joint, a, b);
}

}  // namespace

std::vector<DebugVector> joint_limit_lines(const World& world) {
  std::vector<DebugVector> items;
  for_each_working_joint(world, [&](JointId id, const JointDef& joint, const JointState&) {
    const Transform a = joint_frame(world, joint.a, joint.frame_a), b = joint_frame(world, joint.b, joint.frame_b);
    double radius = std::numeric_limits<double>::infinity();
    for (const BodyId body : {joint.a, joint.b})
      if (const std::uint32_t slot = world.slot(body); world.state().inverse_mass[slot] > 0)
        radius = std::min(radius, length(world.state().position[slot] - a.translation));
    const LimitLines out{items, a.translation, std::isfinite(radius) && radius > 0 ? 0.8 * radius : 1};
    if (const AxesJoint* axes = std::get_if<AxesJoint>(&joint.kind)) draw_axes(out, world, id, *axes, a, b);
    if (const DistanceJoint* distance = std::get_if<DistanceJoint>(&joint.kind)) {
      const Vec3 way = b.translation - a.translation;
      const double now = length(way);
      if (!(now > 0)) return;
      const Vec3 across = rotate(quaternion_between(unit(0), way / now), unit(1));
      draw_range(out, a.translation, way / now, across, distance->lower, distance->upper, now);
    }
  });
  return items;
}

}  // namespace rigor
