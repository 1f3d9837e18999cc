#include "viewer/inspector.h"

#include <nlohmann/json.hpp>

#include "io/write_parts.h"
#include "viewer/joint_panel.h"

namespace rigor::viewer {

namespace {

/// Unlike the scene writer, this accepts numbers that are not finite: the page has to show those, too.
Json vec(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

const char* set_name(const BodyState& s, std::uint32_t slot) {
  constexpr const char* kNames[] = {"awake", "kinematic", "asleep", "still", "inactive"};
  std::size_t set = 0;
  while (slot >= s.set_end[set]) ++set;
  return kNames[set];
}

/// The sizes of a shape that the page can edit, as in a scene file; null for other shapes, whose data may be large.
Json size_of(const Shape* shape) {
  if (!shape) return nullptr;
  const Geometry& g = shape->geometry();
  const bool simple = std::holds_alternative<Box>(g) || std::holds_alternative<Sphere>(g) ||
                      std::holds_alternative<Capsule>(g) || std::holds_alternative<Cylinder>(g) ||
                      std::holds_alternative<Cone>(g);
  return simple ? write_shape(*shape, {}).front() : Json();
}

Json joints(const World& world, BodyId id) {
  Json list = Json::array();
  for (const JointId joint : world.joints()) {
    const JointDef& def = world.joint(joint);
    if (def.a != id && def.b != id) continue;
    Json item = joint_figures(world, joint);
    item.update({{"index", joint.index},
                 {"name", def.name},
                 {"type", def.type},
                 {"with", world.name(def.a == id ? def.b : def.a)},
                 {"active", def.active},
                 {"broken", world.joint_state(joint).broken}});
    list.push_back(std::move(item));
  }
  return list;
}

Json contacts(const Simulation& simulation, BodyId id, Vec3& reaction) {
  Json list = Json::array();
  const double h = simulation.time_settings().step;
  for (const Contact& c : simulation.contacts()) {
    if (c.a != id && c.b != id) continue;
    const BodyId other = c.a == id ? c.b : c.a;
    if (!simulation.world().contains(other)) continue;
    double separation = c.count > 0 ? c.points[0].separation : 0, normal = 0;
    Vec3 force;
    for (int i = 0; i < c.count; ++i) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      separation = std::min(separation, p.separation);
      normal += p.normal_impulse / h;
      force += (c.normal * p.normal_impulse + c.tangent * p.tangent_impulse[0] +
                cross(c.normal, c.tangent) * p.tangent_impulse[1]) /
               h;
    }
    reaction += c.b == id ? force : -force;
    list.push_back({{"with", simulation.world().name(other)},
                    {"points", c.count},
                    {"separation", separation},
                    {"normal_force", normal}});
  }
  return list;
}

}  // namespace

Json inspect(const Simulation& simulation, BodyId id) {
  const World& world = simulation.world();
  if (!world.contains(id)) return nullptr;
  const std::uint32_t slot = world.slot(id);
  const BodyState& s = world.state();
  const BodyDef& def = world.body_def(id);
  const Quat q = world.orientation(id);
  const Vec3 v = s.velocity[slot], w = s.angular_velocity[slot], L = world.angular_momentum(id);
  const double mass = s.inverse_mass[slot] > 0 ? 1 / s.inverse_mass[slot] : 0;
  const std::string set = set_name(s, slot);
  Vec3 reaction;
  Json touching = contacts(simulation, id, reaction);
  return {{"index", id.index},
          {"name", def.name},
          {"shape", std::string(def.shape ? def.shape->type() : "none")},
          {"size", size_of(def.shape.get())},
          {"set", set},
          {"why", simulation.why_awake(id)},
          {"position", vec(world.position(id))},
          {"orientation", Json::array({q.w, q.x, q.y, q.z})},
          {"velocity", vec(v)},
          {"angular_velocity", vec(w)},
          {"kinetic", 0.5 * (mass * length_squared(v) + dot(w, L))},
          {"force", vec(s.force[slot])},
          {"torque", vec(s.torque[slot])},
          {"reaction", vec(reaction)},
          {"mass", mass},
          {"inertia", vec(s.inertia[slot])},
          {"fixed", def.fixed},
          {"can_collide", def.can_collide},
          {"active", def.active},
          {"material",
           {{"name", def.material.name},
            {"density", def.material.density},
            {"friction", def.material.friction},
            {"static_friction", def.material.static_friction},
            {"restitution", def.material.restitution},
            {"rolling_friction", def.material.rolling_friction}}},
          {"contacts", std::move(touching)},
          {"joints", joints(world, id)}};
}

}  // namespace rigor::viewer
