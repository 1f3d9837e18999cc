// The poses of a joint's two frames.
#pragma once

#include "constraints/constraint_list.h"

namespace rigor {

struct JointPose {
  Vec3 x_a, x_b;              // m, centers of mass
  Vec3 p_a, p_b;              // m, origins of the joint frames
  Quat q_a, q_b;              // joint frames to world
  Vec3 axis_a[3], axis_b[3];  // unit, world
};

inline JointPose joint_pose(const StepJoint& joint, const BodyState& s) {
  JointPose pose;
  pose.x_a = s.position[joint.slot_a], pose.x_b = s.position[joint.slot_b];
  pose.p_a = pose.x_a + rotate(s.orientation[joint.slot_a], joint.frame_a.translation);
  pose.p_b = pose.x_b + rotate(s.orientation[joint.slot_b], joint.frame_b.translation);
  pose.q_a = s.orientation[joint.slot_a] * joint.frame_a.rotation;
  pose.q_b = s.orientation[joint.slot_b] * joint.frame_b.rotation;
  const Mat3 ra = rotation_matrix(pose.q_a), rb = rotation_matrix(pose.q_b);
  for (int i = 0; i < 3; ++i) pose.axis_a[i] = ra.column(i), pose.axis_b[i] = rb.column(i);
  return pose;
}

}  // namespace rigor
