#include "math/jacobi_elliptic.h"

#include <cmath>

#include "rigor/math.h"

namespace rigor {

JacobiElliptic::JacobiElliptic(double m, double m1) : complementary_modulus_(std::sqrt(m1)) {
  constexpr double kCircular = 1e-17;  // sn u = sin u (1 + O(m)) is then exact to rounding
  double k1 = complementary_modulus_;
  while (m > kCircular && level_count_ < kMaxLevels) {
    const double sum = 1 + k1;
    const double kappa = m / (sum * sum);  // = (1 - k1) / (1 + k1)
    levels_[level_count_++] = {kappa, 2 * k1 / sum};
    argument_scale_ *= 0.5 * sum;
    m = kappa * kappa;
    k1 = 2 * std::sqrt(k1) / sum;
  }
  quarter_period_ = 0.5 * kPi / argument_scale_;
}

// The transformation of sn/cn and dn: with sn and cn themselves the relative error of cn would double at each level.
JacobiValues JacobiElliptic::operator()(double u) const {
  double sine = 0, cosine = 1;
  sin_cos(u * argument_scale_, sine, cosine);
  double t = sine / cosine, dn = 1;
  for (int i = level_count_ - 1; i >= 0; --i) {
    const auto [kappa, one_minus_kappa] = levels_[i];
    const double one_plus_kappa = 1 + kappa, t2 = t * t;
    t *= one_plus_kappa / dn;
    dn = (1 + one_minus_kappa * t2) / (1 + one_plus_kappa * t2);
  }
  const double cn = std::copysign(1 / std::sqrt(1 + t * t), cosine);
  return {t * cn, cn, dn};
}

// DLMF 19.8(i): Π(α², m) = K (1 + α²/(2 (1 - α²)) Σ Qₙ) along the arithmetic-geometric mean of 1 and √m₁. With
// p = 1 - α² and p sn²/(cn² + p sn²) = p sn²/(1 - α² sn²) the division by α² cancels and the mean is ½ Σ Qₙ.
double JacobiElliptic::mean_sine_share(double p) const {
  double a = 1, g = complementary_modulus_, root = std::sqrt(p), q = 1, sum = 0;
  for (int n = 0; n < 2 * kMaxLevels && std::abs(q) > 1e-18; ++n) {
    sum += q;
    const double square = root * root, product = a * g;
    q *= 0.5 * (square - product) / (square + product);
    root = 0.5 * (square + product) / root;
    a = 0.5 * (a + g);
    g = std::sqrt(product);
  }
  return 0.5 * sum;
}

}  // namespace rigor
