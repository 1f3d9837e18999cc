// Jacobi's elliptic functions sn, cn, dn for real arguments, and a mean value that a free rigid body needs.
//
//   sn' = cn dn,  cn' = -sn dn,  dn' = -m sn cn,   sn(0) = 0, cn(0) = dn(0) = 1,   0 <= m < 1
//
// Symbols: m parameter, m₁ = 1 - m, K(m) the quarter period. Method: descending Landen (Gauss) transformations
// (Abramowitz & Stegun 16.12; DLMF 22.7(i)) down to m < 1e-17, where sn is sin; every formula is written as a sum of
// positive terms, so that cn and dn keep their relative accuracy where they are tiny (m → 1). Only + - * / sqrt and
// rigor::sin_cos are used: the same bits on every machine.
// Accuracy: a few units in the last place of the values for |u| <= K; beyond, the error grows like that of u itself.
// Cost: construction one square root and three divisions, a value two divisions, for each of about 4 levels (11 for
// m₁ = 1e-200). Fails for m₁ = 0, where K is infinite: the caller raises m₁ to something tiny.
#pragma once

#include <array>

namespace rigor {

struct JacobiValues {
  double sn = 0, cn = 1, dn = 1;
};

/// sn, cn, dn of one parameter m, prepared for many arguments.
class JacobiElliptic {
 public:
  /// m = 0: sn = sin, cn = cos, dn = 1.
  JacobiElliptic() = default;
  /// Both m in [0, 1] and m₁ = 1 - m in [1e-200, 1], because near m = 1 the second cannot be had from the first.
  JacobiElliptic(double m, double m1);

  JacobiValues operator()(double u) const;
  /// K, the first positive zero of cn.
  double quarter_period() const { return quarter_period_; }
  /// The mean over a period of p sn² / (cn² + p sn²), a complete integral of the third kind; p > 0.
  double mean_sine_share(double p) const;

 private:
  /// One transformation from the parameter m to κ², κ = (1 - √m₁) / (1 + √m₁).
  struct Level {
    double kappa, one_minus_kappa;
  };
  static constexpr int kMaxLevels = 14;

  std::array<Level, kMaxLevels> levels_{};
  int level_count_ = 0;
  double complementary_modulus_ = 1;  ///< √m₁
  double argument_scale_ = 1;         ///< argument of the sine at the bottom, per argument u
  double quarter_period_ = 1.57079632679489661923;
};

}  // namespace rigor
