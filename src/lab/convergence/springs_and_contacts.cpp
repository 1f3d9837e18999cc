// A mass on a spring, and bodies that roll and slide on a floor.
#include <vector>

#include "lab/convergence/all_problems.h"
#include "lab/convergence/exact_motion.h"
#include "lab/reference/parts.h"

namespace rigor::convergence {

namespace {

using reference::kG;
using reference::raise;
using reference::Run;
using reference::surface;

constexpr reference::Needs kContacts{.contact = true};

std::vector<double> instants(double end) {
  std::vector<double> list;
  for (int i = 1; i <= 8; ++i) list.push_back(end * i / 8);
  return list;
}

/// 2 kg on a spring of 50 N/m with 1 N s/m, released at a metre: x = e^(-δt) (cos ωt + δ/ω sin ωt).
double spring_exact(double t) {
  const double decay = 0.25, omega = std::sqrt(25 - decay * decay);
  return std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
}

double spring_motion_error(const Method& method, double dt, bool as_force) {
  World world = reference::space(false);
  BodyDef def;
  def.shape = sphere(0.1);
  def.mass = 2;
  def.position = {1, 0, 0};
  def.can_collide = false;
  const BodyId mass = world.add_body(def);
  if (as_force) {
    Spring spring;
    spring.stiffness = 50, spring.damping = 1, spring.rest_length = 10;
    spring.point_a = {-10, 0, 0};
    world.add_force(spring, Affected::pair(world.world_body(), mass));
  } else {
    AxesJoint slider;
    slider.axes[0].motion = AxisMotion::free;
    slider.axes[0].spring = {.stiffness = 50, .damping = 1};
    JointDef joint;
    joint.a = world.world_body(), joint.b = mass, joint.kind = slider;
    world.add_joint(joint);
  }
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (const double t : instants(2)) {
    run.to(t);
    raise(worst, std::abs(run.world().position(mass).x - spring_exact(t)));
  }
  return worst;
}

double spring_error(const Method& method, double dt) { return spring_motion_error(method, dt, false); }
double spring_force_error(const Method& method, double dt) { return spring_motion_error(method, dt, true); }

World floor_world() {
  World world;
  world.remove_force(world.drag());
  world.set_material(world.ground(), surface(1));
  return world;
}

BodyId add_ball(World& world, double radius, const RollingBody::Pose& start) {
  BodyDef def;
  def.shape = sphere(radius);
  def.mass = 1;
  def.material = surface(1);
  def.position = start.position, def.orientation = start.orientation;
  def.velocity = start.velocity, def.angular_velocity = start.angular_velocity;
  return world.add_body(def);
}

/// A ball on a plane inclined by 10°: x = ½ (5/7) g sin α t². The plane stays level, gravity is inclined.
double rolling_error(const Method& method, double dt) {
  constexpr double kRadius = 0.1;
  const double slope = reference::degrees(10), a = 5.0 / 7 * kG * std::sin(slope);
  World world = floor_world();
  world.set_gravity({kG * std::sin(slope), -kG * std::cos(slope), 0});
  RollingBody::Pose start;
  start.position = {0, kRadius, 0};
  const BodyId ball = add_ball(world, kRadius, start);
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (const double t : instants(1)) {
    run.to(t);
    raise(worst, length(run.world().position(ball) - Vec3{0.5 * a * t * t, kRadius, 0}) / (0.5 * a));
    raise(worst, length(kRadius * run.world().angular_velocity(ball) - Vec3{0, 0, -a * t}) / a);
  }
  return worst;
}

/// A ball on a floor that turns with Ω = 7 rad/s runs in circles with 2/7 Ω (Earnshaw); one revolution.
double turntable_error(const Method& method, double dt) {
  constexpr double kRadius = 0.1, kFloor = 7, kRate = 2.0 / 7 * kFloor, kOrbit = 0.5, kRound = 2 * kPi / kRate;
  World world = reference::space(true);
  BodyDef floor;
  floor.shape = box({4, 1, 4});
  floor.position = {0, -0.5, 0};
  floor.angular_velocity = {0, kFloor, 0};
  floor.fixed = true;
  floor.material = surface(1);
  world.add_body(floor);
  RollingBody::Pose start;
  start.position = {kOrbit, kRadius, 0};
  start.velocity = {0, 0, -kRate * kOrbit};
  // The floor under the ball moves with Ω × x; ω × (-r n) makes up for the difference.
  const Vec3 slip = Vec3{0, 0, -kFloor * kOrbit} - start.velocity;
  start.angular_velocity = cross(slip, {0, 1, 0}) * (1 / kRadius);
  const BodyId ball = add_ball(world, kRadius, start);
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (const double t : instants(kRound)) {
    run.to(t);
    const Vec3 exact{kOrbit * std::cos(kRate * t), kRadius, -kOrbit * std::sin(kRate * t)};
    raise(worst, length(run.world().position(ball) - exact) / kOrbit);
  }
  return worst;
}

/// A box of half a metre slides with 3 m/s, μ = 0.4, and comes to rest.
double sliding_error(const Method& method, double dt) {
  constexpr double kSpeed = 3, kMu = 0.4, kStops = kSpeed / (kMu * kG);
  World world = floor_world();
  world.set_material(world.ground(), surface(kMu));
  BodyDef def;
  def.shape = box({0.5, 0.5, 0.5});
  def.mass = 10;
  def.material = surface(kMu);
  def.position = {0, 0.25, 0};
  def.velocity = {kSpeed, 0, 0};
  const BodyId body = world.add_body(def);
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (const double time : instants(1)) {
    run.to(time);
    const double t = std::min(time, kStops);
    const Vec3 exact{kSpeed * t - 0.5 * kMu * kG * t * t, 0.25, 0};
    raise(worst, length(run.world().position(body) - exact) / (0.5 * kSpeed * kStops));
  }
  return worst;
}

/// Height of the lowest point of a ball that falls from rest and rebounds with e.
double bounce_height(double drop, double e, double t) {
  double speed = std::sqrt(2 * kG * drop), rest = t - speed / kG;  // rest: time since the last impact
  if (rest < 0) return drop - 0.5 * kG * t * t;
  for (speed *= e; rest > 2 * speed / kG; speed *= e) rest -= 2 * speed / kG;
  return speed * rest - 0.5 * kG * rest * rest;
}

/// A ball with e = 0.7 that falls by half a metre: two impacts in the first second.
double bouncing_error(const Method& method, double dt) {
  constexpr double kRadius = 0.1, kDrop = 0.5, kRebound = 0.7;
  World world = floor_world();
  Material elastic = surface(0);
  elastic.restitution = kRebound;
  world.set_material(world.ground(), elastic);
  RollingBody::Pose start;
  start.position = {0, kRadius + kDrop, 0};
  const BodyId ball = add_ball(world, kRadius, start);
  world.set_material(ball, elastic);
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (const double t : instants(1)) {
    run.to(t);
    raise(worst, std::abs(run.world().position(ball).y - kRadius - bounce_height(kDrop, kRebound, t)) / kDrop);
  }
  return worst;
}

/// A disk, 0.4 m and 2 cm thick, that leans by 30° and rolls on its rim about a center at rest; 0.5 s, a little more than one revolution.
double eulers_disk_error(const Method& method, double dt) {
  RollingBody body;
  body.radius = 0.4, body.half_thickness = 0.01;
  const double r = body.radius, tilt = reference::degrees(30);
  const double across = r * r / 4 + body.half_thickness * body.half_thickness / 3;
  body.inertia = {across, r * r / 2, across};
  RollingBody::Pose start;
  start.orientation = quaternion_from_axis_angle({0, 0, 1}, tilt);
  const Vec3 arm = body.arm(start.orientation);
  start.position = {0, -arm.y, 0};
  start.angular_velocity = std::sqrt(4 * kG * std::sin(tilt) / r) / length(arm) * arm;
  static const std::vector<RollingBody::Pose> exact = body.motion(start, instants(0.5));
  World world = floor_world();
  BodyDef def;
  def.shape = cylinder(r, 2 * body.half_thickness);
  def.mass = 1;
  def.inertia = Mat3::diagonal(body.inertia);
  def.material = surface(1);
  def.position = start.position, def.orientation = start.orientation, def.angular_velocity = start.angular_velocity;
  const BodyId disk = world.add_body(def);
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    run.to(instants(0.5)[k]);
    raise(worst, length(rotate(run.world().orientation(disk), {0, 1, 0}) - rotate(exact[k].orientation, {0, 1, 0})));
    raise(worst, length(run.world().position(disk) - exact[k].position) / r);
  }
  return worst;
}

}  // namespace

Problem spring() {
  return {"spring", "a mass on a damped spring as a joint, 2 s", {.joint = true}, spring_error, true};
}
Problem spring_force() { return {"spring-force", "the same spring as a force, 2 s", {}, spring_force_error}; }
Problem rolling() { return {"rolling", "a ball rolls down an incline, 1 s", kContacts, rolling_error}; }
Problem turntable() { return {"turntable", "a ball on a turning floor, one revolution", kContacts, turntable_error}; }
Problem sliding() { return {"sliding", "a box slides and comes to rest, 1 s", kContacts, sliding_error}; }
Problem bouncing() {
  return {"bouncing", "a ball falls and rebounds twice, 1 s", {.collision = true, .contact = true}, bouncing_error};
}
Problem eulers_disk() { return {"eulers-disk", "a disk rolls on its rim, 0.5 s", kContacts, eulers_disk_error}; }

}  // namespace rigor::convergence
