// Bodies, joints and methods that the tests of force-level solvers share.
#pragma once

#include "support.h"

namespace rigor::test {

constexpr double kG = 9.81;

inline Material material_of(double friction, double restitution = 0) {
  Material m;
  m.friction = friction;
  m.restitution = restitution;
  return m;
}

/// Force-level solvers for contacts and joints, sequential impulses for impacts.
inline Method force_method(const std::string& contact, const std::string& joint, const std::string& integrator) {
  Method m;
  m.integrator.name = integrator;
  m.collision_solver = {"sequential-impulse", {{"iterations", std::int64_t{200}}}};
  m.contact_solver.name = contact;
  m.joint_solver.name = joint;
  return m;
}

inline AxesJoint joint_free_about(std::initializer_list<std::size_t> axes) {
  AxesJoint joint;
  for (const std::size_t i : axes) joint.axes[i].motion = AxisMotion::free;
  return joint;
}

/// Both frames at `place` in the world.
inline JointId connect(World& world, BodyId a, BodyId b, const Transform& place, const JointKind& kind) {
  JointDef def;
  def.a = a, def.b = b;
  def.frame_a = world.frame_in_body(a, place), def.frame_b = world.frame_in_body(b, place);
  def.kind = kind;
  return world.add_joint(def);
}

/// A uniform rod of 1 m and 1 kg along x, thin, that touches nothing.
inline BodyDef thin_rod(const std::string& name, const Vec3& center) {
  BodyDef def = body_with_inertia(name, 1, {1e-4, 1.0 / 12, 1.0 / 12});
  def.position = center;
  def.can_collide = false;
  return def;
}

inline void run(Simulation& sim, double seconds, double h) {
  const auto steps = static_cast<int>(std::lround(seconds / h));
  for (int i = 0; i < steps; ++i) sim.step(h);
}

}  // namespace rigor::test
