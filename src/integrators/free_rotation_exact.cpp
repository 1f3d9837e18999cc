// The exact motion of a free rigid body (Euler, Jacobi).
//
//   n' = n × J n,   n = Rᵀ L/|L|,   J = diag(j₁, j₂, j₃),   time in units of I₁/|L|                          (1)
//
// Symbols: I₁ <= I₂ <= I₃ the principal moments in ascending order, jᵢ = I₁/Iᵢ, a = j₂ - j₃, b = j₁ - j₃, c = j₁ - j₂.
// Momentum. The addition theorems of sn, cn, dn turn Jacobi's solution into a rational map of the present n,
//
//   n₁(t) = (n₁ p - a S n₂ n₃ r) / D                 S' = p r,  S(0) = 0
//   n₂(t) = (n₂ p r + b S n₃ n₁) / D                 p² = 1 - α S²,  α = a (c n₂² + b n₃²)
//   n₃(t) = (n₃ r - c S n₁ n₂ p) / D                 r² = 1 - γ S²,  γ = c (b n₁² + a n₂²)                   (2)
//   D = 1 - a c n₂² S² = r² + b c n₁² S² = p² + a b n₃² S²
//
// without any incomplete integral, phase or case: S = sn(λt)/λ, {p, r} = {cn, dn}, λ² = max(α, γ), m = min/max. It
// has no singular limit: for symmetric bodies m = 0, for spheres S = t. On the separatrix α = γ, m = 1.
//
// Attitude. With z along L, R = Rz(φ) Rx(θ) Rz(χ) where θ, χ are the polar angles of n about a body axis and
//
//   φ' = j₂ + c n₁²/(n₁² + n₂²)  about axis 3,      φ' = j₃ + a n₂²/(n₂² + n₃²)  about axis 1                (3)
//
// (Landau & Lifshitz, Mechanics, §37). Axis 3 is taken for c <= a, else axis 1: the integrand's poles are then at least
// about π/4 away from the real λt axis on every orbit, and Gauss's quadrature converges to rounding with 12 nodes on
// 0.7. Whole periods are taken off by the complete integral, so that the cost is bounded in h. An n on the axis itself
// does no harm, since n₁ : n₂ keeps its relative accuracy and the errors of χ and φ cancel.
//
// After van Zon & Schofield 2007 (J. Comput. Phys. 225) and Celledoni, Fassò, Säfström & Zanna 2008 (SIAM J. Sci.
// Comput. 30), who use theta series or phases; (2) and the choice of axis are derived here.
// Accuracy: rounding errors of n and, growing with h, of the angles λt and φ. Near the separatrix an error of n is
// amplified by exp(λh) as in nature; the energy is not affected. Angles beyond 1e30 are cut to that: finite, no more.
// Cost: about 8 values of sn for λh < 0.1, 14 beyond; one per 0.7 of λh on top, up to K(m).
#include "integrators/free_rotation_exact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "math/jacobi_elliptic.h"

namespace rigor {

namespace {

constexpr double kMaxTime = 1e30;
/// 1 - m below which the orbit counts as the separatrix, and the |λt| after which it has come to rest there.
constexpr double kSeparatrix = 1e-200, kSeparatrixReach = 200;
/// |λt| below which S = t to rounding.
constexpr double kStill = 1e-8;

/// The body's principal axes in the order of their moments; the third may be turned round for a right-handed frame.
struct SortedAxes {
  int index[3] = {0, 1, 2};
  double sign = 1;

  explicit SortedAxes(const Vec3& inertia) {
    const auto order = [&](int i, int k) {
      if (inertia[index[i]] > inertia[index[k]]) std::swap(index[i], index[k]), sign = -sign;
    };
    order(0, 1), order(1, 2), order(0, 1);
  }
  Vec3 sorted(const Vec3& v) const { return {v[index[0]], v[index[1]], sign * v[index[2]]}; }
  Vec3 unsorted(const Vec3& v) const {
    Vec3 u;
    u[index[0]] = v.x, u[index[1]] = v.y, u[index[2]] = sign * v.z;
    return u;
  }
};

/// Differences of the inverse moments, from differences of the moments: exact however alike these are.
struct Couplings {
  double j2, j3, a, b, c;

  explicit Couplings(const Vec3& i)
      : j2(i.x / i.y),
        j3(i.x / i.z),
        a((i.z - i.y) / i.z * j2),
        b((i.z - i.x) / i.z),
        c((i.y - i.x) / i.y) {}
  bool about_axis3() const { return c <= a; }
};

/// S, p, r of (2) at some elapsed time.
struct TimeFunctions {
  double S, p, r;
};

/// The closed curve that n follows.
class Orbit {
 public:
  Orbit(const Couplings& couplings, const Vec3& n, double time);

  TimeFunctions functions(double t) const;
  /// D n(t) of (2), where `from` is a point of the orbit.
  Vec3 numerators(const Vec3& from, const TimeFunctions& f) const;
  Vec3 momentum(double t) const;
  /// The ratio of squares in (3), for n up to a factor.
  double share(const Vec3& n) const;
  /// Its mean over a period.
  double mean_share() const;
  /// After half a period n is back but for the signs of two components.
  Vec3 half_period_later(const Vec3& n) const {
    return circles_axis3_ ? Vec3{-n.x, -n.y, n.z} : Vec3{n.x, -n.y, -n.z};
  }
  double rate() const { return lambda_; }
  double half_period() const { return 2 * elliptic_.quarter_period(); }  ///< in λt
  bool is_separatrix() const { return separatrix_; }

 private:
  Couplings j_;
  Vec3 n_;
  double alpha_, gamma_, lambda_;
  double m1_ = 1;
  bool circles_axis3_;
  bool separatrix_ = false;
  JacobiElliptic elliptic_;
};

Orbit::Orbit(const Couplings& couplings, const Vec3& n, double time) : j_(couplings), n_(n) {
  const auto [j2, j3, a, b, c] = j_;
  const double x2 = n.x * n.x, y2 = n.y * n.y, z2 = n.z * n.z;
  const double difference = a * z2 - c * x2;  // (α - γ) / b
  alpha_ = a * (c * y2 + b * z2);
  gamma_ = c * (b * x2 + a * y2);
  circles_axis3_ = difference >= 0;
  const double larger = circles_axis3_ ? alpha_ : gamma_, smaller = circles_axis3_ ? gamma_ : alpha_;
  lambda_ = std::sqrt(larger);
  if (lambda_ * std::abs(time) < kStill) return;
  m1_ = std::min(b * std::abs(difference) / larger, 1.0);
  separatrix_ = m1_ < kSeparatrix;
  m1_ = std::max(m1_, kSeparatrix);
  elliptic_ = JacobiElliptic(std::min(smaller / larger, 1.0), m1_);
}

TimeFunctions Orbit::functions(double t) const {
  JacobiValues f;
  double S = t;
  if (lambda_ * std::abs(t) >= kStill) {
    f = elliptic_(lambda_ * t);
    S = f.sn / lambda_;
    if (f.sn * f.sn > 0.5) return circles_axis3_ ? TimeFunctions{S, f.cn, f.dn} : TimeFunctions{S, f.dn, f.cn};
  }
  // With p and r from S itself an error of S is one of time alone: n stays on its orbit and no energy is lost.
  return {S, std::sqrt(1 - alpha_ * S * S), std::sqrt(1 - gamma_ * S * S)};
}

Vec3 Orbit::numerators(const Vec3& n, const TimeFunctions& f) const {
  const auto [S, p, r] = f;
  return {n.x * p - j_.a * S * n.y * n.z * r, n.y * p * r + j_.b * S * n.z * n.x,
          n.z * r - j_.c * S * n.x * n.y * p};
}

Vec3 Orbit::momentum(double t) const {
  const TimeFunctions f = functions(t);
  const auto [S, p, r] = f;
  const double S2 = S * S, larger = std::max(alpha_, gamma_);
  if (larger * S2 > 0.5) {
    const double D = circles_axis3_ ? r * r + j_.b * j_.c * n_.x * n_.x * S2 : p * p + j_.a * j_.b * n_.z * n_.z * S2;
    return normalized(numerators(n_, f) / D);
  }
  // The same as an increment, so that rounding does not depend on p, r alone and add up over equal steps.
  const double delta = j_.a * j_.c * n_.y * n_.y * S2, D = 1 - delta;
  const double P = alpha_ * S2 / (1 + p), R = gamma_ * S2 / (1 + r);  // 1 - p, 1 - r
  const Vec3 increment = {n_.x * (delta - P) - j_.a * S * n_.y * n_.z * r,
                          n_.y * (delta - (P + R - P * R)) + j_.b * S * n_.z * n_.x,
                          n_.z * (delta - R) - j_.c * S * n_.x * n_.y * p};
  return normalized(n_ + increment / D);
}

double Orbit::share(const Vec3& n) const {
  const double x2 = n.x * n.x, y2 = n.y * n.y, z2 = n.z * n.z;
  return j_.about_axis3() ? x2 / (x2 + y2) : y2 / (y2 + z2);
}

// n₁, n₂, n₃ as multiples of cn, sn, dn (or dn, sn, cn), put into (3).
double Orbit::mean_share() const {
  const auto [j2, j3, a, b, c] = j_;
  if (circles_axis3_ == j_.about_axis3()) {
    const double sine_share = elliptic_.mean_sine_share(b / std::max(a, c));
    return circles_axis3_ ? 1 - sine_share : sine_share;
  }
  const double x2 = n_.x * n_.x, y2 = n_.y * n_.y, z2 = n_.z * n_.z;
  if (circles_axis3_) return (b * x2 / a + y2) * elliptic_.mean_sine_share(b / (c * y2 + b * z2));
  const double p = b / (b * x2 + a * y2), sine_share = elliptic_.mean_sine_share(p);
  return (1 - sine_share) + m1_ / p * sine_share;
}

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
double integrate_share(const Orbit& orbit, double t, int panels, const std::array<GaussPair, pair_count>& rule) {
  const double width = t / panels;
  std::array<TimeFunctions, 2 * pair_count> nodes;
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

double integrate_share(const Orbit& orbit, double t) {
  const double length = std::abs(orbit.rate() * t);
  if (length <= 0.1) return integrate_share(orbit, t, 1, kGauss6);
  return integrate_share(orbit, t, 1 + static_cast<int>(length / 0.7), kGauss12);
}

/// n(t), and ∫ share dt up to then.
struct Advance {
  Vec3 n;
  double share_integral;
};

Advance advance(const Orbit& orbit, double t) {
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
Quat rotation_during(const Couplings& j, Vec3 n, double t) {
  // z is the axis of (3). A vector on it has no χ; giving it one moves it by less than rounding.
  const auto to_chart = [&](const Vec3& v) { return j.about_axis3() ? v : Vec3{v.y, v.z, v.x}; };
  const auto from_chart = [&](const Vec3& v) { return j.about_axis3() ? v : Vec3{v.z, v.x, v.y}; };
  Vec3 start = to_chart(n);
  if (start.x * start.x + start.y * start.y < 1e-60) start.x = 1e-30, start.y = 0;
  n = from_chart(start);

  const Advance end = advance(Orbit(j, n, t), t);
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
  const Vec3 moments = abs(axes.sorted(inertia)), direction = momentum_world / scale;
  const double t = h / moments.x * scale * length(direction);
  const Vec3 n = axes.sorted(normalized(rotate_inverse(q, normalized(direction))));
  const Quat d = rotation_during(Couplings(moments), n, std::clamp(t, -kMaxTime, kMaxTime));
  const Vec3 v = axes.unsorted(d.vector());
  const Quat turned = normalized(q * Quat{d.w, v.x, v.y, v.z});
  return d.w < 0 ? turned * -1.0 : turned;
}

}  // namespace rigor
