#pragma once

#include "rigor/world.h"

namespace rigor {

/// The distance of a joint's two anchors along locked directions: from a's to b's, world, m. Zero
/// for joints that lock no translation.
Vec3 joint_gap(const World& world, const JointDef& joint);
/// The same with the joint's two frames at these poses.
Vec3 joint_gap(const Transform& a, const Transform& b, const JointKind& kind);
/// A joint's frame in the world.
Transform joint_frame(const World& world, BodyId body, const Transform& frame_in_body);

}  // namespace rigor
