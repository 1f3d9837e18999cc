#include "world/joint_gap.h"

#include <algorithm>

namespace rigor {

Transform joint_frame(const World& world, BodyId body, const Transform& frame_in_body) {
  return Transform{world.position(body), world.orientation(body)} * frame_in_body;
}

Vec3 joint_gap(const World& world, const JointDef& joint) {
  return joint_gap(joint_frame(world, joint.a, joint.frame_a), joint_frame(world, joint.b, joint.frame_b), joint.kind);
}

Vec3 joint_gap(const Transform& a, const Transform& b, const JointKind& kind) {
  const Vec3 apart = b.translation - a.translation;
  if (const auto* axes = std::get_if<AxesJoint>(&kind)) {
    Vec3 local = rotate_inverse(a.rotation, apart);
    for (int k = 0; k < 3; ++k) {
      const JointAxis& axis = axes->axes[static_cast<std::size_t>(k)];
      if (axis.motion == AxisMotion::free) local[k] = 0;
      if (axis.motion == AxisMotion::limited) local[k] -= std::clamp(local[k], axis.lower, axis.upper);
    }
    return rotate(a.rotation, local);
  }
  if (const auto* rod = std::get_if<DistanceJoint>(&kind)) {
    const double distance = length(apart), excess = distance - std::clamp(distance, rod->lower, rod->upper);
    return distance > 0 ? apart * (excess / distance) : Vec3{};
  }
  return {};
}

}  // namespace rigor
