// Mechanisms of uniform rods, 1 kg each, and a top. All of them move in gravity along -y.
#include <vector>

#include "lab/convergence/all_problems.h"
#include "lab/convergence/exact_motion.h"
#include "lab/reference/parts.h"

namespace rigor::convergence {

namespace {

using reference::add_ball_joint;
using reference::add_hinge;
using reference::add_rod;
using reference::kG;
using reference::raise;
using reference::Run;
using reference::space;

constexpr reference::Needs kJoints{.joint = true};

/// Eight instants up to `end`.
std::vector<double> instants(double end) {
  std::vector<double> list;
  for (int i = 1; i <= 8; ++i) list.push_back(end * i / 8);
  return list;
}

/// Rods in a row from the origin, horizontal at first; largest error of an angle, relative to a right angle.
template <std::size_t kRods> double rods_error(const Method& method, double dt, double length, double end) {
  static const std::vector<State> exact = hanging_rods(kRods, length, kPi / 2, kG, instants(end));
  World world = space(true);
  std::vector<BodyId> rods;
  BodyId last = world.world_body();
  for (std::size_t i = 0; i < kRods; ++i) {
    const Vec3 begin{length * static_cast<double>(i), 0, 0};
    rods.push_back(add_rod(world, begin, begin + Vec3{length, 0, 0}, 1));
    add_hinge(world, last, rods.back(), begin);
    last = rods.back();
  }
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    run.to(instants(end)[k]);
    for (std::size_t i = 0; i < kRods; ++i)
      raise(worst, reference::angle_difference(reference::rod_angle(run.world(), rods[i]), exact[k][i]) / (kPi / 2));
  }
  return worst;
}

double pendulum_error(const Method& method, double dt) { return rods_error<1>(method, dt, 1, 2); }
double double_pendulum_error(const Method& method, double dt) { return rods_error<2>(method, dt, 0.5, 1); }
double chain_error(const Method& method, double dt) { return rods_error<10>(method, dt, 0.2, 0.8); }

/// A point mass on a massless bar of a metre is the pendulum with θ'' = -g sin θ, that of a rod of 1.5 m.
double rope_pendulum_error(const Method& method, double dt) {
  static const std::vector<State> exact = hanging_rods(1, 1.5, kPi / 2, kG, instants(2));
  World world = space(true);
  BodyDef def;
  def.shape = sphere(0.05);
  def.mass = 1;
  def.position = {1, 0, 0};
  def.can_collide = false;
  const BodyId mass = world.add_body(def);
  JointDef bar;
  bar.a = world.world_body(), bar.b = mass;
  bar.kind = DistanceJoint{.lower = 1, .upper = 1};
  world.add_joint(bar);
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    run.to(instants(2)[k]);
    raise(worst, length(run.world().position(mass) - Vec3{std::sin(exact[k][0]), -std::cos(exact[k][0]), 0}));
  }
  return worst;
}

/// A uniform rod of a kilogram in the plane: where its ends are and how fast they move while the crank turns with 1 rad/s.
struct MovingRod {
  Vec3 a, b, a_rate, b_rate;

  TurningMechanism part() const {
    const Vec3 v = 0.5 * (a_rate + b_rate), d = b_rate - a_rate;
    return {dot(v, v) + dot(d, d) / 12, kG * 0.5 * (a.y + b.y)};
  }
  void start(World& world, BodyId rod, double rate) const {
    const Vec3 along = b - a;
    world.set_velocity(rod, rate * 0.5 * (a_rate + b_rate),
                       rate * cross(along, b_rate - a_rate) * (1 / dot(along, along)));
  }
};

TurningMechanism operator+(const TurningMechanism& a, const TurningMechanism& b) {
  return {a.mass + b.mass, a.height + b.height};
}

Vec3 crank_end(double radius, double q) { return {radius * std::cos(q), radius * std::sin(q), 0}; }
Vec3 crank_rate(double radius, double q) { return {-radius * std::sin(q), radius * std::cos(q), 0}; }

/// Crank 0.35 m at the origin, coupler 1 m, rocker 0.8 m at (1, 0): the crank goes round, and no position is singular.
struct FourBar {
  static constexpr double kCrank = 0.35, kCoupler = 1, kRocker = 0.8;
  MovingRod crank, coupler, rocker;

  explicit FourBar(double q) {
    const Vec3 origin, ground{1, 0, 0}, end = crank_end(kCrank, q), end_rate = crank_rate(kCrank, q);
    // Where circles about the ends of crank and ground meet, on the upper side.
    const Vec3 across = ground - end;
    const double d = length(across), x = (d * d + kCoupler * kCoupler - kRocker * kRocker) / (2 * d);
    const Vec3 u = across * (1 / d), up{-u.y, u.x, 0};
    const Vec3 joint = end + x * u + std::sqrt(kCoupler * kCoupler - x * x) * up;
    // The joint moves across the rocker, and as fast along the coupler as its other end.
    const Vec3 arm = joint - ground, along = joint - end, across_rocker{-arm.y, arm.x, 0};
    const Vec3 joint_rate = across_rocker * (dot(along, end_rate) / dot(along, across_rocker));
    crank = {origin, end, origin, end_rate};
    coupler = {end, joint, end_rate, joint_rate};
    rocker = {ground, joint, origin, joint_rate};
  }
  static TurningMechanism at(double q) {
    const FourBar f(q);
    return f.crank.part() + f.coupler.part() + f.rocker.part();
  }
};

double four_bar_error(const Method& method, double dt) {
  constexpr double kStart = 1, kRate = 12;
  static const std::vector<double> exact = turning_mechanism(FourBar::at, kStart, kRate, instants(1));
  World world = space(true);
  const FourBar f(kStart);
  const auto add = [&](const MovingRod& rod) {
    const BodyId body = add_rod(world, rod.a, rod.b, 1);
    rod.start(world, body, kRate);
    return body;
  };
  const BodyId crank = add(f.crank), coupler = add(f.coupler), rocker = add(f.rocker);
  add_hinge(world, world.world_body(), crank, f.crank.a);
  add_hinge(world, crank, coupler, f.crank.b);
  add_hinge(world, coupler, rocker, f.coupler.b);
  add_hinge(world, world.world_body(), rocker, f.rocker.a);
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    run.to(instants(1)[k]);
    const FourBar now(exact[k]);
    for (const auto& [body, rod] : {std::pair{crank, now.crank}, {coupler, now.coupler}, {rocker, now.rocker}})
      raise(worst, length(run.world().position(body) - 0.5 * (rod.a + rod.b)) / FourBar::kCrank);
  }
  return worst;
}

/// Three links of a metre, the first and the last on the ground a metre apart: all lie in one line twice in a turn, where the mechanism
/// could leave the parallelogram. It moves like one body: m = 2/3 + 1, V = 2 g cos q, q from the upright.
double parallelogram_error(const Method& method, double dt) {
  static const std::vector<double> exact = turning_mechanism(
      [](double q) {
        return TurningMechanism{5.0 / 3, 2 * kG * std::cos(q)};
      },
      0, 1, instants(1.5));
  World world = space(true);
  const BodyId left = add_rod(world, {0, 0, 0}, {0, 1, 0}, 1), right = add_rod(world, {1, 0, 0}, {1, 1, 0}, 1),
               top = add_rod(world, {0, 1, 0}, {1, 1, 0}, 1);
  add_hinge(world, world.world_body(), left, {0, 0, 0});
  add_hinge(world, world.world_body(), right, {1, 0, 0});
  add_hinge(world, left, top, {0, 1, 0});
  add_hinge(world, right, top, {1, 1, 0});
  for (const BodyId link : {left, right}) world.set_velocity(link, {0.5, 0, 0}, {0, 0, -1});
  world.set_velocity(top, {1, 0, 0}, {});
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    run.to(instants(1.5)[k]);
    const Vec3 end{std::sin(exact[k]), std::cos(exact[k]), 0};
    raise(worst, length(run.world().position(top) - end - Vec3{0.5, 0, 0}));
    raise(worst, length(run.world().position(right) - 0.5 * end - Vec3{1, 0, 0}));
  }
  return worst;
}

/// Crank 0.3 m, connecting rod 0.8 m, slider 2 kg along the x axis.
struct SliderCrank {
  static constexpr double kCrank = 0.3, kRod = 0.8, kSlider = 2;
  MovingRod crank, rod;

  explicit SliderCrank(double q) {
    const Vec3 end = crank_end(kCrank, q), end_rate = crank_rate(kCrank, q);
    const double x = std::sqrt(kRod * kRod - end.y * end.y);
    const Vec3 pin{end.x + x, 0, 0}, pin_rate{end_rate.x - end.y * end_rate.y / x, 0, 0};
    crank = {{}, end, {}, end_rate};
    rod = {end, pin, end_rate, pin_rate};
  }
  static TurningMechanism at(double q) {
    const SliderCrank s(q);
    return s.crank.part() + s.rod.part() + TurningMechanism{kSlider * dot(s.rod.b_rate, s.rod.b_rate), 0};
  }
};

double slider_crank_error(const Method& method, double dt) {
  constexpr double kStart = 0.5, kRate = 15;
  static const std::vector<double> exact = turning_mechanism(SliderCrank::at, kStart, kRate, instants(1));
  World world = space(true);
  const SliderCrank s(kStart);
  const BodyId crank = add_rod(world, s.crank.a, s.crank.b, 1), rod = add_rod(world, s.rod.a, s.rod.b, 1);
  s.crank.start(world, crank, kRate);
  s.rod.start(world, rod, kRate);
  BodyDef def;
  def.shape = box({0.1, 0.1, 0.1});
  def.mass = SliderCrank::kSlider;
  def.position = s.rod.b;
  def.velocity = kRate * s.rod.b_rate;
  def.can_collide = false;
  const BodyId slider = world.add_body(def);
  add_hinge(world, world.world_body(), crank, {});
  add_hinge(world, crank, rod, s.crank.b);
  add_hinge(world, rod, slider, s.rod.b);
  AxesJoint along_x;
  along_x.axes[0].motion = AxisMotion::free;
  reference::add_joint(world, world.world_body(), slider, {s.rod.b, {}}, along_x);
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    run.to(instants(1)[k]);
    const SliderCrank now(exact[k]);
    raise(worst, length(run.world().position(slider) - now.rod.b) / SliderCrank::kCrank);
    raise(worst, length(run.world().position(crank) - 0.5 * now.crank.b) / (0.5 * SliderCrank::kCrank));
  }
  return worst;
}

/// Lagrange's top: 1 kg at a metre from the fixed point, 0.5 and 0.3 kg m² about the center of mass, 40 rad/s about its axis, released at 60°.
double heavy_top_error(const Method& method, double dt) {
  RollingBody body;
  body.inertia = {0.5, 0.3, 0.5};
  body.held = true;
  body.held_at = {0, -1, 0};
  RollingBody::Pose start;
  start.orientation = quaternion_from_axis_angle({0, 0, 1}, -kPi / 3);
  const Vec3 axis = rotate(start.orientation, {0, 1, 0});
  start.position = axis;
  start.angular_velocity = 40.0 * axis;
  static const std::vector<RollingBody::Pose> exact = body.motion(start, instants(1));
  World world = space(true);
  BodyDef def;
  def.shape = sphere(0.1);
  def.mass = 1;
  def.inertia = Mat3::diagonal(body.inertia);
  def.position = start.position, def.orientation = start.orientation, def.angular_velocity = start.angular_velocity;
  def.can_collide = false;
  const BodyId top = world.add_body(def);
  add_ball_joint(world, world.world_body(), top, {});
  Run run(world, method, dt, reference::Ends::at_losses);
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    run.to(instants(1)[k]);
    const Vec3 now = rotate(run.world().orientation(top), {0, 1, 0});
    raise(worst, length(now - rotate(exact[k].orientation, {0, 1, 0})));
  }
  return worst;
}

}  // namespace

Problem pendulum() { return {"pendulum", "a rod on a hinge, 2 s", kJoints, pendulum_error}; }
Problem rope_pendulum() {
  return {"bar-pendulum", "a point mass on a massless bar, 2 s", kJoints, rope_pendulum_error};
}
Problem double_pendulum() { return {"double-pendulum", "two rods on hinges, 1 s", kJoints, double_pendulum_error}; }
Problem chain_of_ten() { return {"chain-of-ten", "ten rods on hinges, 0.8 s", kJoints, chain_error}; }
Problem four_bar() { return {"four-bar", "crank, coupler and rocker, 1 s", kJoints, four_bar_error}; }
Problem parallelogram() {
  return {"parallelogram", "a four-bar linkage through its singular positions, 1.5 s", kJoints, parallelogram_error};
}
Problem slider_crank() {
  return {"slider-crank", "crank, connecting rod and slider, 1 s", kJoints, slider_crank_error};
}
Problem heavy_top() { return {"heavy-top", "a top on a ball joint, 1 s", kJoints, heavy_top_error}; }

}  // namespace rigor::convergence
