// The coordinates of a joint as those of the body that it carries, and the motion that they allow (Featherstone 2008, chapter 4).
//
//   translation t        of frame b's origin along those axes of frame a that are not locked
//   no free angle        R = 1
//   one, about axis k    R = R_k(θ)
//   two, i before j      R = R_i(θ₁) R_j(θ₂): the first axis is carried by a, the second by b; never singular
//   three                R is a unit quaternion; its rate is the angular velocity of b relative to a, in a's axes
//
// For a body without a carrier t and R are its position and orientation, and the rates are its velocities.
#pragma once

#include <array>
#include <optional>

#include "articulated/spatial.h"
#include "constraints/constraint_list.h"

namespace rigor::articulated {

struct JointMotion {
  int linear_count = 0, angular_count = 0;
  std::array<int, 3> linear{};  // axes of frame a
  std::array<int, 2> angular{};

  int size() const { return linear_count + angular_count; }
};

/// None for joints that cannot carry a body in a tree: soft joints, joints without frames and axes, and joints with all six axes free.
std::optional<JointMotion> tree_motion(const StepJoint& joint);

/// Numbers per coordinate, with rates last; rates beyond the joint's count are zero. Also used for their derivatives in time.
struct LinkCoordinates {
  Vec3 t;                         // m
  std::array<double, 2> angle{};  // rad
  Quat q;                         // of three free angles
  std::array<double, 6> rate{};   // linear ones first
};

/// The rotation from frame a to frame b.
Quat relative_rotation(const JointMotion& motion, const LinkCoordinates& at);
/// The coordinates nearest to a relative pose of the frames: t along a's axes, and the rotation from a to b.
void read_coordinates(const JointMotion& motion, const Vec3& t, const Quat& rotation, LinkCoordinates& at);
/// d/dt of the coordinates; rates are not changed.
void coordinate_rates(const JointMotion& motion, const LinkCoordinates& at, LinkCoordinates& derivative);
/// Moves the coordinates with constant rates for h seconds.
void advance(const JointMotion& motion, const std::array<double, 6>& rate, double h, LinkCoordinates& at);

}  // namespace rigor::articulated
