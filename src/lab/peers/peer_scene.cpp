#include "lab/peers/peer_scene.h"

#include <cmath>

#include "rigor/error.h"

namespace rigor {

namespace {

bool is_simple(const Shape& s) { return s.as<Plane>() || s.as<Box>() || s.as<Sphere>() || s.as<Capsule>(); }

[[noreturn]] void refuse(const std::string& what, const std::string& why) { throw Error(what, why); }

Vec3 inertia_of(const MassProperties& m, const std::string& place) {
  const Mat3& I = m.inertia;
  const Vec3 diagonal{I(0, 0), I(1, 1), I(2, 2)};
  const double off = std::abs(I(0, 1)) + std::abs(I(0, 2)) + std::abs(I(1, 2));
  const double size = diagonal.x + diagonal.y + diagonal.z;
  if (off > 1e-12 * size || length(m.center_of_mass) > 1e-12 * std::sqrt(size / m.mass))
    refuse(place, "other engines need its center of mass and principal axes in its frame");
  return diagonal;
}

PeerBody peer_body(const World& w, BodyId id) {
  const std::string place = "body '" + w.name(id) + "'";
  const BodyDef& def = w.body_def(id);
  PeerBody body;
  body.id = id;
  body.shape = def.collision_shape ? def.collision_shape : def.shape;
  if (!is_simple(*body.shape)) refuse(place, "other engines get planes, boxes, spheres and capsules only");
  body.pose = {w.position(id), w.orientation(id)};
  body.velocity = w.velocity(id), body.angular_velocity = w.angular_velocity(id);
  body.friction = def.material.friction, body.restitution = def.material.restitution;
  body.collides = def.can_collide;
  if (!def.fixed) {
    const MassProperties& m = w.mass_properties(id);
    body.mass = m.mass, body.inertia = inertia_of(m, place);
  } else if (body.velocity != Vec3{} || body.angular_velocity != Vec3{}) {
    refuse(place, "other engines get no bodies that are fixed and move");
  }
  return body;
}

/// Gravity is the only force that all engines have.
void refuse_other_forces(const World& w) {
  for (const ForceId id : w.forces()) {
    const ForceDef& force = w.force(id);
    if (!force.active || id == w.gravity()) continue;
    const auto* drag = dynamic_cast<const Drag*>(force.effect.get());
    const bool idle = drag && !drag->depends_on_velocity();
    if (!idle) refuse("force '" + force.name + "'", "other engines get gravity only");
  }
}

Vec3 gravity_of(const World& w) {
  const auto* gravity = dynamic_cast<const Gravity*>(w.force(w.gravity()).effect.get());
  return gravity ? gravity->acceleration : Vec3{};
}

/// The axis that is not locked; -1: none, -2: there are several, or one with more than limits.
int free_axis(const AxesJoint& joint) {
  int found = -1;
  for (int k = 0; k < 6; ++k) {
    const JointAxis& axis = joint.axes[static_cast<std::size_t>(k)];
    if (axis.motion == AxisMotion::locked) continue;
    JointAxis plain;
    plain.motion = axis.motion, plain.lower = axis.lower, plain.upper = axis.upper;
    if (found >= 0 || axis != plain) return -2;
    found = k;
  }
  return found;
}

bool is_ball(const AxesJoint& joint) {
  JointAxis free;
  free.motion = AxisMotion::free;
  for (std::size_t k = 0; k < 6; ++k)
    if (k < 3 ? joint.axes[k].motion != AxisMotion::locked : joint.axes[k] != free) return false;
  return true;
}

/// Turns x into the axis k.
Quat x_to_axis(int k) {
  const double r = std::sqrt(0.5);
  return k == 1 ? Quat{r, 0, 0, r} : k == 2 ? Quat{r, 0, -r, 0} : Quat{1, 0, 0, 0};
}

bool has_cone(const AxesJoint& joint) {
  return std::isfinite(joint.max_swing) || std::isfinite(joint.min_twist) || std::isfinite(joint.max_twist);
}

/// Finds kind and limits; false for other joints.
bool classify(const AxesJoint& axes, int axis, PeerJoint& joint) {
  if (std::isfinite(axes.stiffness)) return false;
  if (is_ball(axes)) {
    joint.kind = PeerJoint::Kind::ball;
    joint.max_swing = axes.max_swing, joint.max_twist = axes.max_twist;
    return !has_cone(axes) ||
           (std::isfinite(axes.max_swing) && std::isfinite(axes.max_twist) && axes.min_twist == -axes.max_twist);
  }
  if (axis == -2 || has_cone(axes)) return false;
  joint.kind = axis < 0 ? PeerJoint::Kind::fixed : axis < 3 ? PeerJoint::Kind::slider : PeerJoint::Kind::hinge;
  if (axis < 0) return true;
  const JointAxis& free = axes.axes[static_cast<std::size_t>(axis)];
  if (free.motion == AxisMotion::limited) joint.lower = free.lower, joint.upper = free.upper;
  return true;
}

bool has_limits(PeerLimits limits, PeerJoint::Kind kind) {
  if (kind == PeerJoint::Kind::ball) return limits == PeerLimits::hinges_and_cones;
  if (kind == PeerJoint::Kind::slider) return limits == PeerLimits::hinges_and_sliders;
  return limits != PeerLimits::none;
}

PeerJoint peer_joint(const World& w, const JointDef& def, PeerLimits limits) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  const int axis = axes ? free_axis(*axes) : -2;
  PeerJoint joint;
  joint.name = def.name;
  joint.frame_a = def.frame_a, joint.frame_b = def.frame_b;
  const bool is_known = axes && classify(*axes, axis, joint);
  const bool breaks = std::isfinite(def.break_force) || std::isfinite(def.break_torque);
  if (!is_known || breaks || (joint.is_limited() && !has_limits(limits, joint.kind)))
    refuse("joint '" + def.name + "'",
           "other engines get ball, hinge, slider and fixed joints without motors, springs and friction, and without "
           "limits but for Bullet's hinges and cones and DART's hinges and sliders");
  const Quat turn = x_to_axis(axis < 0 ? 0 : axis % 3);
  joint.frame_a.rotation = joint.frame_a.rotation * turn, joint.frame_b.rotation = joint.frame_b.rotation * turn;
  joint.anchor = w.to_world(def.b, joint.frame_b.translation);
  joint.axis = rotate(w.orientation(def.b), rotate(joint.frame_b.rotation, {1, 0, 0}));
  return joint;
}

void add_joints(const World& w, PeerLimits limits, PeerScene& peer) {
  const auto index = [&](BodyId id) {
    for (std::size_t i = 0; i < peer.bodies.size(); ++i)
      if (peer.bodies[i].id == id) return i;
    return PeerJoint::kWorld;
  };
  for (const JointId id : w.joints()) {
    const JointDef& def = w.joint(id);
    if (!def.active || w.joint_state(id).broken) continue;
    peer.joints.push_back(peer_joint(w, def, limits));
    peer.joints.back().a = index(def.a), peer.joints.back().b = index(def.b);
  }
}

/// True if some pair may not collide, for any reason: groups, joints, ignored pairs, a function of the user.
bool has_filters(const PeerScene& peer) {
  constexpr std::size_t kMany =
      10000;  // checking this many pairs would take longer than a filter that accepts all of them
  if (peer.bodies.size() > kMany) return true;
  for (std::size_t i = 0; i < peer.bodies.size(); ++i)
    for (std::size_t k = 0; k < i && peer.bodies[i].collides; ++k) {
      const PeerBody &a = peer.bodies[i], &b = peer.bodies[k];
      if (b.collides && a.mass + b.mass > 0 && !peer.world->may_collide(a.id, b.id)) return true;
    }
  return false;
}

}  // namespace

PeerScene peer_scene(const Scene& scene, PeerLimits limits) {
  const World& w = scene.world;
  PeerScene peer;
  peer.world = &w;
  peer.gravity = gravity_of(w);
  peer.h = scene.time.step;
  peer.bounce_speed = scene.method.restitution_threshold;
  for (const BodyId id : w.bodies()) {
    if (id == w.world_body() || !w.is_active(id)) continue;
    peer.bodies.push_back(peer_body(w, id));
  }
  refuse_other_forces(w);
  add_joints(w, limits, peer);
  peer.filters = has_filters(peer);
  return peer;
}

}  // namespace rigor
