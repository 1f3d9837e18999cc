// A uniform rod, 1 m and 1 kg, hinged at its end. Period 4 K(sin(θ₀/2))/ω₀ with ω₀² = 3g/2L, θ(t) = 2 asin(k cd(ω₀ t, k)); the
// hinge pulls with 2.5 m g when a rod that was released at 90° passes the bottom. Values: elliptic functions, 40 digits.
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

constexpr Needs kNeeds{.joint = true};

struct Amplitude {
  double degrees, period;  // s
};
constexpr Amplitude kPeriods[] = {{10, 1.6410704582211517}, {90, 1.9333348543732458}, {150, 2.8863955824243193}};

struct Sample {
  double t, theta;  // s, rad
};
/// Released at 90°.
constexpr Sample kAngles[] = {
    {0.2, 1.2773423348793245},  {0.4, 0.4444965231121447},  {0.6, -0.6123894256111362}, {0.8, -1.3667034288706492},
    {1.0, -1.5626217180344713}, {1.2, -1.1723494185338912}, {1.4, -0.2695992171226066}, {1.6, 0.7709156925820313},
    {1.8, 1.4400678775226354},  {2.0, 1.5380989842222887},  {2.2, 1.0523118511888976},  {2.4, 0.09036444201417684},
    {2.6, -0.918083218082609},  {2.8, -1.4972312437364967}, {3.0, -1.4972379547340111}, {3.2, -0.918102509833362},
    {3.4, 0.09033973789085628}, {3.6, 1.0522944246817958},  {3.8, 1.5380945082294042},  {4.0, 1.4400768150176428},
    {4.2, 0.770936657685152},   {4.4, -0.2695749136296458}, {4.6, -1.172333999052286},  {4.8, -1.5626194797370694},
    {5.0, -1.3667145732398653},
};

struct Pendulum {
  World world = space(true);
  BodyId rod;
  JointId hinge;

  explicit Pendulum(double amplitude) {
    const Vec3 end{std::sin(amplitude), -std::cos(amplitude), 0};
    rod = add_rod(world, {}, end, 1);
    hinge = add_hinge(world, world.world_body(), rod, {});
  }
};

/// Time between the first and the third passage through the bottom.
double measured_period(double amplitude, double expected, const Method& method, double dt) {
  Pendulum p(amplitude);
  Run run(p.world, method, dt);
  std::vector<double> passages;
  double before = amplitude;
  while (passages.size() < 3) {
    if (run.time() > 2 * expected) throw std::runtime_error("the pendulum does not swing back");
    const double start = run.time();
    run.step();
    const double now = rod_angle(run.world(), p.rod);
    // θ is nearly a straight line there, since its second derivative vanishes.
    if (before * now < 0 && std::abs(before) < 1)
      passages.push_back(start + (run.time() - start) * before / (before - now));
    before = now;
  }
  return passages[2] - passages[0];
}

double largest_angle_error(const Method& method, double dt) {
  Pendulum p(kPi / 2);
  Run run(p.world, method, dt);
  double worst = 0;
  for (const Sample& s : kAngles) {
    run.to(s.t);
    raise(worst, angle_difference(rod_angle(run.world(), p.rod), s.theta));
  }
  return worst;
}

double largest_reaction(const Method& method, double dt) {
  Pendulum p(kPi / 2);
  Run run(p.world, method, dt);
  double largest = 0;
  while (run.time() < 0.75) {
    run.step();
    raise(largest, length(run.world().joint_state(p.hinge).force));
  }
  return largest;
}

Quantities measure_pendulum(const Method& method, double dt) {
  Quantities q;
  const double tolerance = order_of(method, kNeeds) >= 2 ? 1e-6 : 1e-3;
  for (const Amplitude& a : kPeriods)
    q.push_back({"period at " + std::to_string(static_cast<int>(a.degrees)) + "°", "1",
                 relative(measured_period(degrees(a.degrees), a.period, method, dt), a.period), tolerance});
  q.push_back({"angle in 5 s from 90°", "rad", largest_angle_error(method, dt)});
  // The advice about the reaction speaks of 1/240 s, that about the period of 1 ms.
  q.push_back({"reaction at the bottom", "1", relative(largest_reaction(method, dt / 0.24), 2.5 * kG), 0.01});
  return q;
}

}  // namespace

Case compound_pendulum() {
  return {
      "compound-pendulum",
      "a rod hinged at its end: periods, angles, reaction",
      "period 1e-6 for second order at 1 ms, 1e-3 for constraint solvers with stabilisation; reaction 1 % at 1/240 s",
      1e-3,
      kNeeds,
      measure_pendulum};
}

}  // namespace rigor::reference
