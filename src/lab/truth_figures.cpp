#include "lab/truth_figures.h"

#include <algorithm>
#include <cmath>

namespace rigor {

double point_mobility(double inverse_mass, const Mat3& inverse_inertia_world, const Vec3& r) {
  double trace = 3 * inverse_mass;
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
    const Vec3 turn = cross(r, axis);
    trace += dot(turn, inverse_inertia_world * turn);
  }
  return trace / 3;
}

TruthFigures::TruthFigures()
    : list_{{"momentum", "N s", {}, {}},         {"angular_momentum", "N m s", {}, {}}, {"natural_map", "m/s", {}, {}},
            {"cone_distance", "N s", {}, {}},    {"approach", "m/s", {}, {}},           {"signorini", "J", {}, {}},
            {"de_saxce", "J", {}, {}},           {"dissipation_deficit", "J", {}, {}},  {"joint_error", "m", {}, {}},
            {"limit_error", "m or rad", {}, {}}, {"penetration", "m", {}, {}}} {}

TruthFigures::PointFigures TruthFigures::figures_of(const TruthPoint& p, const TruthLaw& law) {
  const double closing = -dot(p.before, p.normal);
  double target = p.gap > 0 ? -p.gap / law.h : 0;
  if (p.restitution > 0 && closing > law.restitution_threshold && closing * law.h > p.gap)
    target = p.restitution * closing;
  const Vec3 across = cross(p.normal, p.tangent), slip = p.after + p.surface;
  const double f = p.across;
  const double sliding = std::hypot(dot(slip, p.tangent), dot(slip, across));
  const double mu = sliding < law.stick_speed ? p.static_friction : p.friction;
  // The ellipse as a disk: λ_2 / f and f v_2.
  const double r[3] = {dot(p.impulse, p.normal), dot(p.impulse, p.tangent),
                       f > 0 ? dot(p.impulse, across) / f : dot(p.impulse, across)};
  const double u[3] = {dot(p.after, p.normal) - target, dot(slip, p.tangent), f * dot(slip, across)};
  ConeBlock block{0, 3, true, 1, {}};
  block.group[0] = {1, 2, mu};
  PointFigures result;
  const double d = p.mobility;
  if (d > 0) {
    const double shifted[3] = {u[0] + rigor::de_saxce(block, u), u[1], u[2]};
    double y[3];
    for (int i = 0; i < 3; ++i) y[i] = r[i] - shifted[i] / d;
    project(ConeProblem{}, block, y);
    result.natural_map = d * std::hypot(r[0] - y[0], r[1] - y[1], r[2] - y[2]);
  }
  const double deficit = dissipation_deficit(block, r, u);
  result.cone = cone_distance(block, r);
  result.approach = std::max(-u[0], 0.0);
  result.signorini = std::abs(r[0] * u[0]);
  result.de_saxce = std::abs(r[0] * u[0] + deficit);
  result.dissipation = std::abs(deficit);
  return result;
}

std::vector<TruthFigure> TruthFigures::finished() const {
  std::vector<TruthFigure> all = list_;
  for (TruthFigure& f : all) f.figure.finish();
  return all;
}

}  // namespace rigor
