// Joints as plain structures: the parameters that joint_types.h takes by name are members here, so that the compiler checks them.
//
//   const JointId door = add_joint(world, HingeDef{.a = frame, .b = leaf, .anchor = {0, 1, 0}, .axis = {0, 1, 0},
//                                                  .drive = {.lower = 0, .upper = 1.5}});
//   world.joint_position(door, joint_axis::about_x);
//
// Anchors and axes are in world coordinates at the bodies' present poses. A structure makes the same JointDef as the maker of its type,
// with the same checks.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "rigor/joints.h"

namespace rigor {

class World;

/// Limits, motor, spring and friction of one free axis: m, N for a slider; rad, N m for a hinge.
struct AxisDef {
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  AxisMotor motor = {};
  AxisSpring spring = {};
  double friction = 0;
};

/// Softness of the locked axes of a joint; rigid unless given.
struct JointSoftness {
  double stiffness = std::numeric_limits<double>::infinity();  // N/m and N m/rad
  double damping = 0;                                          // N s/m and N m s/rad
};

/// The members that all joints share.
struct JointOptions {
  std::string name = {};
  bool collide = false;                                           // whether the two bodies collide with each other
  double break_force = std::numeric_limits<double>::infinity();   // N
  double break_torque = std::numeric_limits<double>::infinity();  // N m
  std::optional<double> erp = {};  // part of its error that one step removes; empty: that of the method
  bool active = true;
  std::uint64_t user_data = 0;
};

/// Holds the anchor; all rotations are free, or limited to a cone and a twist about `axis` if they are given.
struct BallDef {
  BodyId a, b;
  Vec3 anchor;
  std::optional<Vec3> axis = {};
  double max_swing = std::numeric_limits<double>::infinity();  // rad
  double min_twist = -std::numeric_limits<double>::infinity(), max_twist = std::numeric_limits<double>::infinity();
  double friction = 0;  // N m, against any turning
  double damping = 0;   // N m s/rad, against any turning
  JointSoftness softness = {};
  JointOptions options = {};
};

/// Turns about the axis: coordinate joint_axis::about_x.
struct HingeDef {
  BodyId a, b;
  Vec3 anchor, axis;
  AxisDef drive = {};
  JointSoftness softness = {};
  JointOptions options = {};
};

/// Slides along the axis: coordinate joint_axis::along_x.
struct SliderDef {
  BodyId a, b;
  Vec3 anchor, axis;
  AxisDef drive = {};
  JointSoftness softness = {};
  JointOptions options = {};
};

/// Slides along the axis and turns about it.
struct CylindricalDef {
  BodyId a, b;
  Vec3 anchor, axis;
  AxisDef slide = {}, turn = {};
  JointSoftness softness = {};
  JointOptions options = {};
};

/// Turns about `axis`, which a carries, and about `axis2`, which b carries; the two are perpendicular.
struct UniversalDef {
  BodyId a, b;
  Vec3 anchor, axis, axis2;
  AxisDef turn = {}, turn2 = {};  // joint_axis::about_x and joint_axis::about_z
  JointSoftness softness = {};
  JointOptions options = {};
};

/// Welds the two bodies together.
struct FixedDef {
  BodyId a, b;
  JointSoftness softness = {};
  JointOptions options = {};
};

/// Keeps the distance of two points: a rod, an elastic one, or a rope where `lower` is 0.
struct DistanceDef {
  BodyId a, b;
  Vec3 anchor_a, anchor_b;
  std::optional<double> lower = {}, upper = {};                // m; the present distance unless given
  double stiffness = std::numeric_limits<double>::infinity();  // N/m
  double damping = 0;                                          // N s/m
  JointOptions options = {};
};

/// Couples two joints: first + ratio · second stays constant.
struct GearDef {
  JointId first, second;
  double ratio = 1;
  int first_axis = joint_axis::about_x, second_axis = joint_axis::about_x;
  JointOptions options = {};
};

JointDef make_joint(const World& world, const BallDef& def);
JointDef make_joint(const World& world, const HingeDef& def);
JointDef make_joint(const World& world, const SliderDef& def);
JointDef make_joint(const World& world, const CylindricalDef& def);
JointDef make_joint(const World& world, const UniversalDef& def);
JointDef make_joint(const World& world, const FixedDef& def);
JointDef make_joint(const World& world, const DistanceDef& def);
JointDef make_joint(const World& world, const GearDef& def);

JointId add_joint(World& world, const BallDef& def);
JointId add_joint(World& world, const HingeDef& def);
JointId add_joint(World& world, const SliderDef& def);
JointId add_joint(World& world, const CylindricalDef& def);
JointId add_joint(World& world, const UniversalDef& def);
JointId add_joint(World& world, const FixedDef& def);
JointId add_joint(World& world, const DistanceDef& def);
JointId add_joint(World& world, const GearDef& def);

}  // namespace rigor
