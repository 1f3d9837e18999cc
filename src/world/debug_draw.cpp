// The contents of each layer of debug_draw.h.
#include "rigor/debug_draw.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "islands/islands.h"
#include "math/disjoint_sets.h"
#include "rigor/simulation.h"
#include "rigor/world.h"
#include "world/joint_gap.h"

namespace rigor {

// The layers that show joints.

namespace {

/// What is drawn: a simulation, and the objects in it that are switched on.
struct Source {
  const Simulation& simulation;
  const DebugFlags& flags;

  const World& world() const { return simulation.world(); }
  const BodyState& state() const { return simulation.world().state(); }
  bool draws_body(std::uint32_t slot) const { return flags.is_on(world().id_of(state().id_index[slot])); }
};

bool works(const World& world, JointId id) { return world.joint(id).active && !world.joint_state(id).broken; }

/// Calls f(id, joint, its state) for every active joint that is switched on.
template <class F> void for_each_working_joint(const Source& source, F f) {
  const World& world = source.world();
  for (const JointId id : world.joints())
    if (works(world, id) && source.flags.is_on(id)) f(id, world.joint(id), world.joint_state(id));
}

std::vector<DebugVector> joint_frame_vectors(const Source& source) {
  const World& world = source.world();
  std::vector<DebugVector> items;
  for_each_working_joint(source, [&](JointId, const JointDef& joint, const JointState&) {
    for (const Transform& frame :
         {joint_frame(world, joint.a, joint.frame_a), joint_frame(world, joint.b, joint.frame_b)})
      for (int k = 0; k < 3; ++k) {
        Vec3 axis;
        axis[k] = 1;
        items.push_back({frame.translation, rotate(frame.rotation, axis), static_cast<double>(k)});
      }
  });
  return items;
}

std::vector<DebugVector> joint_error_vectors(const Source& source) {
  const World& world = source.world();
  std::vector<DebugVector> items;
  for_each_working_joint(source, [&](JointId, const JointDef& joint, const JointState&) {
    const Vec3 gap = joint_gap(world, joint);
    if (gap != Vec3{}) items.push_back({joint_frame(world, joint.a, joint.frame_a).translation, gap, length(gap)});
  });
  return items;
}

std::vector<DebugVector> joint_force_vectors(const Source& source) {
  const World& world = source.world();
  std::vector<DebugVector> items;
  for_each_working_joint(source, [&](JointId, const JointDef& joint, const JointState& state) {
    if (state.force != Vec3{})
      items.push_back({joint_frame(world, joint.b, joint.frame_b).translation, state.force, length(state.force)});
  });
  return items;
}

/// Lines of one joint. Arcs have the distance from the joint to the nearer center of mass as radius, so that they fit the scene.
struct LimitLines {
  std::vector<DebugVector>& items;
  Vec3 center;
  double radius;  // m

  void line(const Vec3& from, const Vec3& to, double value = 0) const { items.push_back({from, to - from, value}); }

  /// Directions cos φ u + sin φ v for φ in [from, to], with a spoke at either end and one at `now`.
  void arc(const Vec3& u, const Vec3& v, double from, double to, double now, double size) const {
    constexpr int kPieces = 24;
    const auto at = [&](double angle) { return center + size * (std::cos(angle) * u + std::sin(angle) * v); };
    const double begin = std::isfinite(from) ? from : to - 2 * kPi;  // one side may be open
    const double end = std::isfinite(to) ? to : begin + 2 * kPi;
    for (int i = 0; i < kPieces; ++i)
      line(at(begin + (end - begin) * i / kPieces), at(begin + (end - begin) * (i + 1) / kPieces));
    if (std::isfinite(from)) line(center, at(from));
    if (std::isfinite(to)) line(center, at(to));
    line(center, at(now), 1);
  }

  /// Directions at `angle` from the axis x.
  void cone(const Transform& a, double angle) const {
    constexpr int kPieces = 32, kSpoke = 4;
    const auto at = [&](int i) {
      const double phi = 2 * kPi * i / kPieces;
      const Vec3 side{0, std::cos(phi) * std::sin(angle), std::sin(phi) * std::sin(angle)};
      return center + radius * rotate(a.rotation, side + Vec3{std::cos(angle), 0, 0});
    };
    for (int i = 0; i < kPieces; ++i) {
      line(at(i), at(i + 1));
      if (i % kSpoke == 0) line(center, at(i));
    }
  }
};

Vec3 unit(int k) {
  Vec3 e;
  e[k] = 1;
  return e;
}

/// A range along a line through `origin`. If one side is unlimited, only the other end is drawn, as a mark across the line.
void draw_range(const LimitLines& out, const Vec3& origin, const Vec3& direction, const Vec3& across, double lower,
                double upper, double now) {
  const double size = 0.15 * out.radius;
  for (const auto& [x, value] : {std::pair{lower, 0.0}, std::pair{upper, 0.0}, std::pair{now, 1.0}}) {
    if (!std::isfinite(x)) continue;
    const Vec3 p = origin + x * direction;
    out.line(p - size * across, p + size * across, value);
  }
  if (std::isfinite(lower) && std::isfinite(upper)) out.line(origin + lower * direction, origin + upper * direction);
}

/// The rotation from a to b is Rx(α) Ry(β) Rz(γ): each angle acts after the previous ones (joints.h).
void draw_angle(const LimitLines& out, const World& world, JointId id, const Transform& a, int axis,
                const JointAxis& limits) {
  const Quat x = quaternion_from_axis_angle(unit(0), world.joint_position(id, 3));
  const Quat xy = x * quaternion_from_axis_angle(unit(1), world.joint_position(id, 4));
  const Quat before = a.rotation * (axis == 3 ? Quat{} : axis == 4 ? x : xy);
  const int u = (axis - 3 + 1) % 3, v = (axis - 3 + 2) % 3;
  out.arc(rotate(before, unit(u)), rotate(before, unit(v)), limits.lower, limits.upper, world.joint_position(id, axis),
          out.radius);
}

void draw_cone_and_twist(const LimitLines& out, const AxesJoint& joint, const Transform& a, const Transform& b) {
  const Vec3 x_a = rotate(a.rotation, unit(0)), x_b = rotate(b.rotation, unit(0));
  if (std::isfinite(joint.max_swing)) {
    out.cone(a, joint.max_swing);
    out.line(out.center, out.center + out.radius * x_b, 1);
  }
  if (!std::isfinite(joint.min_twist) && !std::isfinite(joint.max_twist)) return;
  const Quat swing = quaternion_between(x_a, x_b);
  const Vec3 y = rotate(swing, rotate(a.rotation, unit(1))), z = rotate(swing, rotate(a.rotation, unit(2)));
  const Vec3 y_b = rotate(b.rotation, unit(1));
  out.arc(y, z, joint.min_twist, joint.max_twist, std::atan2(dot(y_b, z), dot(y_b, y)), 0.6 * out.radius);
}

void draw_axes(const LimitLines& out, const World& world, JointId id, const AxesJoint& joint, const Transform& a,
               const Transform& b) {
  for (int k = 0; k < 6; ++k) {
    const JointAxis& axis = joint.axes[static_cast<std::size_t>(k)];
    if (axis.motion != AxisMotion::limited) continue;
    if (k < 3)
      draw_range(out, a.translation, rotate(a.rotation, unit(k)), rotate(a.rotation, unit((k + 1) % 3)), axis.lower,
                 axis.upper, world.joint_position(id, k));
    else
      draw_angle(out, world, id, a, k, axis);
  }
  draw_cone_and_twist(out, joint, a, b);
}

std::vector<DebugVector> joint_limit_lines(const Source& source) {
  const World& world = source.world();
  std::vector<DebugVector> items;
  for_each_working_joint(source, [&](JointId id, const JointDef& joint, const JointState&) {
    const Transform a = joint_frame(world, joint.a, joint.frame_a), b = joint_frame(world, joint.b, joint.frame_b);
    double radius = std::numeric_limits<double>::infinity();
    for (const BodyId body : {joint.a, joint.b})
      if (const std::uint32_t slot = world.slot(body); world.state().inverse_mass[slot] > 0)
        radius = std::min(radius, length(world.state().position[slot] - a.translation));
    const LimitLines out{items, a.translation, std::isfinite(radius) && radius > 0 ? 0.8 * radius : 1};
    if (const AxesJoint* axes = std::get_if<AxesJoint>(&joint.kind)) draw_axes(out, world, id, *axes, a, b);
    if (const DistanceJoint* distance = std::get_if<DistanceJoint>(&joint.kind)) {
      const Vec3 way = b.translation - a.translation;
      const double now = length(way);
      if (!(now > 0)) return;
      const Vec3 across = rotate(quaternion_between(unit(0), way / now), unit(1));
      draw_range(out, a.translation, way / now, across, distance->lower, distance->upper, now);
    }
  });
  return items;
}

constexpr DebugLayerInfo kLayers[] = {
    {DebugLayer::contact_points, "contact-points", "m", "Points where surfaces touch or nearly touch"},
    {DebugLayer::contact_normals, "contact-normals", "", "Normal of each contact, from the first body to the second"},
    {DebugLayer::normal_forces, "normal-forces", "N", "Normal force of each contact, mean over the last step"},
    {DebugLayer::friction_forces, "friction-forces", "N", "Friction of each contact; another colour if it slips"},
    {DebugLayer::velocities, "velocities", "m/s", "Velocity of each center of mass"},
    {DebugLayer::angular_velocities, "angular-velocities", "rad/s", "Axis and rate of rotation"},
    {DebugLayer::forces, "forces", "N", "Sum of gravity and all other force effects"},
    {DebugLayer::torques, "torques", "N m", "Sum of all torques about the center of mass"},
    {DebugLayer::bounds, "bounds", "", "Axis-aligned boxes that the broad phase compares"},
    {DebugLayer::centers_of_mass, "centers-of-mass", "", "Center of mass of each body"},
    {DebugLayer::inertias, "inertias", "", "Ellipsoid of equal mass and inertia"},
    {DebugLayer::joint_frames, "joint-frames", "", "Axes of the two frames that each joint holds together"},
    {DebugLayer::joint_errors, "joint-errors", "m", "Distance of the two anchors of each joint"},
    {DebugLayer::joint_forces, "joint-forces", "N", "Reaction force of each joint on its second body"},
    {DebugLayer::joint_limits, "joint-limits", "m", "Range of each joint within its limits, and its position"},
    {DebugLayer::islands, "islands", "", "One colour for all bodies that contacts and joints connect"},
    {DebugLayer::tree, "tree", "", "Nested boxes of the broad phase's tree"},
    {DebugLayer::effect_forces, "effect-forces", "N", "Force of each effect on each body, one arrow each"},
    {DebugLayer::effect_torques, "effect-torques", "N m", "Torque of each effect about each center of mass"},
};
static_assert(std::size(kLayers) == kDebugLayerCount);

/// Points are given in the principal frames of their bodies, as the state is.
Vec3 world_point(const World& world, BodyId body, const Vec3& local) {
  const std::uint32_t slot = world.slot(body);
  return world.state().position[slot] + rotate(world.state().orientation[slot], local);
}

/// Calls f(contact, point, middle of the two surface points) for every contact of bodies that still exist.
template <class F> void for_each_contact_point(const Source& source, F f) {
  const World& world = source.world();
  for (const Contact& c : source.simulation.contacts()) {
    if (!world.contains(c.a) || !world.contains(c.b)) continue;
    if (!source.flags.is_on(c.a) || !source.flags.is_on(c.b)) continue;
    for (int i = 0; i < c.count; ++i) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      f(c, p, 0.5 * (world_point(world, c.a, p.local_a) + world_point(world, c.b, p.local_b)));
    }
  }
}

std::vector<DebugPoint> contact_points(const Source& source) {
  std::vector<DebugPoint> items;
  for_each_contact_point(source, [&](const Contact&, const ContactPoint& p, const Vec3& x) {
    items.push_back({x, p.separation});
  });
  return items;
}

std::vector<DebugVector> contact_normals(const Source& source) {
  std::vector<DebugVector> items;
  for_each_contact_point(source, [&](const Contact& c, const ContactPoint& p, const Vec3& x) {
    items.push_back({x, c.normal, p.separation});
  });
  return items;
}

std::vector<DebugVector> normal_forces(const Source& source) {
  const double h = source.simulation.time_settings().step;
  std::vector<DebugVector> items;
  for_each_contact_point(source, [&](const Contact& c, const ContactPoint& p, const Vec3& x) {
    if (p.normal_impulse != 0) items.push_back({x, c.normal * (p.normal_impulse / h), p.separation});
  });
  return items;
}

std::vector<DebugVector> friction_forces(const Source& source) {
  const double h = source.simulation.time_settings().step;
  std::vector<DebugVector> items;
  for_each_contact_point(source, [&](const Contact& c, const ContactPoint& p, const Vec3& x) {
    const Vec3 impulse = c.tangent * p.tangent_impulse[0] + cross(c.normal, c.tangent) * p.tangent_impulse[1];
    if (impulse == Vec3{}) return;
    const double limit = c.friction * p.normal_impulse;
    items.push_back({x, impulse / h, limit > 0 ? std::min(1.0, length(impulse) / limit) : 1.0});
  });
  return items;
}

/// One vector for each body that moves or could: those before `end`.
std::vector<DebugVector> body_vectors(const Source& source, const std::vector<Vec3>& vectors, BodySet end) {
  const BodyState& s = source.state();
  std::vector<DebugVector> items;
  for (std::uint32_t i = 0; i < s.end(end); ++i)
    if (vectors[i] != Vec3{} && source.draws_body(i)) items.push_back({s.position[i], vectors[i], 0});
  return items;
}

std::vector<DebugBox> bounds(const Source& source) {
  const World& world = source.world();
  const BodyState& s = world.state();
  std::vector<DebugBox> items;
  for (std::uint32_t i = 0; i < s.end(BodySet::still); ++i) {
    const ShapePtr& shape = world.collision_shape(i);
    if (!shape || !world.can_collide(i) || !source.draws_body(i)) continue;
    const Aabb box = world_bounds(*shape, Transform{s.position[i], s.orientation[i]} * world.shape_frame(i));
    if (is_finite(box.lower) && is_finite(box.upper)) items.push_back({box});
  }
  return items;
}

std::vector<DebugPoint> centers_of_mass(const Source& source) {
  const BodyState& s = source.state();
  std::vector<DebugPoint> items;
  for (std::uint32_t i = 0; i < s.end(BodySet::sleeping); ++i)
    if (s.inverse_mass[i] > 0 && source.draws_body(i)) items.push_back({s.position[i], 1 / s.inverse_mass[i]});
  return items;
}

/// A solid ellipsoid with half axes a, b, c has I_x = m (b² + c²) / 5, and so on: a² = 5 (I_y + I_z - I_x) / (2 m).
std::vector<DebugEllipsoid> inertias(const Source& source) {
  const BodyState& s = source.state();
  std::vector<DebugEllipsoid> items;
  for (std::uint32_t i = 0; i < s.end(BodySet::sleeping); ++i) {
    if (!(s.inverse_mass[i] > 0) || !source.draws_body(i)) continue;
    const Vec3& moments = s.inertia[i];
    const double sum = moments.x + moments.y + moments.z;
    Vec3 radii;
    for (int k = 0; k < 3; ++k) radii[k] = std::sqrt(std::max(0.0, 2.5 * s.inverse_mass[i] * (sum - 2 * moments[k])));
    items.push_back({{s.position[i], s.orientation[i]}, radii, 1 / s.inverse_mass[i]});
  }
  return items;
}

/// Islands, identified by the smallest id index of their bodies: it is stable while bodies are added and removed.
std::vector<DebugBody> islands(const Source& source) {
  const World& world = source.world();
  const BodyState& s = world.state();
  DisjointSets sets(world.id_capacity());
  const auto connect = [&](BodyId a, BodyId b) {
    if (world.contains(a) && world.contains(b) && world.slot(a) < s.awake() && world.slot(b) < s.awake())
      sets.unite(a.index, b.index);
  };
  for (const Contact& contact : source.simulation.contacts())
    if (is_touching(contact)) connect(contact.a, contact.b);
  for (const JointId id : world.joints())
    if (works(world, id)) connect(world.joint(id).a, world.joint(id).b);
  std::vector<DebugBody> items;
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (source.draws_body(i))
      items.push_back({world.id_of(s.id_index[i]), static_cast<double>(sets.root(s.id_index[i]))});
  return items;
}

std::vector<DebugBox> tree(const Simulation& simulation) {
  std::vector<DebugBox> items;
  for (const BroadphaseBox& node : simulation.broadphase_tree())
    items.push_back({node.box, static_cast<double>(node.depth)});
  return items;
}

/// Forces of each effect on their lines of action, or torques about the centers of mass. The point of the line of F that is nearest to the
/// center of mass is x + F × τ / F²; the part of τ along F moves no line.
std::vector<DebugVector> effects(const Source& source, DebugLayer layer) {
  const World& world = source.world();
  const BodyState& s = source.state();
  std::vector<DebugVector> items;
  double number = 0;
  for (const ForceId id : world.forces()) {
    const double value = number++;
    if (!source.flags.is_on(id)) continue;
    std::vector<Vec3> force(s.position.size()), torque(s.position.size());
    world.evaluate_force(id, source.simulation.time(), force, torque);
    for (std::uint32_t i = 0; i < s.end(BodySet::sleeping); ++i) {
      const Vec3& vector = layer == DebugLayer::effect_forces ? force[i] : torque[i];
      if (vector == Vec3{} || !(s.inverse_mass[i] > 0) || !source.draws_body(i)) continue;
      const double F2 = length_squared(force[i]);
      const Vec3 arm = layer == DebugLayer::effect_forces && F2 > 0 ? cross(force[i], torque[i]) / F2 : Vec3{};
      items.push_back({s.position[i] + arm, vector, value});
    }
  }
  return items;
}

void draw_layer(const Source& source, DebugLayer layer, DebugDraw& out) {
  const BodyState& s = source.state();
  const auto points = [&](const std::vector<DebugPoint>& items) {
    if (!items.empty()) out.points(layer, items);
  };
  const auto vectors = [&](const std::vector<DebugVector>& items) {
    if (!items.empty()) out.vectors(layer, items);
  };
  const auto boxes = [&](const std::vector<DebugBox>& items) {
    if (!items.empty()) out.boxes(layer, items);
  };
  switch (layer) {
    case DebugLayer::contact_points: return points(contact_points(source));
    case DebugLayer::contact_normals: return vectors(contact_normals(source));
    case DebugLayer::normal_forces: return vectors(normal_forces(source));
    case DebugLayer::friction_forces: return vectors(friction_forces(source));
    case DebugLayer::velocities: return vectors(body_vectors(source, s.velocity, BodySet::kinematic));
    case DebugLayer::angular_velocities: return vectors(body_vectors(source, s.angular_velocity, BodySet::kinematic));
    case DebugLayer::forces: return vectors(body_vectors(source, s.force, BodySet::awake));
    case DebugLayer::torques: return vectors(body_vectors(source, s.torque, BodySet::awake));
    case DebugLayer::joint_frames: return vectors(joint_frame_vectors(source));
    case DebugLayer::joint_errors: return vectors(joint_error_vectors(source));
    case DebugLayer::joint_forces: return vectors(joint_force_vectors(source));
    case DebugLayer::joint_limits: return vectors(joint_limit_lines(source));
    case DebugLayer::effect_forces:
    case DebugLayer::effect_torques: return vectors(effects(source, layer));
    case DebugLayer::centers_of_mass: return points(centers_of_mass(source));
    case DebugLayer::bounds: return boxes(bounds(source));
    case DebugLayer::tree: return boxes(tree(source.simulation));
    case DebugLayer::islands:
      if (const auto items = islands(source); !items.empty()) out.bodies(layer, items);
      return;
    case DebugLayer::inertias:
      if (const auto items = inertias(source); !items.empty()) out.ellipsoids(layer, items);
      return;
  }
}

}  // namespace

std::span<const DebugLayerInfo> debug_layers() { return kLayers; }

void debug_draw(const Simulation& simulation, std::span<const DebugLayer> layers, DebugDraw& out,
                const DebugFlags& flags) {
  for (const DebugLayer layer : layers) draw_layer({simulation, flags}, layer, out);
}

}  // namespace rigor
