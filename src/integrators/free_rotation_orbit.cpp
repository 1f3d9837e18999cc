#include "integrators/free_rotation_orbit.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

/// 1 - m below which the orbit counts as the separatrix.
constexpr double kSeparatrix = 1e-200;
/// |λt| below which S = t to rounding.
constexpr double kStill = 1e-8;

}  // namespace

FreeRotationOrbit::FreeRotationOrbit(const InertiaCouplings& couplings, const Vec3& n, double time)
    : j_(couplings), n_(n) {
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

OrbitFunctions FreeRotationOrbit::functions(double t) const {
  JacobiValues f;
  double S = t;
  if (lambda_ * std::abs(t) >= kStill) {
    f = elliptic_(lambda_ * t);
    S = f.sn / lambda_;
    if (f.sn * f.sn > 0.5) return circles_axis3_ ? OrbitFunctions{S, f.cn, f.dn} : OrbitFunctions{S, f.dn, f.cn};
  }
  // With p and r computed from S itself, an error of S is an error of time only: n stays on its orbit and no energy is lost.
  return {S, std::sqrt(1 - alpha_ * S * S), std::sqrt(1 - gamma_ * S * S)};
}

Vec3 FreeRotationOrbit::numerators(const Vec3& n, const OrbitFunctions& f) const {
  const auto [S, p, r] = f;
  return {n.x * p - j_.a * S * n.y * n.z * r, n.y * p * r + j_.b * S * n.z * n.x, n.z * r - j_.c * S * n.x * n.y * p};
}

Vec3 FreeRotationOrbit::momentum(double t) const {
  const OrbitFunctions f = functions(t);
  const auto [S, p, r] = f;
  const double S2 = S * S, larger = std::max(alpha_, gamma_);
  if (larger * S2 > 0.5) {
    const double D = circles_axis3_ ? r * r + j_.b * j_.c * n_.x * n_.x * S2 : p * p + j_.a * j_.b * n_.z * n_.z * S2;
    return normalized(numerators(n_, f) / D);
  }
  // The same as an increment: rounding errors of p and r, equal in all steps of a run, would accumulate to a drift.
  const double delta = j_.a * j_.c * n_.y * n_.y * S2, D = 1 - delta;
  const double P = alpha_ * S2 / (1 + p), R = gamma_ * S2 / (1 + r);  // 1 - p, 1 - r
  const Vec3 increment = {n_.x * (delta - P) - j_.a * S * n_.y * n_.z * r,
                          n_.y * (delta - (P + R - P * R)) + j_.b * S * n_.z * n_.x,
                          n_.z * (delta - R) - j_.c * S * n_.x * n_.y * p};
  return normalized(n_ + increment / D);
}

double FreeRotationOrbit::share(const Vec3& n) const {
  const double x2 = n.x * n.x, y2 = n.y * n.y, z2 = n.z * n.z;
  return j_.about_axis3() ? x2 / (x2 + y2) : y2 / (y2 + z2);
}

// n₁, n₂, n₃ as multiples of cn, sn, dn (or dn, sn, cn), put into (2).
double FreeRotationOrbit::mean_share() const {
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

}  // namespace rigor
