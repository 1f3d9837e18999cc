// Moves the anchor of a joint, as the page does when the user drags it.
#pragma once

#include "rigor/world.h"

namespace rigor::viewer {

/// Which of a joint's two frames an anchor belongs to. Joints with six axes have one anchor, which both frames share.
enum class JointEnd { a, b };

/// False for joints without an anchor point: wires, gears, extensions.
bool has_anchor(const JointDef& joint);
/// True if the joint has two anchors that move independently: rods, ropes, springs.
bool has_two_anchors(const JointDef& joint);

/// The joint with its anchor at a point of the world, m. Both frames of a joint with six axes move alike, so that its coordinates do not change. For
/// a rod, rope or spring one end moves: a rod gets the length that it needs, a rope becomes longer if it is too short, a spring keeps its rest length.
/// Error unless has_anchor().
JointDef with_anchor(const World& world, JointId id, JointEnd end, const Vec3& point);

/// Replaces a joint by another definition of the same name, between the same bodies. It keeps its index, and gears keep turning with it; the impulses of its last
/// step are dropped. Error, with nothing changed, if the definition is invalid.
JointId replace_joint(World& world, JointId id, const JointDef& def);

}  // namespace rigor::viewer
