// Area and first moment of a circular segment, in a form that stays accurate for thin segments.
//
//   A = R² θ + h w,   ∫ x dA = -⅔ w³,   h = t / n,   w = √(R² - h²),   θ = 2 atan √((R + h) / (R - h))
//
// θ is half of the central angle of the submerged arc; w is half of the chord.
#include "forces/circular_segment.h"

#include <cmath>
#include <utility>

#include "rigor/math.h"

namespace rigor {

double angle_in_first_quadrant(double y, double x) {
  const bool steep = y > x;
  if (steep) std::swap(x, y);
  if (y == 0) return steep ? kPi / 2 : 0;
  // atan u = 4 atan u₂, halving twice by tan(a/2) = tan a / (1 + √(1 + tan² a)), then u₂ < 0.2 in
  // Gregory's series.
  double u = y / x;
  u /= 1 + std::sqrt(1 + u * u);
  u /= 1 + std::sqrt(1 + u * u);
  double series = 0;
  for (int k = 12; k >= 0; --k) series = 1.0 / (2 * k + 1) - u * u * series;
  const double angle = 4 * u * series;
  return steep ? kPi / 2 - angle : angle;
}

CircularSegment circular_segment(double radius, double n, double t) {
  const double wet = n * radius + t, dry = n * radius - t;
  if (wet <= 0) return {};
  if (dry <= 0) return {kPi * radius * radius, 0};
  const double h = t / n, w = std::sqrt(wet) * std::sqrt(dry) / n;
  const double theta = 2 * angle_in_first_quadrant(std::sqrt(wet), std::sqrt(dry));
  return {radius * radius * theta + h * w, -2.0 / 3.0 * w * w * w};
}

}  // namespace rigor
