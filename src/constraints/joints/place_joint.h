// The two frames of a joint from what a user says about them.
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

/// In world coordinates at the present poses, and in those of either body, which win.
struct PlacementSpec {
  FrameSpec world, a, b;
};

/// Fills in the frames of `def`, whose type is `entry`, and lets `type` take what it wants from them. What is not said: the axes
/// of the world, b's origin as the anchor. Error at `place` when the type wants something that is missing or the directions
/// make no frame.
void place_joint(const World& world, const Entry& entry, const PlacementSpec& spec, const std::string& place,
                 JointDef& def, JointType& type);

}  // namespace rigor
