#include "lab/peers/peer_scene.h"

#include <cmath>

#include "rigor/error.h"

namespace rigor {

namespace {

bool is_simple(const Shape& s) { return s.as<Plane>() || s.as<Box>() || s.as<Sphere>() || s.as<Capsule>(); }

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(what, why + "; without --against it can be measured");
}

Vec3 inertia_of(const MassProperties& m, const std::string& place) {
  const Mat3& I = m.inertia;
  const Vec3 diagonal{I(0, 0), I(1, 1), I(2, 2)};
  const double off = std::abs(I(0, 1)) + std::abs(I(0, 2)) + std::abs(I(1, 2));
  const double size = diagonal.x + diagonal.y + diagonal.z;
  if (off > 1e-12 * size || length(m.center_of_mass) > 1e-12 * std::sqrt(size / m.mass))
    refuse(place, "other engines want its center of mass and principal axes in its frame");
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

}  // namespace

PeerScene peer_scene(const Scene& scene) {
  const World& w = scene.world;
  PeerScene peer;
  peer.world = &w;
  peer.gravity = gravity_of(w);
  peer.h = scene.time.step;
  for (const BodyId id : w.bodies()) {
    if (id == w.world_body() || !w.is_active(id)) continue;
    peer.bodies.push_back(peer_body(w, id));
    peer.filters = peer.filters || w.body_def(id).group != 1 || w.body_def(id).mask != 0xffffffffu;
  }
  refuse_other_forces(w);
  if (w.joint_count() > 0) refuse("joints", "other engines get no joints yet");
  return peer;
}

}  // namespace rigor
