// Lagrange's heavy top: fixed at the origin, 1 kg at 1 m along its axis, 0.5 and 0.3 kg m² about the center of mass, 40 rad/s about its axis,
// released at 60° without precession, so that it draws cusps. Values: Jacobi's functions and a quadrature, 40 digits.
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

constexpr double kTilt = kPi / 3, kSpin = 40;
constexpr double kNutationPeriod = 0.8509507336151596;  // s
constexpr double kPrecessionRate = 0.8459137080695618;  // rad/s, mean

struct Sample {
  double t, theta, phi;  // s, rad, rad
};
constexpr Sample kSamples[] = {
    {0.1, 1.074124778131373, 0.008345216303875578}, {0.2, 1.1399253838579824, 0.05917742273709724},
    {0.3, 1.2095696465733092, 0.1673875387735293},  {0.4, 1.247497474096527, 0.3183723941077255},
    {0.5, 1.2346036212999902, 0.4790591844361484},  {0.6, 1.1773784240764726, 0.6123519823462926},
    {0.7, 1.1047512600701028, 0.6926142637882734},  {0.8, 1.0544532693197062, 0.7186908495112877},
    {0.9, 1.0539282712241413, 0.7208488582301591},  {1.0, 1.1034704321611668, 0.7460925326117418},
    {1.1, 1.1760244493521597, 0.8252395949698699},  {1.2, 1.2338663939910852, 0.9577041817680373},
    {1.3, 1.2477481114875764, 1.1182031369793914},  {1.4, 1.2106819706062983, 1.2697182920560812},
    {1.5, 1.1413380021303374, 1.3789563713136797},  {1.6, 1.0751046986402626, 1.430845909828245},
    {1.7, 1.0472077899746348, 1.4396617209656555},  {1.8, 1.0731595511464844, 1.4475526828843632},
    {1.9, 1.138514154546464, 1.497332886110223},    {2.0, 1.208445331359913, 1.6045094020302992},
};

Vec3 direction(double theta, double phi) {
  return {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)};
}

/// Where the parabola through three values at -1, 0, 1 has its extremum.
double extremum(double before, double middle, double after) {
  const double curvature = before - 2 * middle + after;
  return curvature == 0 ? 0 : 0.5 * (before - after) / curvature;
}

Quantities measure_top(const Method& method, double dt) {
  World world = space(true);
  world.set_gravity({0, 0, -kG});
  BodyDef def;
  def.shape = sphere(0.1);
  def.mass = 1;
  def.inertia = Mat3::diagonal({0.5, 0.5, 0.3});
  def.position = direction(kTilt, 0);
  def.orientation = quaternion_from_axis_angle({0, 1, 0}, kTilt);
  def.angular_velocity = kSpin * direction(kTilt, 0);
  def.can_collide = false;
  const BodyId top = world.add_body(def);
  add_ball_joint(world, world.world_body(), top, {});
  Run run(world, method, dt);
  const auto axis = [&] { return rotate(run.world().orientation(top), {0, 0, 1}); };
  double worst = 0;
  for (const Sample& s : kSamples) {
    run.to(s.t);
    raise(worst, length(axis() - direction(s.theta, s.phi)));
  }
  // The highest point nearest to one nutation period: three heights around it.
  Run second(world, method, dt);
  second.to(0.75 * kNutationPeriod);
  const auto height = [&] { return rotate(second.world().orientation(top), {0, 0, 1}).z; };
  double a = height(), b = a, c = a;
  while (second.time() < 1.25 * kNutationPeriod) {
    second.step();
    a = b, b = c, c = height();
    if (a <= b && b > c) break;
  }
  const double period = second.time() - second.dt() + second.dt() * extremum(a, b, c);
  const Vec3 end = rotate(second.world().orientation(top), {0, 0, 1});
  return {{"direction of the axis in 2 s", "rad", worst},
          {"nutation period", "1", relative(period, kNutationPeriod), 1e-4, 2},
          {"mean precession rate", "1", relative(std::atan2(end.y, end.x) / period, kPrecessionRate), 1e-4, 2}};
}

}  // namespace

Case heavy_top() {
  return {"lagrange-top",
          "a heavy symmetric top on a ball joint, with cusps",
          "period and mean rate 1e-4 at 0.1 ms, second order",
          1e-4,
          {.joint = true},
          measure_top};
}

}  // namespace rigor::reference
