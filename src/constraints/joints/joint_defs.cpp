// Typed joint definitions: the maker of the type places the frames, the numbers of the structure go into its axes.
#include "rigor/joint_defs.h"

#include <algorithm>
#include <cmath>

#include "rigor/error.h"
#include "rigor/joint_types.h"
#include "rigor/world.h"

namespace rigor {

namespace {

void set_axis(JointDef& joint, int number, const AxisDef& def) {
  JointAxis& axis = std::get<AxesJoint>(joint.kind).axes[static_cast<std::size_t>(number)];
  axis.lower = def.lower, axis.upper = def.upper;
  axis.motion = std::isfinite(def.lower) || std::isfinite(def.upper) ? AxisMotion::limited : AxisMotion::free;
  axis.motor = def.motor, axis.spring = def.spring;
  axis.friction = def.friction;
}

void set_softness(JointDef& joint, const JointSoftness& softness) {
  AxesJoint& axes = std::get<AxesJoint>(joint.kind);
  axes.stiffness = softness.stiffness, axes.damping = softness.damping;
}

JointDef with_options(JointDef joint, const JointOptions& options) {
  joint.name = options.name;
  joint.collide = options.collide, joint.active = options.active;
  joint.break_force = options.break_force, joint.break_torque = options.break_torque;
  joint.erp = options.erp;
  joint.user_data = options.user_data;
  check(joint, joint.type + " joint " + (joint.name.empty() ? "" : "'" + joint.name.substr(0, 60) + "'"));
  return joint;
}

}  // namespace

JointDef make_joint(const World& world, const BallDef& def) {
  JointDef joint =
      def.axis ? ball_joint(world, def.a, def.b, def.anchor, *def.axis) : ball_joint(world, def.a, def.b, def.anchor);
  AxesJoint& axes = std::get<AxesJoint>(joint.kind);
  axes.max_swing = def.max_swing;
  axes.min_twist = def.min_twist, axes.max_twist = def.max_twist;
  for (const int k : {joint_axis::about_x, joint_axis::about_y, joint_axis::about_z}) {
    axes.axes[static_cast<std::size_t>(k)].friction = def.friction;
    axes.axes[static_cast<std::size_t>(k)].spring.damping = def.damping;
  }
  set_softness(joint, def.softness);
  return with_options(std::move(joint), def.options);
}

JointDef make_joint(const World& world, const HingeDef& def) {
  JointDef joint = hinge_joint(world, def.a, def.b, def.anchor, def.axis);
  set_axis(joint, joint_axis::about_x, def.drive);
  set_softness(joint, def.softness);
  return with_options(std::move(joint), def.options);
}

JointDef make_joint(const World& world, const SliderDef& def) {
  JointDef joint = slider_joint(world, def.a, def.b, def.anchor, def.axis);
  set_axis(joint, joint_axis::along_x, def.drive);
  set_softness(joint, def.softness);
  return with_options(std::move(joint), def.options);
}

JointDef make_joint(const World& world, const CylindricalDef& def) {
  JointDef joint = cylindrical_joint(world, def.a, def.b, def.anchor, def.axis);
  set_axis(joint, joint_axis::along_x, def.slide);
  set_axis(joint, joint_axis::about_x, def.turn);
  set_softness(joint, def.softness);
  return with_options(std::move(joint), def.options);
}

JointDef make_joint(const World& world, const UniversalDef& def) {
  JointDef joint = universal_joint(world, def.a, def.b, def.anchor, def.axis, def.axis2);
  set_axis(joint, joint_axis::about_x, def.turn);
  set_axis(joint, joint_axis::about_z, def.turn2);
  set_softness(joint, def.softness);
  return with_options(std::move(joint), def.options);
}

JointDef make_joint(const World& world, const FixedDef& def) {
  JointDef joint = fixed_joint(world, def.a, def.b);
  set_softness(joint, def.softness);
  return with_options(std::move(joint), def.options);
}

JointDef make_joint(const World& world, const DistanceDef& def) {
  JointDef joint = distance_joint(world, def.a, def.b, def.anchor_a, def.anchor_b);
  DistanceJoint& rod = std::get<DistanceJoint>(joint.kind);
  const double now = rod.upper;
  rod.upper = def.upper.value_or(def.lower ? std::max(now, *def.lower) : now);
  rod.lower = def.lower.value_or(rod.upper);
  rod.stiffness = def.stiffness, rod.damping = def.damping;
  if (rod.lower != rod.upper) joint.type = "rope";
  return with_options(std::move(joint), def.options);
}

JointDef make_joint(const World& world, const GearDef& def) {
  return with_options(gear_joint(world, def.first, def.second, def.ratio, def.first_axis, def.second_axis),
                      def.options);
}

JointId add_joint(World& world, const BallDef& def) { return world.add_joint(make_joint(world, def)); }
JointId add_joint(World& world, const HingeDef& def) { return world.add_joint(make_joint(world, def)); }
JointId add_joint(World& world, const SliderDef& def) { return world.add_joint(make_joint(world, def)); }
JointId add_joint(World& world, const CylindricalDef& def) { return world.add_joint(make_joint(world, def)); }
JointId add_joint(World& world, const UniversalDef& def) { return world.add_joint(make_joint(world, def)); }
JointId add_joint(World& world, const FixedDef& def) { return world.add_joint(make_joint(world, def)); }
JointId add_joint(World& world, const DistanceDef& def) { return world.add_joint(make_joint(world, def)); }
JointId add_joint(World& world, const GearDef& def) { return world.add_joint(make_joint(world, def)); }

}  // namespace rigor
