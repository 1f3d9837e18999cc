#include "lab/torture/rig.h"

#include <algorithm>
#include <cmath>

#include "rigor/queries.h"

namespace rigor {

namespace {

constexpr const char* kCommonTypes[] = {"ball", "ball", "hinge", "hinge", "fixed", "universal"};
constexpr const char* kAllTypes[] = {
    "ball",   "ball",        "hinge",     "hinge",   "fixed",          "universal",
    "slider", "cylindrical", "distance",  "rope",    "point-on-line",  "point-on-plane",
    "planar", "orientation", "car-wheel", "six-dof", "fixed-rotation", "two-axis-rotation",
    "path"};

/// The scales of forces in a joint.
struct JointScale {
  double mass = 0;     // kg, of the lighter body
  double inertia = 0;  // kg m², least principal moment of both
  double size = 0;     // m
  double g = 9.81;     // m/s²
};

JointScale scale_of(const World& world, const JointDef& def) {
  JointScale s{kUnbounded, kUnbounded, 0, 9.81};
  for (const BodyId id : {def.a, def.b}) {
    if (id == world.world_body() || world.is_fixed(id)) continue;
    const MassProperties& m = world.mass_properties(id);
    const Vec3 moments = principal_axes(m.inertia).moments;
    s.mass = std::min(s.mass, m.mass);
    s.inertia = std::min(s.inertia, std::min(moments.x, std::min(moments.y, moments.z)));
    s.size = std::max(s.size, size_of(*world.body_def(id).shape));
  }
  return s;
}

/// Direction across another one.
Vec3 draw_across(Draw& draw, const Vec3& axis) {
  for (;;) {
    const Vec3 across = cross(axis, draw.direction());
    if (length_squared(across) > 0.01) return normalized(across);
  }
}

void equip_axis(Draw& draw, const RigTaste& taste, const JointScale& s, double h, bool is_angular, JointAxis& axis) {
  const double force = s.mass * s.g * (is_angular ? 0.5 * s.size : 1);
  const double inertia = is_angular ? s.inertia : s.mass;
  if (draw.chance(0.35)) {
    axis.motion = AxisMotion::limited;
    // An angle with a one-sided bound may turn the other way and reach the bound from behind, so no check
    // could decide whether it is exceeded.
    const bool is_one_sided = draw.chance(0.1) && !is_angular;
    axis.lower = is_one_sided ? -kUnbounded : -draw.between(0.05, is_angular ? 2 : s.size);
    axis.upper = draw.between(0.05, is_angular ? 2 : s.size);
  }
  if (draw.chance(0.3)) axis.friction = force * draw.between(0, 0.5);
  const double omega = draw.between(0.02, 0.2) / h;
  if (taste.springs && draw.chance(0.25)) {
    axis.spring.stiffness = inertia * omega * omega;
    axis.spring.damping = draw.chance(0.3) ? 0 : 2 * draw.between(0, 1) * inertia * omega;
    axis.spring.rest = draw.between(-0.3, 0.3) * (is_angular ? 1 : s.size);
    return;
  }
  if (!taste.driven || !draw.chance(0.3)) return;
  axis.motor.max_force = taste.unbounded_motors && draw.chance(0.5) ? kUnbounded : force * draw.between(0.2, 10);
  if (draw.chance(0.6)) {
    axis.motor.kind = AxisMotor::Kind::velocity;
    axis.motor.target = draw.sign() * (is_angular ? draw.octaves(0.5, 10) : draw.octaves(0.2, 3));
    return;
  }
  axis.motor.kind = AxisMotor::Kind::servo;
  if (!std::isfinite(axis.motor.max_force)) axis.motor.max_force = 10 * force;
  axis.motor.target = draw.between(-0.05, 0.05);
  axis.motor.proportional = inertia * omega * omega;
  axis.motor.derivative = 2 * inertia * omega;
}

/// A cone and a twist, friction and damping against any turning.
void equip_ball(Draw& draw, const JointScale& s, double h, AxesJoint& joint) {
  if (draw.chance(0.35)) {
    joint.max_swing = draw.between(0.2, 1.5);
    if (draw.chance(0.7)) {
      joint.max_twist = draw.between(0.1, 1);
      joint.min_twist = -joint.max_twist;
    }
  }
  const double friction = draw.chance(0.3) ? s.mass * s.g * s.size * draw.between(0, 0.2) : 0;
  const double damping = draw.chance(0.3) ? s.inertia * draw.between(0, 0.2) / h : 0;
  for (std::size_t k = 3; k < 6; ++k) {
    joint.axes[k].friction = friction;
    joint.axes[k].spring.damping = damping;
  }
}

int count_turning(const AxesJoint& joint) {
  int count = 0;
  for (std::size_t k = 3; k < 6; ++k) count += joint.axes[k].motion != AxisMotion::locked;
  return count;
}

/// Six axes of drawn freedom: translations one by one; of the rotations all, one, or none.
AxesJoint draw_six_axes(Draw& draw) {
  AxesJoint joint;
  for (std::size_t k = 0; k < 3; ++k)
    if (draw.chance(0.3)) joint.axes[k].motion = AxisMotion::free;
  const int turning = draw.whole(0, 2);
  for (std::size_t k = 3; k < 6; ++k)
    if (turning == 2 || (turning == 1 && k == 3)) joint.axes[k].motion = AxisMotion::free;
  return joint;
}

/// A wire through the bead, bent a little.
std::vector<Vec3> draw_wire(Draw& draw, const Vec3& bead, double size) {
  const Vec3 dir = draw.direction(), bend = draw_across(draw, dir);
  std::vector<Vec3> points;
  for (int i = -3; i <= 3; ++i) points.push_back(bead + (i * size) * dir + (0.1 * size * i * i) * bend);
  return points;
}

JointDef make_drawn(Scene& scene, Draw& draw, const std::string& type, BodyId a, BodyId b, const Vec3& anchor_a,
                    const Vec3& anchor_b) {
  const World& w = scene.world;
  const double size = size_of(*w.body_def(b).shape);
  const Vec3 axis = draw.direction();
  const Vec3 axis2 = draw_across(draw, axis);
  if (type == "distance") return distance_joint(w, a, b, anchor_a, anchor_b);
  if (type == "rope")
    return rope_joint(w, a, b, anchor_a, anchor_b, {{"upper", 1.1 * length(anchor_b - anchor_a) + 0.01 * size}});
  if (type == "path") return path_joint(w, a, b, anchor_a, draw_wire(draw, anchor_a, size), false);
  if (type != "six-dof") return make_joint(w, type, a, b, {anchor_a, axis, axis2});
  JointDef def = six_dof_joint(w, a, b, {anchor_a, axis, axis2});
  def.kind = draw_six_axes(draw);
  return def;
}

/// Elastic rods and ropes.
void equip_rod(Draw& draw, const JointScale& s, double h, DistanceJoint& rod) {
  if (!draw.chance(0.3)) return;
  const double omega = draw.between(0.02, 0.2) / h;
  rod.stiffness = s.mass * omega * omega;
  rod.damping = 2 * draw.between(0, 1) * s.mass * omega;
}

}  // namespace

Link draw_link(Draw& draw, double length) {
  const double thick = length * draw.between(0.1, 0.4);
  const Quat along_x = quaternion_from_axis_angle({0, 0, 1}, 0.5 * kPi);
  switch (draw.whole(0, 4)) {
    case 0: return {sphere(0.5 * length), length};
    case 1: return {transformed(capsule(0.5 * thick, length - thick), {{}, along_x}), length};
    case 2: return {transformed(cylinder(0.5 * thick, length), {{}, along_x}), length};
    case 3: return {box(length, thick, length * draw.between(0.1, 0.6)), length};
    default: return {box(length, thick, thick), length};
  }
}

Quat along(Draw& draw, const Vec3& direction) {
  const Quat roll = quaternion_from_axis_angle({1, 0, 0}, draw.between(-kPi, kPi));
  return quaternion_between({1, 0, 0}, direction) * roll;
}

void equip(Scene& scene, Draw& draw, const RigTaste& taste, JointDef& def) {
  auto* joint = std::get_if<AxesJoint>(&def.kind);
  const JointScale s = scale_of(scene.world, def);
  const double h = scene.time.step;
  if (auto* rod = std::get_if<DistanceJoint>(&def.kind); rod && taste.springs) equip_rod(draw, s, h, *rod);
  if (!joint) return;
  const int turning = count_turning(*joint);
  if (turning == 3) equip_ball(draw, s, h, *joint);
  if (def.type == "car-wheel") {
    const double omega = 0.2 / h;
    joint->axes[0].spring = {s.mass * omega * omega, 2 * s.mass * omega, 0};
    joint->axes[5].friction = s.mass * s.g * s.size * draw.between(0, 0.1);
    return;
  }
  if (def.type != "hinge" && def.type != "slider" && def.type != "cylindrical" && def.type != "universal" &&
      def.type != "planar" && def.type != "six-dof")
    return;
  for (std::size_t k = 0; k < 6; ++k) {
    if (joint->axes[k].motion == AxisMotion::locked || (k >= 3 && turning == 3)) continue;
    equip_axis(draw, taste, s, h, k >= 3, joint->axes[k]);
  }
}

JointId add_drawn_joint(Scene& scene, Draw& draw, const RigTaste& taste, BodyId a, BodyId b, const Vec3& anchor_a,
                        const Vec3& anchor_b) {
  const std::string type = taste.every_type ? draw.pick(kAllTypes) : draw.pick(kCommonTypes);
  JointDef def = make_drawn(scene, draw, type, a, b, anchor_a, anchor_b);
  equip(scene, draw, taste, def);
  return scene.world.add_joint(def);
}

std::vector<BodyId> add_tree(Scene& scene, Draw& draw, const RigTaste& taste, const Vec3& root, int count, bool hangs,
                             double branching) {
  World& w = scene.world;
  struct Tip {
    BodyId body;
    Vec3 point, direction;
  };
  std::vector<Tip> tips{{w.world_body(), root, hangs ? Vec3{0, -1, 0} : draw.direction()}};
  std::vector<BodyId> bodies;
  const double length = draw.octaves(0.1, 1), slimmest = draw.between(0.3, 1), density = draw.octaves(300, 8000);
  for (int tries = 0; static_cast<int>(bodies.size()) < count && tries < 3 * count + 10; ++tries) {
    const bool branches = draw.chance(branching);
    const Tip tip = branches ? draw.pick(tips) : tips.back();
    const Link link = draw_link(draw, length * draw.between(slimmest, 1));
    const Vec3 bend = draw.ball(branches ? 2 : 0.8);
    BodyDef def;
    def.shape = link.shape;
    def.material = draw_material(draw, {}, length);
    def.material.density = density;
    const Vec3 direction = normalized(tip.direction + bend + Vec3{1e-3, 0, 0});
    def.orientation = along(draw, direction);
    const double gap = link.length * 0.02;
    def.position = tip.point + (gap + 0.5 * link.length) * direction;
    const QueryFilter but_parent{.accept = [&](BodyId id) { return id != tip.body; }};
    if (!Queries(w).overlap(*def.shape, {def.position, def.orientation}, but_parent).empty()) continue;
    const BodyId id = w.add_body(def);
    const Vec3 near = def.position - (0.5 * link.length) * direction;
    const Vec3 off = draw.chance(0.3) ? draw.ball(0.3 * link.length) : Vec3{};
    if (tip.body != w.world_body() || hangs) add_drawn_joint(scene, draw, taste, tip.body, id, tip.point + off, near);
    if (bodies.empty() && !hangs) tips.clear();
    bodies.push_back(id);
    tips.push_back({id, def.position + (0.5 * link.length + gap) * direction, direction});
  }
  return bodies;
}

void add_spring(Scene& scene, Draw& draw, BodyId a, BodyId b) {
  const World& w = scene.world;
  const double mass = std::min(w.mass_properties(a).mass, w.mass_properties(b).mass);
  const double omega = draw.between(0.02, 0.2) / scene.time.step;
  Spring spring;
  spring.stiffness = mass * omega * omega;
  spring.damping = draw.chance(0.5) ? 0 : draw.between(0, 1) * mass * omega;
  spring.rest_length = length(w.center_of_mass(a) - w.center_of_mass(b)) * draw.between(0.5, 1.2);
  spring.point_a = w.mass_properties(a).center_of_mass;
  spring.point_b = w.mass_properties(b).center_of_mass;
  spring.tension_only = draw.chance(0.3);
  scene.world.add_force(spring, Affected::pair(a, b));
}

void move_rig(World& world, const std::vector<BodyId>& bodies, const Vec3& velocity, const Vec3& spin) {
  if (bodies.empty()) return;
  double mass = 0;
  Vec3 center;
  for (const BodyId id : bodies) {
    const double m = world.mass_properties(id).mass;
    mass += m;
    center += m * world.center_of_mass(id);
  }
  center = center / mass;
  for (const BodyId id : bodies)
    world.set_velocity(id, velocity + cross(spin, world.center_of_mass(id) - center), spin);
}

}  // namespace rigor
