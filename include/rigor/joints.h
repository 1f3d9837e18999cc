// Joints connect two bodies (2.7, 7.4.3).
//
// Nearly every joint consists of two frames, one fixed in each body, and the state of each of the six relative axes: free, limited
// or locked, optionally driven by a motor or a spring. Hinges, sliders and universal joints are all described this way. Solvers, limits,
// motors and reduced coordinates all read that one description.
//
// The six coordinates of frame b relative to frame a:
//   0…2  translation of b's origin along the axes of frame a, m
//   3…5  angles α, β, γ of the rotation Rx(α) Ry(β) Rz(γ) from a to b, rad: α turns about a's x axis, γ about b's z axis, β
//        about their common perpendicular
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rigor/ids.h"
#include "rigor/math.h"

namespace rigor {

namespace extend {
class Joint;
}

/// Names of the six coordinates, for functions that take the number of an axis. A hinge turns `about_x`, a slider slides `along_x`.
namespace joint_axis {
inline constexpr int along_x = 0, along_y = 1, along_z = 2;
inline constexpr int about_x = 3, about_y = 4, about_z = 5;
}  // namespace joint_axis

enum class AxisMotion : std::uint8_t { locked, limited, free };

/// Drives a free or limited axis.
struct AxisMotor {
  enum class Kind : std::uint8_t { none, velocity, servo };
  Kind kind = Kind::none;
  double target = 0;                                           // m/s or rad/s of a velocity motor; m or rad of a servo
  double max_force = std::numeric_limits<double>::infinity();  // N or N m
  double proportional = 0;                                     // N/m or N m/rad, of a servo's PID controller
  double integral = 0;                                         // N/(m s) or N m/(rad s)
  double derivative = 0;                                       // N s/m or N m s/rad

  bool operator==(const AxisMotor&) const = default;
};

/// A damped spring along a free or limited axis.
struct AxisSpring {
  double stiffness = 0;  // N/m or N m/rad
  double damping = 0;    // N s/m or N m s/rad
  double rest = 0;       // m or rad

  bool operator==(const AxisSpring&) const = default;
};

struct JointAxis {
  AxisMotion motion = AxisMotion::locked;
  // m or rad, of a limited axis; one may be infinite; equal ones lock the axis there
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  AxisMotor motor;
  AxisSpring spring;
  double friction = 0;  // N or N m, dry friction within the joint

  bool operator==(const JointAxis&) const = default;
};

/// The general joint: six axes. Locked axes give way like springs of `stiffness` and `damping` when these are set.
struct AxesJoint {
  std::array<JointAxis, 6> axes;
  double stiffness = std::numeric_limits<double>::infinity();  // N/m and N m/rad
  double damping = 0;                                          // N s/m and N m s/rad
  double max_swing = std::numeric_limits<double>::infinity();  // rad, between the x axes of the frames: a cone
  // rad, about the x axis besides the swing: the rotation from a to b is the shortest one from x to x after this one
  double min_twist = -std::numeric_limits<double>::infinity(), max_twist = std::numeric_limits<double>::infinity();

  bool operator==(const AxesJoint&) const = default;
};

/// Keeps the distance of the two origins within [lower, upper]: a massless rod, a rope, a stop; or a spring.
struct DistanceJoint {
  double lower = 0, upper = 0;                                 // m
  double stiffness = std::numeric_limits<double>::infinity();  // N/m
  double damping = 0;                                          // N s/m

  bool operator==(const DistanceJoint&) const = default;
};

/// The origin of frame b slides along a smooth curve through `points`, given in frame a: a bead on a wire.
struct PathJoint {
  std::vector<Vec3> points;  // m, at least two
  bool closed = false;

  bool operator==(const PathJoint&) const = default;
};

/// Couples the coordinates of two joints: first + ratio · second keeps its initial value.
/// On fixed carriers, its bodies are those that the two joints move. The carriers do not appear in its equation, so that its forces on its own two
/// bodies do not cancel: the rest of the momentum goes into the fixed bodies. No other joint is like that.
/// Two joints with one free axis each may share a moving body. The gear then acts on the other two, and its forces cancel.
struct GearJoint {
  JointId first, second;
  int first_axis = joint_axis::about_x, second_axis = joint_axis::about_x;
  double ratio = 1;
  double offset = 0;  // of first + ratio · second; filled in when the joint is added

  bool operator==(const GearJoint&) const = default;
};

/// A joint of a registered type whose rows an extension writes; see rigor/extend/joint.h. Made by make_joint().
struct ExtensionJoint {
  std::string type;                            // its name in the registry
  std::shared_ptr<const extend::Joint> joint;  // with its parameters; never changed

  /// The same type with the same parameters.
  bool operator==(const ExtensionJoint& other) const;
};

using JointKind = std::variant<AxesJoint, DistanceJoint, PathJoint, GearJoint, ExtensionJoint>;

/// The description of a new joint.
struct JointDef {
  std::string name;  // unique among joints, or empty: it is then called joint<N>
  std::string type;  // how it was made, a name of the registry; empty: by hand
  BodyId a, b;
  Transform frame_a, frame_b;  // in the bodies' own coordinates
  JointKind kind = AxesJoint{};
  bool collide = false;                                           // whether the two bodies collide with each other
  double break_force = std::numeric_limits<double>::infinity();   // N
  double break_torque = std::numeric_limits<double>::infinity();  // N m
  // Error reduction parameter (5.1): the part of its position error that one step removes, 0 to 1. Empty: that of the method.
  std::optional<double> erp;
  bool active = true;
  std::uint64_t user_data = 0;  // of the application, such as an index or a pointer; the library never reads it
};

/// The state of a joint that is carried from step to step, and what it reports; part of the state of a world.
struct JointState {
  static constexpr int kKeys = 40;
  std::array<double, kKeys> lambda{};      // N s, by row key: impulses of the last step, for warm starting
  std::array<double, 6> servo_integral{};  // m s or rad s, by axis
  std::array<double, 2> gear_angle{};      // rad or m, of a gear: both coordinates, continued over full turns
  Vec3 force;                              // N, on body b, world frame: reaction in the last step
  Vec3 torque;                             // N m, on body b about its joint frame's origin
  bool broken = false;
};

/// Throws an Error that names the place if a number is not finite, out of range or contradicts another.
void check(const JointDef& def, const std::string& place);

}  // namespace rigor
