// A slider-crank: crank 0.5 m and 1 kg at the origin, connecting rod 1 m and 1 kg, slider 2 kg along the x axis; starts stretched with
// 4 rad/s of the crank. Three hinges and a slider in space: 20 rows of rank 17. Values: quadruple precision, order 20.
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

struct Sample {
  double t, x;  // s, m: position of the slider
};
constexpr Sample kSamples[] = {
    {0.1, 1.4780325241553876}, {0.2, 1.4746863335267666}, {0.3, 1.4980035968067287}, {0.4, 1.4538590586351743},
    {0.5, 1.311042333248153},  {0.6, 1.130814401384098},  {0.7, 0.9363637766924189}, {0.8, 0.7457418869670799},
    {0.9, 0.5874627755322109}, {1.0, 0.5072972231050683}, {1.1, 0.5031826125097889}, {1.2, 0.5095055892736797},
    {1.3, 0.5018591623602572}, {1.4, 0.5125315161114675}, {1.5, 0.605537073096245},  {1.6, 0.7706995193319836},
    {1.7, 0.9631305876022116}, {1.8, 1.1566418631270368}, {1.9, 1.333491643343384},  {2.0, 1.467797978258775},
};

Quantities measure_slider_crank(const Method& method, double dt) {
  World world = space(true);
  const BodyId crank = add_rod(world, {0, 0, 0}, {0.5, 0, 0}, 1), rod = add_rod(world, {0.5, 0, 0}, {1.5, 0, 0}, 1);
  BodyDef def;
  def.shape = box({0.1, 0.1, 0.1});
  def.mass = 2;
  def.position = {1.5, 0, 0};
  def.can_collide = false;
  const BodyId slider = world.add_body(def);
  add_hinge(world, world.world_body(), crank, {0, 0, 0});
  add_hinge(world, crank, rod, {0.5, 0, 0});
  add_hinge(world, rod, slider, {1.5, 0, 0});
  AxesJoint along_x;
  along_x.axes[0].motion = AxisMotion::free;
  add_joint(world, world.world_body(), slider, {{1.5, 0, 0}, {}}, along_x);
  world.set_velocity(crank, {0, 1, 0}, {0, 0, 4});
  world.set_velocity(rod, {0, 1, 0}, {0, 0, -2});
  Run run(world, method, dt);
  double place = 0, energy = 0;
  for (const Sample& s : kSamples) {
    run.to(s.t);
    raise(place, std::abs(run.world().position(slider).x - s.x));
    raise(energy, std::abs(run.energy() - 4.0 / 3));
  }
  return {{"slider in 2 s", "m", place, 1e-4, 2}, {"energy in 2 s (4/3 J)", "J", energy}};
}

}  // namespace

Case slider_crank() {
  return {"slider-crank",
          "crank, connecting rod and slider without a drive",
          "second order at 1 ms: slider 1e-4 m at 2 s",
          1e-3,
          {.joint = true},
          measure_slider_crank};
}

}  // namespace rigor::reference
