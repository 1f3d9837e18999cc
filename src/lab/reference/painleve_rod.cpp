// Painlevé's paradox: the lower tip of a rod of 2 m and 1 kg slides with 1 m/s on a floor with μ = 1.6, the rod at atan 2 to it. Friction
// would turn the rod into the floor faster than the floor can lift it (p = -0.32): no finite force solves that. Impulses
// do: the tip stops at once, with J_n = 0.3 N s and J_t = -0.4 N s.
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

constexpr double kTip = 1e-3;  // m, radius of the little ball that the rod touches the floor with

Quantities measure_rod(const Method& method, double dt) {
  const double angle = std::atan(2.0);
  World world;
  world.set_material(world.ground(), surface(1.6));
  BodyDef def;
  // The rod lies along its x axis, the tip at x = +1. The ball touches below its center, which moves the lever by 1 mm.
  def.shape = transformed(sphere(kTip), {{1, 0, 0}, {}});
  def.mass = 1;
  def.inertia = Mat3::diagonal({1.0 / 300, 1.0 / 3, 1.0 / 3});
  def.center_of_mass = Vec3{};
  def.position = {-std::cos(angle), std::sin(angle) + kTip, 0};
  def.orientation = quaternion_from_axis_angle({0, 0, 1}, -angle);
  def.velocity = {1, 0, 0};
  def.material = surface(1.6);
  const BodyId rod = world.add_body(def);
  Run run(world, method, dt);
  const double start = run.energy();
  double gain = 0, tip_speed = 0;
  for (int i = 1; i <= 24; ++i) {
    run.step();
    const World& w = run.world();
    raise(gain, run.energy() - start);
    if (i > 2) continue;
    const Vec3 tip = w.to_world(rod, {1, 0, 0}) - Vec3{0, kTip, 0};
    tip_speed = std::abs((w.velocity(rod) + cross(w.angular_velocity(rod), tip - w.center_of_mass(rod))).x);
  }
  // Rounding of an energy of some 10 J; stopped means slower than the method's own stick speed.
  return {{"speed of the tip after two steps", "m/s", tip_speed, method.stick_speed},
          {"energy gained in 24 steps", "J", gain, 1e-9}};
}

}  // namespace

Case painleve_rod() {
  return {"painleve-rod",
          "a rod whose sliding tip no finite force can hold",
          "no hang, nothing infinite, no energy gained; the tip stops within one or two steps",
          1.0 / 240,
          {.collision = true, .contact = true},
          measure_rod};
}

}  // namespace rigor::reference
