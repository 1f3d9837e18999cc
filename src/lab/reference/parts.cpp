#include "lab/reference/parts.h"

namespace rigor::reference {

void Run::step() { step(dt_); }

void Run::to(double time) {
  const double rest = time - sim_.time();
  const auto n = static_cast<int>(std::ceil(rest / dt_ - 1e-6));
  // Equal steps reach the time up to rounding; otherwise all steps are slightly smaller, so that none is tiny.
  const double h = std::abs(n * dt_ - rest) < 1e-6 * dt_ ? dt_ : rest / n;
  for (int i = 0; i < n; ++i) step(h);
}

void Run::step(double h) {
  sim_.step(last_ = h);
  const std::vector<std::string> reports = sim_.take_reports();
  const bool ends = ends_ == Ends::at_reports || active_bodies() < active_;
  if (!reports.empty() && ends)
    throw std::runtime_error("at " + std::to_string(sim_.time()) + " s: " + reports.front());
}

std::size_t Run::active_bodies() const {
  std::size_t count = 0;
  for (const BodyId body : sim_.world().bodies()) count += sim_.world().is_active(body) ? 1 : 0;
  return count;
}

World space(bool gravity) {
  World world;
  world.remove_body(world.ground());
  world.remove_force(world.drag());
  if (!gravity) world.remove_force(world.gravity());
  return world;
}

Material surface(double friction, double restitution) {
  Material m;
  m.friction = friction;
  m.restitution = restitution;
  return m;
}

BodyId add_rod(World& world, const Vec3& from, const Vec3& to, double mass) {
  const Vec3 along = to - from;
  const double l = length(along);
  BodyDef def;
  def.shape = box({l, 0.01 * l, 0.01 * l});
  def.mass = mass;
  // A rod is thin; about its own axis, where nothing turns it, it has a little inertia so that it is a valid body.
  def.inertia = Mat3::diagonal({mass * l * l / 1200, mass * l * l / 12, mass * l * l / 12});
  def.position = 0.5 * (from + to);
  def.orientation = quaternion_from_axis_angle({0, 0, 1}, std::atan2(along.y, along.x));
  def.can_collide = false;
  return world.add_body(def);
}

double rod_angle(const World& world, BodyId rod) {
  const Vec3 along = rotate(world.orientation(rod), {1, 0, 0});
  return std::atan2(along.x, -along.y);
}

JointId add_joint(World& world, BodyId a, BodyId b, const Transform& frame, JointKind kind) {
  JointDef def;
  def.a = a, def.b = b;
  def.frame_a = world.frame_in_body(a, frame), def.frame_b = world.frame_in_body(b, frame);
  def.kind = std::move(kind);
  return world.add_joint(def);
}

JointId add_hinge(World& world, BodyId a, BodyId b, const Vec3& point, const Vec3& axis) {
  AxesJoint hinge;
  hinge.axes[3].motion = AxisMotion::free;
  return add_joint(world, a, b, {point, quaternion_between({1, 0, 0}, axis)}, hinge);
}

JointId add_ball_joint(World& world, BodyId a, BodyId b, const Vec3& point) {
  AxesJoint ball;
  for (std::size_t i = 3; i < 6; ++i) ball.axes[i].motion = AxisMotion::free;
  return add_joint(world, a, b, {point, {}}, ball);
}

double angle_difference(double a, double b) { return std::abs(std::remainder(a - b, 2 * kPi)); }

namespace {

/// Calls f with every point of the contacts of a pair.
template <class F> void for_each_point(const Run& run, BodyId a, BodyId b, F f) {
  for (const Contact& c : run.simulation().contacts()) {
    if (!((c.a == a && c.b == b) || (c.a == b && c.b == a))) continue;
    for (int i = 0; i < c.count; ++i) f(c, c.points[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

double normal_force(const Run& run, BodyId a, BodyId b) {
  double impulse = 0;
  for_each_point(run, a, b, [&](const Contact&, const ContactPoint& p) { impulse += p.normal_impulse; });
  return impulse / run.dt();
}

double friction_force(const Run& run, BodyId a, BodyId b) {
  Vec3 impulse;
  for_each_point(run, a, b, [&](const Contact& c, const ContactPoint& p) {
    impulse += p.tangent_impulse[0] * c.tangent + p.tangent_impulse[1] * cross(c.normal, c.tangent);
  });
  return length(impulse) / run.dt();
}

}  // namespace rigor::reference
