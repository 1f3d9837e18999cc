// The exact motion of a free rigid body (Euler, Jacobi).
//
//   q̇ = ½ ω q,   ω = R I⁻¹ Rᵀ L,   L constant
//
// The momentum's direction n = Rᵀ L/|L| in the body is known in closed form (free_rotation_orbit.h).
// With z along L the attitude is R = Rz(φ) Rx(θ) Rz(χ), where θ, χ are the polar angles of n about the
// body axis 1 or 3, and φ an elliptic integral of the third kind. It is found by Gauss's quadrature,
// converged to rounding because the integrand has no pole near; whole periods are removed by the
// complete integral, so that the cost is bounded in h. Neither θ nor χ nor their start is ever needed
// as an angle. If n is on the axis itself the formulas still hold: the ratio that is tan χ keeps its
// relative accuracy, and the errors of χ and φ cancel in R(0)ᵀ R(t).
//
// After van Zon & Schofield 2007 (J. Comput. Phys. 225) and Celledoni, Fassò, Säfström & Zanna 2008
// (SIAM J. Sci. Comput. 30), who use theta series or phases; the quadrature and the choice of the axis
// are derived here.
// Accuracy: the error of q is about 4e-16 for steps below one radian and grows like 1e-16 |L| h / I₁.
// Near the separatrix an error of n is amplified by exp(λh), as by the exact motion; the energy is not affected.
// Cost: about 8 values of sn for λh < 0.1, 14 beyond, and one for each further 0.7 of λh up to K(m).
// Angles beyond 1e30 are clamped, so that the result is finite but meaningless. q and the inertia are not checked.
#include "integrators/free_rotation_exact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "integrators/free_rotation_orbit.h"

namespace rigor {

namespace {

/// In units of I₁/|L|. Phases beyond 1e16 are noise, and products of numbers within it are finite.
constexpr double kMaxTime = 1e30;
/// |λt| after which a body on the separatrix has come to rest on its middle axis, by exp(-200).
constexpr double kSeparatrixReach = 200;

/// The body's principal axes in the order of their moments; the third may be reversed for a right-handed frame.
struct SortedAxes {
  int index[3] = {0, 1, 2};
  double sign = 1;

  explicit SortedAxes(const Vec3& inertia) {
    const auto order = [&](int i, int k) {
      if (inertia[index[i]] > inertia[index[k]]) std::swap(index[i], index[k]), sign = -sign;
    };
    order(0, 1), order(1, 2), order(0, 1);
  }
  Vec3 moments(const Vec3& inertia) const { return {inertia[index[0]], inertia[index[1]], inertia[index[2]]}; }
  Vec3 sorted(const Vec3& v) const { return {v[index[0]], v[index[1]], sign * v[index[2]]}; }
  Vec3 unsorted(const Vec3& v) const {
    Vec3 u;
    u[index[0]] = v.x, u[index[1]] = v.y, u[index[2]] = sign * v.z;
    return u;
  }
};

/// Nodes on (0, 1) come in pairs ½ ± ½ node of equal weight ½ weight.
struct GaussPair {
  double node, weight;
};
constexpr std::array<GaussPair, 3> kGauss6 = {{{0.23861918608319690863, 0.46791393457269104739},
                                               {0.66120938646626451366, 0.36076157304813860757},
                                               {0.93246951420315202781, 0.17132449237917034504}}};
constexpr std::array<GaussPair, 6> kGauss12 = {{{0.12523340851146891547, 0.24914704581340278500},
                                                {0.36783149899818019375, 0.23349253653835480876},
                                                {0.58731795428661744730, 0.20316742672306592175},
                                                {0.76990267419430468704, 0.16007832854334622633},
                                                {0.90411725637047485668, 0.10693932599531843096},
                                                {0.98156063424671925069, 0.04717533638651182720}}};

/// ∫ share dt from 0 to t, with the same node offsets in every panel of the time.
template <std::size_t pair_count>
double integrate_share(const FreeRotationOrbit& orbit, double t, int panels,
                       const std::array<GaussPair, pair_count>& rule) {
  const double width = t / panels;
  std::array<OrbitFunctions, 2 * pair_count> nodes;
  for (std::size_t i = 0; i < pair_count; ++i) {
    nodes[2 * i] = orbit.functions(width * (0.5 - 0.5 * rule[i].node));
    nodes[2 * i + 1] = orbit.functions(width * (0.5 + 0.5 * rule[i].node));
  }
  double sum = 0;
  for (int panel = 0; panel < panels; ++panel) {
    const Vec3 n = orbit.momentum(panel * width);
    for (std::size_t i = 0; i < 2 * pair_count; ++i)
      sum += rule[i / 2].weight * orbit.share(orbit.numerators(n, nodes[i]));
  }
  return 0.5 * width * sum;
}

double integrate_share(const FreeRotationOrbit& orbit, double t) {
  const double length = std::abs(orbit.rate() * t);
  if (length <= 0.1) return integrate_share(orbit, t, 1, kGauss6);
  return integrate_share(orbit, t, 1 + static_cast<int>(length / 0.7), kGauss12);
}

/// n(t), and ∫ share dt up to then.
struct Advance {
  Vec3 n;
  double share_integral;
};

Advance advance(const FreeRotationOrbit& orbit, double t) {
  const double lambda = orbit.rate(), length = lambda * t;
  if (orbit.is_separatrix()) {
    const double reach = kSeparatrixReach / lambda, moving = std::clamp(t, -reach, reach);
    const Vec3 n = orbit.momentum(moving);
    return {n, integrate_share(orbit, moving) + (t - moving) * orbit.share(n)};
  }
  if (2 * std::abs(length) <= orbit.half_period()) return {orbit.momentum(t), integrate_share(orbit, t)};
  const double rest = std::remainder(length, orbit.half_period());  // exact by IEEE 754
  const double half_periods = std::nearbyint((length - rest) / orbit.half_period());
  const Vec3 n = orbit.momentum(rest / lambda);
  const double whole = (length - rest) / lambda * orbit.mean_share();
  return {std::fmod(half_periods, 2.0) == 0 ? n : orbit.half_period_later(n),
          whole + integrate_share(orbit, rest / lambda)};
}

/// Cosine and sine of half an angle, up to a common sign.
std::pair<double, double> half_angle(double cosine, double sine) {
  const double larger = std::sqrt(0.5 * (1 + std::abs(cosine))), smaller = 0.5 * sine / larger;
  return cosine >= 0 ? std::pair{larger, smaller} : std::pair{smaller, larger};
}

/// Rx(θ) Rz(χ), which takes the unit vector n = (sin θ sin χ, sin θ cos χ, cos θ) to the z axis.
Quat polar_frame(const Vec3& n) {
  const double sine = std::sqrt(n.x * n.x + n.y * n.y);
  const auto [theta_c, theta_s] = half_angle(n.z, sine);
  const auto [chi_c, chi_s] = half_angle(n.y / sine, n.x / sine);
  return {theta_c * chi_c, theta_s * chi_c, -theta_s * chi_s, theta_c * chi_s};
}

/// R(0)ᵀ R(t) in the sorted frame.
Quat rotation_during(const InertiaCouplings& j, Vec3 n, double t) {
  // z is the axis of φ. A vector on it has no χ; giving it one moves it by less than rounding.
  const auto to_chart = [&](const Vec3& v) { return j.about_axis3() ? v : Vec3{v.y, v.z, v.x}; };
  const auto from_chart = [&](const Vec3& v) { return j.about_axis3() ? v : Vec3{v.z, v.x, v.y}; };
  Vec3 start = to_chart(n);
  if (start.x * start.x + start.y * start.y < 1e-60) start.x = 1e-30, start.y = 0;
  n = from_chart(start);

  const Advance end = advance(FreeRotationOrbit(j, n, t), t);
  const double phi = j.about_axis3() ? j.j2 * t + j.c * end.share_integral : j.j3 * t + j.a * end.share_integral;
  Quat z;
  sin_cos(0.5 * phi, z.z, z.w);
  const Quat d = conjugate(polar_frame(start)) * z * polar_frame(to_chart(end.n));
  const Vec3 v = from_chart(d.vector());
  return {d.w, v.x, v.y, v.z};
}

}  // namespace

Quat rotate_freely_exact(const Quat& q, const Vec3& momentum_world, const Vec3& inertia, double h) {
  const Vec3 size = abs(momentum_world);
  const double scale = std::max({size.x, size.y, size.z});
  if (scale == 0 || h == 0) return q;

  const SortedAxes axes(inertia);
  const Vec3 moments = axes.moments(inertia), direction = momentum_world / scale;
  const double t = h / moments.x * scale * length(direction);
  const Vec3 n = axes.sorted(normalized(rotate_inverse(q, normalized(direction))));
  const Quat d = rotation_during(InertiaCouplings(moments), n, std::clamp(t, -kMaxTime, kMaxTime));
  const Vec3 v = axes.unsorted(d.vector());
  const Quat turned = normalized(q * Quat{d.w, v.x, v.y, v.z});
  return d.w < 0 ? turned * -1.0 : turned;
}

}  // namespace rigor
