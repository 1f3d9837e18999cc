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

JacobiValues JacobiElliptic::operator()(double u) const {
  JacobiValues f;
  sin_cos(u * argument_scale_, f.sn, f.cn);
  for (int i = level_count_ - 1; i >= 0; --i) {
    const auto [kappa, one_minus_kappa] = levels_[i];
    const double s2 = kappa * f.sn * f.sn;
    const double inverse = 1 / (1 + s2);
    // 1 - κ sn² = (1 - κ) + κ cn²
    const double difference = one_minus_kappa + kappa * f.cn * f.cn;
    f = {(1 + kappa) * f.sn * inverse, f.cn * f.dn * inverse, difference * inverse};
  }
  return f;
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
