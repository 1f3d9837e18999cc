// The bodies that a gear acts on.
#pragma once

#include <utility>

#include "constraints/joint_pose.h"
#include "rigor/ids.h"

namespace rigor {

class World;

/// A coordinate of a joint with six axes.
struct GearEnd {
  JointId joint;
  int axis = 0;
};

/// The bodies on which a gear between two coordinates acts; invalid ids if there are none.
/// One or two moving bodies: these, since all others are fixed carriers; if only one moves, the other one is its carrier.
/// Three, if the two joints share a body and have one free axis each: the outer two, unless the axes are the same, as those of hinges on one shaft.
/// gear_joint.cpp has the equations.
std::pair<BodyId, BodyId> gear_bodies(const World& world, const GearEnd& first, const GearEnd& second);

/// The twist of a joint's body b against its body a at a rate of 1 of one coordinate, if the others are locked: angular velocity and velocity of the
/// point of b that is at `point`. All in the world.
struct Screw {
  Vec3 w, v;
};
Screw screw_of(const JointPose& pose, int axis, const Vec3& point);
/// Radius of gyration of a body and distance of its center of mass from a point, m: the length that a wrench on it is compared with.
double reach_from(const BodyState& s, std::uint32_t slot, const Vec3& point);
/// The point about which the screws of two coordinates are compared: on the axis of a rotation, between those of two.
Vec3 gear_point(const JointPose& first, int first_axis, const JointPose& second, int second_axis);

}  // namespace rigor
