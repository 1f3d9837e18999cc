// Moves the anchor of a joint, as the page does when the user drags it, and turns its axis.
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

/// True for joints with one axis about or along which the bodies move: hinges, sliders, cylindrical joints.
bool has_axis(const JointDef& joint);
/// That axis as body b has it: a unit vector of the world. Only if has_axis().
Vec3 axis_of(const World& world, const JointDef& joint);
/// The joint with its axis along a direction of the world. Both frames turn alike about the anchor, so that its coordinates do not change.
/// Error unless has_axis(). The direction need not be a unit vector, but longer than zero.
JointDef with_axis(const World& world, JointId id, const Vec3& direction);

/// Replaces a joint by another definition of the same name, between the same bodies. It keeps its index, and gears keep turning with it; the impulses of its last
/// step are dropped. Error, with nothing changed, if the definition is invalid.
JointId replace_joint(World& world, JointId id, const JointDef& def);

}  // namespace rigor::viewer
