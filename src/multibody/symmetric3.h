// Symmetric 3 × 3 matrices by their six numbers, for the factorisation along trees.
#pragma once

#include "rigor/math.h"

namespace rigor {

struct Sym3 {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  static constexpr Sym3 identity(double s) { return {s, 0, 0, s, 0, s}; }
  constexpr Sym3& operator+=(const Sym3& b) {
    return xx += b.xx, xy += b.xy, xz += b.xz, yy += b.yy, yz += b.yz, zz += b.zz, *this;
  }
};

constexpr Vec3 operator*(const Sym3& m, const Vec3& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
constexpr Mat3 full(const Sym3& m) { return {{{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}}}; }

/// By Cramer's rule; the matrix has to be regular.
constexpr Sym3 inverse(const Sym3& m) {
  const double cx = m.yy * m.zz - m.yz * m.yz, cy = m.xz * m.yz - m.xy * m.zz, cz = m.xy * m.yz - m.xz * m.yy;
  const double s = 1 / (m.xx * cx + m.xy * cy + m.xz * cz);
  return {cx * s,
          cy * s,
          cz * s,
          (m.xx * m.zz - m.xz * m.xz) * s,
          (m.xy * m.xz - m.xx * m.yz) * s,
          (m.xx * m.yy - m.xy * m.xy) * s};
}

/// R diag(d) Rᵀ.
constexpr Sym3 rotated_diagonal(const Mat3& R, const Vec3& d) {
  const Vec3 x = scale(R.row[0], d), y = scale(R.row[1], d);
  return {dot(x, R.row[0]), dot(x, R.row[1]), dot(x, R.row[2]),
          dot(y, R.row[1]), dot(y, R.row[2]), dot(scale(R.row[2], d), R.row[2])};
}

/// −[r]² s = s (|r|² 1 − r rᵀ): the inertia of a point mass s at r.
constexpr Sym3 point_inertia(double s, const Vec3& r) {
  const double xx = r.x * r.x, yy = r.y * r.y, zz = r.z * r.z;
  return {s * (yy + zz), -s * r.x * r.y, -s * r.x * r.z, s * (xx + zz), -s * r.y * r.z, s * (xx + yy)};
}

}  // namespace rigor
