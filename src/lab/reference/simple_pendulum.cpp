// IFToMM benchmark A01: a point mass of 1 kg on a massless bar of 1 m, released horizontally. Values: elliptic functions.
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

struct Sample {
  double t, x, y;
};
constexpr Sample kSamples[] = {
    {0.5, -0.3910487915505464, -0.9203699487851922},  {1.0, 0.9862917511318753, -0.16501085312554117},
    {1.5, 0.8841323602843036, -0.4672365241482158},   {2.0, -0.7935661953433217, -0.6084839304437916},
    {2.5, -0.9963344039582815, -0.0855438804888806},  {3.0, 0.1766517899228382, -0.9842734097378926},
    {3.5, 0.9999136401476614, -0.013142003144616169}, {4.0, 0.5775636282486314, -0.8163456714678389},
    {4.5, -0.963293017703455, -0.2684521596928791},   {5.0, -0.9423054350437573, -0.3347543384140006},
    {5.5, 0.6652925965551312, -0.7465827221205508},   {6.0, 0.9994975399393528, -0.03169649278992706},
    {6.5, 0.05119453982595532, -0.9986886997918865},  {7.0, -0.9986187791754798, -0.052540782998298716},
    {7.5, -0.7274587213083755, -0.6861514474169557},  {8.0, 0.9198579831077385, -0.39225156585151255},
    {8.5, 0.975625999871729, -0.2194399880930752},    {9.0, -0.49837370905755896, -0.8669623095153627},
    {9.5, -0.999991915252911, -0.004021122830114612}, {10.0, -0.2750874625761169, -0.961419205099125},
};

Quantities measure_pendulum(const Method& method, double dt) {
  World world = space(true);
  BodyDef def;
  def.shape = sphere(0.05);
  def.mass = 1;
  def.position = {-1, 0, 0};
  def.can_collide = false;
  const BodyId mass = world.add_body(def);
  JointDef bar;
  bar.a = world.world_body(), bar.b = mass;
  bar.kind = DistanceJoint{.lower = 1, .upper = 1};
  world.add_joint(bar);
  Run run(world, method, dt);
  double position = 0, energy = 0;
  for (const Sample& s : kSamples) {
    run.to(s.t);
    raise(position, length(run.world().position(mass) - Vec3{s.x, s.y, 0}));
    raise(energy, std::abs(run.energy()));
  }
  return {{"position in 10 s", "m", position, 1e-4, 2}, {"energy (it begins with 0)", "J", energy, 5e-5, 2}};
}

}  // namespace

Case simple_pendulum() {
  return {"iftomm-a01",
          "a point mass on a massless bar, 10 s",
          "1e-4 m over 10 s is good; energy 5e-5 J; read as advice for second order at 1 ms",
          1e-3,
          {.joint = true},
          measure_pendulum};
}

}  // namespace rigor::reference
