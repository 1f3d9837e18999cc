#include "lab/contact_work.h"

namespace rigor {

namespace {

/// The arm r at which an impulse P with the torque A = r × P acted. Its part perpendicular to P follows from P and A. Its part along P is
/// that of the contact point, which moves with a rolling body during the step.
Vec3 arm_of(const Vec3& P, const Vec3& A, const Vec3& point) {
  const double size = dot(P, P);
  return size > 0 ? (cross(P, A) + P * dot(P, point)) / size : point;
}

}  // namespace

void ContactWorkMeter::before(const Simulation& simulation) {
  const World& world = simulation.world();
  start_.assign(world.id_capacity(), {});
  for (const BodyId id : world.bodies())
    start_[id.index] = {{world.velocity(id), world.angular_velocity(id)}, world.state().orientation[world.slot(id)]};
}

void ContactWorkMeter::find_points(const Simulation& simulation) {
  const World& world = simulation.world();
  points_.clear();
  for (const Contact& c : simulation.contacts()) {
    if (!world.contains(c.a) || !world.contains(c.b)) continue;
    if (c.a.index >= start_.size() || c.b.index >= start_.size()) continue;
    const Quat q_a = start_[c.a.index].orientation, q_b = start_[c.b.index].orientation;
    for (int k = 0; k < c.count; ++k) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(k)];
      points_.emplace(PointKey{c.a.index, c.b.index, c.part_a, c.part_b, p.key},
                      Point{c.normal, rotate(q_a, p.local_a), rotate(q_b, p.local_b),
                            c.rolling_friction > 0 || c.spinning_friction > 0});
    }
  }
}

/// Zero for bodies of infinite mass, whose energy does not count.
ContactWorkMeter::Motion ContactWorkMeter::mean_motion(const World& world, BodyId id) const {
  if (!(world.state().inverse_mass[world.slot(id)] > 0) || id.index >= start_.size()) return {};
  const Motion& begin = start_[id.index].motion;
  return {0.5 * (begin.velocity + world.velocity(id)), 0.5 * (begin.angular_velocity + world.angular_velocity(id))};
}

void ContactWorkMeter::after(const Simulation& simulation) {
  const World& world = simulation.world();
  bool has_points = false;  // found only if the step has impulses
  for (const ConstraintImpulse& i : simulation.impulses()) {
    if (i.source != ConstraintImpulse::Source::contact || !world.contains(i.a) || !world.contains(i.b)) continue;
    if (!has_points) find_points(simulation);
    has_points = true;
    const auto found = points_.find({i.a.index, i.b.index, i.part_a, i.part_b, i.key});
    if (found == points_.end()) continue;
    const Point& p = found->second;
    const Motion a = mean_motion(world, i.a), b = mean_motion(world, i.b);
    const double work = dot(i.linear_a, a.velocity) + dot(i.angular_a, a.angular_velocity) +
                        dot(i.linear_b, b.velocity) + dot(i.angular_b, b.angular_velocity);
    const Vec3 r_a = p.has_turning ? p.arm_a : arm_of(i.linear_a, i.angular_a, p.arm_a);
    const Vec3 r_b = p.has_turning ? p.arm_b : arm_of(i.linear_b, i.angular_b, p.arm_b);
    const Vec3 v = b.velocity + cross(b.angular_velocity, r_b) - a.velocity - cross(a.angular_velocity, r_a);
    const double normal_work = dot(i.linear_b, p.normal) * dot(v, p.normal);
    sum_.impacts -= normal_work;
    sum_.friction -= work - normal_work;
  }
}

}  // namespace rigor
