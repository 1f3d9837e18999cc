// A custom joint: it writes the rows that hold two bodies, and every solver and step can handle it.
//
//   C(x) = 0 or C(x) ≥ 0,   Ċ = J u        the joint states C and J at the poses that it is given
//
//   class OnSphere final : public rigor::extend::Joint {
//     void write(const rigor::extend::JointFrames& f, rigor::extend::JointRows& rows) const override { … }
//   };
//
// J has to be the derivative of C: no solver can correct errors if it is not. Capabilities list what a user has to give to
// place it, as for built-in joints: "anchor", "axis", "axis2", "perpendicular". The two frames coincide when it is made.
//
// Rules. write() is const and may be called by several threads at once, many times per step and at trial poses.
// It has to be a pure function of the frames and the parameters, and to write the same rows in the same order at every pose.
// At most kMostRows rows of each kind. If write() throws, or writes a number that is not finite, Simulation::step() throws an Error
// that names the joint type.
#pragma once

#include <limits>

#include "rigor/extend/jacobian.h"
#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor::extend {

/// Where the two frames of the joint are; world coordinates.
struct JointFrames {
  Vec3 center_a, center_b;    // m, centers of mass of the bodies
  Vec3 origin_a, origin_b;    // m, origins of the joint frames
  Quat frame_a, frame_b;      // joint frames to world
  Vec3 axis_a[3], axis_b[3];  // unit, the axes of the joint frames

  /// The origin of frame b in the coordinates of frame a.
  Vec3 b_in_a() const { return rotate_inverse(frame_a, origin_b - origin_a); }
  /// Ċ = n · (velocity of b's origin relative to frame a), n in the coordinates of frame a: the gradient of C(b_in_a()).
  Jacobian gradient(const Vec3& n) const {
    return linear_jacobian(rotate(frame_a, n), origin_b - center_a, origin_b - center_b);
  }
};

/// Takes the rows of a joint.
class JointRows {
 public:
  static constexpr int kMostRows = 6;  // of each kind
  virtual ~JointRows() = default;
  /// C = 0.
  virtual void hold(double C, const Jacobian& J) = 0;
  /// C ≥ 0; its force pushes along J and is never negative.
  virtual void limit(double C, const Jacobian& J) = 0;
  /// Ċ = `speed` with a force of at most `most`, N or N m.
  virtual void drive(double speed, double most, const Jacobian& J) = 0;
  /// A force of −stiffness C − damping Ċ along J; N/m and N s/m.
  virtual void spring(double C, double stiffness, double damping, const Jacobian& J) = 0;
};

class Joint : public Configurable {
 public:
  static constexpr Kind kKind = Kind::joint;
  virtual void write(const JointFrames& frames, JointRows& rows) const = 0;
};

}  // namespace rigor::extend
