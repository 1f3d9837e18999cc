// Computes the two frames of a joint from anchor, axes or frames.
#pragma once

#include <optional>
#include <string>

#include "constraints/joints/joint_type.h"
#include "rigor/world.h"

namespace rigor {

/// A whole frame, or a point and directions of any length but zero.
struct FrameSpec {
  std::optional<Transform> frame;
  std::optional<Vec3> anchor, axis, axis2;

  bool is_empty() const { return !frame && !anchor && !axis && !axis2; }
};

/// In world coordinates at the present poses, and in those of either body, which take precedence.
struct PlacementSpec {
  FrameSpec world, a, b;
};

/// Fills in the frames of `def`, whose type is `entry`, and lets `type` read initial values from them. Defaults are the axes
/// of the world and b's origin as the anchor. Error at `place` if the type needs something that is missing or the directions
/// do not define a frame.
void place_joint(const World& world, const Entry& entry, const PlacementSpec& spec, const std::string& place,
                 JointDef& def, JointType& type);

}  // namespace rigor
