// sin and cos from additions and multiplications only, which IEEE 754 rounds alike on every machine.
//
// x = k π/2 + r with |r| <= π/4 (a little more by rounding) and r as an unevaluated sum of two doubles; then the Taylor
// series of sin and cos at r, and the quadrant k mod 4 says which of the two goes where and with which sign.
//
// Reduction after Cody and Waite 1980: π/2 is split into parts of 33 bits, so that their products with k < 2^20 are
// exact, and every subtraction keeps its rounding error. The four parts hold 152 bits, enough for the doubles below 1e5
// that come closest to a multiple of π/2 (about 2^-60). The series are cut where the next term is below 2^-59 of the
// result.
#include <cmath>
#include <limits>

#include "rigor/math.h"

namespace rigor {

namespace {

constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
constexpr double kHalfPi3 = 0x1.3198a2e000000p-69;
constexpr double kHalfPi4 = 0x1.b839a252049c1p-104;
// 2π as the sum of two doubles, for arguments beyond the reach of the parts above.
constexpr double kTwoPiHigh = 0x1.921fb54442d18p+2;
constexpr double kTwoPiLow = 0x1.1a62633145c07p-52;

/// `high + low`, unevaluated.
struct Sum {
  double high, low;
};

/// s.high - b exactly, the rounding error added to s.low (Knuth's two-sum).
Sum subtract(const Sum& s, double b) {
  const double high = s.high - b;
  const double b_part = s.high - high;
  const double error = (s.high - (high + b_part)) + (b_part - b);
  return {high, s.low + error};
}

Sum reduce(double x, int& quadrant) {
  const double k = std::floor(x * kTwoOverPi + 0.5);
  quadrant = static_cast<int>(k) & 3;
  Sum r = subtract({x, 0}, k * kHalfPi1);
  r = subtract(r, k * kHalfPi2);
  r = subtract(r, k * kHalfPi3);
  r = subtract(r, k * kHalfPi4);
  const double high = r.high + r.low;
  return {high, (r.high - high) + r.low};
}

/// The remainder modulo 2π. std::remainder is exact by IEEE 754. The remaining error comes from rounding 2π to a double, and the
/// correction removes it as long as the number of turns is exact. Beyond 2^53 neighbouring doubles are further apart than a turn,
/// and the result is only bounded.
double reduce_large(double x) {
  const double r = std::remainder(x, kTwoPiHigh);
  const double turns = (x - r) / kTwoPiHigh;
  return std::abs(x) < 0x1p53 ? r - std::floor(turns + 0.5) * kTwoPiLow : r;
}

double sine_series(const Sum& r) {
  const double x = r.high, z = x * x;
  // clang-format off
  const double p = -1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                   z * (1.0 / 6227020800 + z * (-1.0 / 1307674368000 + z * (1.0 / 355687428096000)))))));
  // clang-format on
  return x + (x * z * p + r.low * (1.0 - 0.5 * z));
}

double cosine_series(const Sum& r) {
  const double x = r.high, z = x * x, half = 0.5 * z;
  // clang-format off
  const double p = 1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600 +
                   z * (-1.0 / 87178291200 + z * (1.0 / 20922789888000))))));
  // clang-format on
  const double w = 1.0 - half;
  // (1 - w) - half is the rounding error of w.
  return w + (((1.0 - w) - half) + (z * z * p - x * r.low));
}

}  // namespace

void sin_cos(double x, double& sine, double& cosine) {
  if (!std::isfinite(x)) {
    sine = cosine = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (std::abs(x) < 0x1p-27) {  // exact to rounding, keeps the sign of zero
    sine = x;
    cosine = 1;
    return;
  }
  if (std::abs(x) >= 1e5) x = reduce_large(x);
  int quadrant = 0;
  const Sum r = reduce(x, quadrant);
  const double s = sine_series(r), c = cosine_series(r);
  switch (quadrant) {
    case 0: sine = s, cosine = c; break;
    case 1: sine = c, cosine = -s; break;
    case 2: sine = -s, cosine = -c; break;
    default: sine = -c, cosine = s; break;
  }
}

}  // namespace rigor
