// What free rotations are compared with: their invariants, and the Taylor series of the equations of motion in
// extended precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "rigor/math.h"

namespace rigor::free_rotation_test {

using Wide = long double;
using Wide3 = std::array<Wide, 3>;
using Wide4 = std::array<Wide, 4>;

/// q and -q are one rotation.
inline double distance(const Quat& a, const Quat& b) {
  const Quat d = a + b * (dot(a, b) < 0 ? 1.0 : -1.0);
  return std::sqrt(dot(d, d));
}

inline Vec3 omega_body(const Quat& q, const Vec3& L, const Vec3& inertia) {
  const Vec3 m = rotate_inverse(q, L);
  return {m.x / inertia.x, m.y / inertia.y, m.z / inertia.z};
}

inline double energy(const Quat& q, const Vec3& L, const Vec3& inertia) {
  const Vec3 omega = omega_body(q, L, inertia);
  return 0.5 * dot(omega, scale(inertia, omega));
}

inline Wide4 product(const Wide4& a, const Wide4& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

/// One step of the Taylor series of M' = M × I⁻¹M, q' = ½ q (0, I⁻¹M), of order 24.
inline void taylor_step(Wide3& momentum, Wide4& q, const Vec3& inertia, Wide h) {
  constexpr int kOrder = 24;
  std::array<Wide3, kOrder + 1> m{momentum}, omega{};
  std::array<Wide4, kOrder + 1> r{q};
  Wide power = 1;
  for (int k = 0; k < kOrder; ++k) {
    for (int i = 0; i < 3; ++i) omega[k][i] = m[k][i] / inertia[i];
    for (int i = 0; i <= k; ++i) {
      const Wide3 &a = m[i], &b = omega[k - i];
      for (int x = 0; x < 3; ++x) {
        const int y = (x + 1) % 3, z = (x + 2) % 3;
        m[k + 1][x] += (a[y] * b[z] - a[z] * b[y]) / (k + 1);
      }
      const Wide4 d = product(r[i], {0, b[0], b[1], b[2]});
      for (int x = 0; x < 4; ++x) r[k + 1][x] += d[x] / (2 * (k + 1));
    }
    power *= h;
    for (int x = 0; x < 3; ++x) momentum[x] += power * m[k + 1][x];
    for (int x = 0; x < 4; ++x) q[x] += power * r[k + 1][x];
  }
}

/// The reference: steps of at most 0.3 rad, so that the series ends far below 1e-17.
inline Quat rotate_by_series(const Quat& start, const Vec3& L, const Vec3& inertia, double h) {
  Wide4 q{start.w, start.x, start.y, start.z};
  const Wide norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (Wide& x : q) x /= norm;
  const Wide4 m = product(product({q[0], -q[1], -q[2], -q[3]}, {0, L.x, L.y, L.z}), q);
  Wide3 momentum{m[1], m[2], m[3]};
  const double rate = length(L) / std::min({inertia.x, inertia.y, inertia.z});
  const int steps = 1 + static_cast<int>(std::abs(h) * rate / 0.3);
  for (int i = 0; i < steps; ++i) taylor_step(momentum, q, inertia, static_cast<Wide>(h) / steps);
  return {static_cast<double>(q[0]), static_cast<double>(q[1]), static_cast<double>(q[2]), static_cast<double>(q[3])};
}

}  // namespace rigor::free_rotation_test
