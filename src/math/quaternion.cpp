// Orientations from and to matrices, axes, angles and rotation vectors.
//
// Nothing here calls a transcendental function of the C library, so all results have the same bits on every machine:
// sqrt is correctly rounded by IEEE 754, and sin, cos come from sin_cos.cpp.
#include <algorithm>
#include <cmath>

#include "rigor/math.h"

namespace rigor {

namespace {

/// The angle in [0, π/2] with the given sine and cosine (s² + c² = 1, both non-negative).
///
/// θ0 is within 5e-3 of it; δ = θ - θ0 has sin δ = s cos θ0 - c sin θ0, and three terms of the series of arcsin make
/// the rest: the next term, 15/336 δ^7, is below 1e-17.
double angle_of(double s, double c) {
  const bool steep = s > c;
  const double t = steep ? c / s : s / c;
  const double arctan = t / (1 + 0.28 * t * t);
  const double guess = steep ? 0.5 * kPi - arctan : arctan;
  double sine = 0, cosine = 0;
  sin_cos(guess, sine, cosine);
  const double d = s * cosine - c * sine, dd = d * d;
  return std::min(guess + d * (1 + dd * (1.0 / 6 + dd * (3.0 / 40))), 0.5 * kPi);
}

}  // namespace

Quat quaternion_from_matrix(const Mat3& m) {
  // Shepperd 1978: divide by the largest of the four components, which is at least 1/2.
  const double w = trace(m);
  int i = 0;
  if (m(1, 1) > m(0, 0)) i = 1;
  if (m(2, 2) > m(i, i)) i = 2;
  if (w >= m(i, i)) {
    return normalized({1 + w, m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)});
  }
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  Vec3 v;
  v[i] = 1 + m(i, i) - m(j, j) - m(k, k);
  v[j] = m(i, j) + m(j, i);
  v[k] = m(i, k) + m(k, i);
  return normalized({m(k, j) - m(j, k), v.x, v.y, v.z});
}

Quat quaternion_from_rotation_vector(const Vec3& r) {
  const double angle_squared = length_squared(r);
  double sine_over_angle = 0, cosine = 1;
  if (angle_squared < 1e-4) {
    // sin(a/2)/a and cos(a/2) by their series; the terms left out are below 1e-17.
    const double a = angle_squared;
    sine_over_angle = 0.5 - a * (1.0 / 48 - a * (1.0 / 3840));
    cosine = 1 - a * (1.0 / 8 - a * (1.0 / 384 - a * (1.0 / 46080)));
  } else {
    const double angle = std::sqrt(angle_squared);
    double sine = 0;
    sin_cos(0.5 * angle, sine, cosine);
    sine_over_angle = sine / angle;
  }
  return {cosine, r.x * sine_over_angle, r.y * sine_over_angle, r.z * sine_over_angle};
}

Quat quaternion_from_axis_angle(const Vec3& unit_axis, double angle) {
  double sine = 0, cosine = 1;
  sin_cos(0.5 * angle, sine, cosine);
  return {cosine, unit_axis.x * sine, unit_axis.y * sine, unit_axis.z * sine};
}

Quat quaternion_between(const Vec3& from, const Vec3& to) {
  const double cosine = dot(from, to);
  Vec3 axis = cross(from, to);
  if (cosine >= 0) return normalized({1 + cosine, axis.x, axis.y, axis.z});
  // Near opposite directions 1 + cosine cancels and rounding tilts the axis towards `from`; the half angle from the sum
  // and the difference, and an axis made orthogonal to `from` again, stay accurate.
  axis -= from * dot(axis, from);
  if (length(axis) < 1e-15) {
    Vec3 other;
    tangents(from, axis, other);
  }
  axis = normalized(axis) * length(from - to);
  return normalized({length(from + to), axis.x, axis.y, axis.z});
}

Vec3 rotation_vector(const Quat& q) {
  // q and -q are the same rotation; the one with w >= 0 has the angle in [0, π].
  const double sign = q.w < 0 ? -1 : 1;
  const Vec3 v = sign * q.vector();
  const double s = length(v), c = sign * q.w;
  if (s < 1e-150) return 2 * v;  // squares underflow; sin and angle agree to far more digits than a double has
  const double norm = std::sqrt(s * s + c * c);
  return v * (2 * angle_of(s / norm, c / norm) / s);
}

}  // namespace rigor
