// Forces in equilibrium and simple motions with contacts: a stack of ten boxes, a plank on two supports, three cylinders, a block on a movable
// wedge, a block that slides to a stop. Closed forms.
#include <array>

#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

BodyDef solid(ShapePtr shape, double mass, const Vec3& position, double mu) {
  BodyDef def;
  def.shape = std::move(shape);
  def.mass = mass;
  def.position = position;
  def.material = surface(mu);
  return def;
}

/// The force below box i carries the boxes from i upwards.
double stack(const Method& method, double dt) {
  constexpr int kBoxes = 10;
  World world;
  std::vector<BodyId> list{world.ground()};
  for (int i = 0; i < kBoxes; ++i) list.push_back(world.add_body(solid(box({1, 1, 1}), 1, {0, 0.5 + i, 0}, 0.5)));
  Run run(world, method, dt);
  run.to(3);
  double worst = 0;
  for (std::size_t i = 0; i + 1 < list.size(); ++i)
    raise(worst, relative(normal_force(run, list[i], list[i + 1]), kG * (kBoxes - static_cast<double>(i))));
  return worst;
}

/// A plank of 2 kg on supports 1 m left and 3 m right of its middle: they carry 3/4 and 1/4.
double plank(const Method& method, double dt) {
  World world;
  const BodyId beam = world.add_body(solid(box({8, 0.1, 1}), 2, {0, 1.05, 0}, 0.5));
  const auto support = [&](double x) {
    // A lying cylinder touches along a line below the plank.
    BodyDef def = solid(cylinder(0.5, 1), 1, {x, 0.5, 0}, 0.5);
    def.orientation = quaternion_from_axis_angle({1, 0, 0}, kPi / 2);
    def.fixed = true;
    return world.add_body(def);
  };
  const BodyId left = support(-1), right = support(3);
  Run run(world, method, dt);
  run.to(2);
  return std::max(relative(normal_force(run, left, beam), 14.715), relative(normal_force(run, right, beam), 4.905));
}

/// Two cylinders side by side on the floor, a third one on top. With φ = 30° from the vertical to the lower axes the top one rests on
/// N = m g/2 and f = N tan φ/2 at each. A small gap keeps the lower ones from sharing the load with each other, which would
/// leave the forces undetermined; φ is a little larger then.
std::array<double, 2> three_cylinders(const Method& method, double dt) {
  World world;
  world.set_material(world.ground(), surface(0.5));
  const double r = 0.5, x = r + 1e-3, phi = std::asin(x / (2 * r)), N = 0.5 * kG, f = N * std::tan(phi / 2);
  const auto lying = [&](double at, double y) {
    BodyDef def = solid(cylinder(r, 1), 1, {at, y, 0}, 0.5);
    def.orientation = quaternion_from_axis_angle({1, 0, 0}, kPi / 2);
    return world.add_body(def);
  };
  const BodyId left = lying(-x, r), right = lying(x, r), top = lying(0, r + 2 * r * std::cos(phi));
  Run run(world, method, dt);
  run.to(2);
  std::array<double, 2> worst{};
  for (const BodyId lower : {left, right}) {
    raise(worst[0], relative(normal_force(run, lower, top), N));
    raise(worst[0], relative(normal_force(run, world.ground(), lower), 3 * N));
    raise(worst[1], relative(friction_force(run, lower, top), f));
    raise(worst[1], relative(friction_force(run, world.ground(), lower), f));
  }
  return worst;
}

/// A block of 1 kg slides down a wedge of 3 kg and 30° that slides itself; no friction. Accelerations over 0.3 s.
double wedge(const Method& method, double dt) {
  World world;
  world.set_material(world.ground(), surface(0));
  const double alpha = kPi / 6, height = 2, base = height / std::tan(alpha);
  std::vector<Vec3> corners;
  for (const double z : {-1.0, 1.0})
    for (const Vec3& p : {Vec3{0, 0, z}, Vec3{base, 0, z}, Vec3{0, height, z}}) corners.push_back(p);
  const BodyId ramp = world.add_body(solid(convex_hull(corners), 3, {}, 0));
  const Vec3 down{std::cos(alpha), -std::sin(alpha), 0}, out{std::sin(alpha), std::cos(alpha), 0};
  BodyDef def = solid(box({0.4, 0.2, 0.4}), 1, Vec3{0, height, 0} + 1.0 * down + 0.1 * out, 0);
  def.orientation = quaternion_from_axis_angle({0, 0, 1}, -alpha);
  const BodyId block = world.add_body(def);
  Run run(world, method, dt);
  run.to(0.1);
  const Vec3 ramp_v = run.world().velocity(ramp), block_v = run.world().velocity(block);
  run.to(0.4);
  const Vec3 ramp_a = (run.world().velocity(ramp) - ramp_v) / 0.3,
             block_a = (run.world().velocity(block) - block_v) / 0.3;
  return std::max(relative(-ramp_a.x, 1.3070321863269758), relative(dot(block_a - ramp_a, down), 6.036923076923077));
}

/// 5 m/s against μ = 0.4: 3.1855 m.
double sliding_stop(const Method& method, double dt) {
  World world;
  world.set_material(world.ground(), surface(0.4));
  BodyDef def = solid(box({1, 0.2, 1}), 1, {0, 0.1, 0}, 0.4);
  def.velocity = {5, 0, 0};
  const BodyId block = world.add_body(def);
  Run run(world, method, dt);
  run.to(2);
  return relative(run.world().position(block).x, 3.1855249745158);
}

Quantities measure_statics(const Method& method, double dt) {
  const std::array<double, 2> cylinders = three_cylinders(method, dt);
  return {{"ten boxes, forces between them", "1", stack(method, dt), 0.01},
          {"plank on two supports", "1", plank(method, dt), 0.01},
          {"three cylinders, normal forces", "1", cylinders[0], 0.01},
          {"three cylinders, friction", "1", cylinders[1], 0.01},
          {"block on a wedge, accelerations", "1", wedge(method, dt)},
          {"way of a sliding block", "1", sliding_stop(method, dt)}};
}

}  // namespace

Case contact_forces() {
  return {"contact-forces",
          "forces of stacks, supports and cylinders at rest; a wedge; a block that slides to a stop",
          "forces 1 % after settling",
          1.0 / 240,
          {.contact = true},
          measure_statics};
}

}  // namespace rigor::reference
