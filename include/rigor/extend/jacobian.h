// Jacobians of constraint rows: Ċ = J u with u = (v_a, ω_a, v_b, ω_b).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rigor/math.h"

namespace rigor {

using Jacobian = std::array<double, 12>;  // v_a, ω_a, v_b, ω_b

enum class RowKind : std::uint8_t { locked, limit, motor, spring, normal, friction, rolling, spinning };

inline void put(Jacobian& J, int at, const Vec3& v) {
  J[static_cast<std::size_t>(at)] = v.x;
  J[static_cast<std::size_t>(at) + 1] = v.y;
  J[static_cast<std::size_t>(at) + 2] = v.z;
}
inline Vec3 part(const Jacobian& J, int at) {
  const auto i = static_cast<std::size_t>(at);
  return {J[i], J[i + 1], J[i + 2]};
}

/// Ċ = n · (velocity of b's point − velocity of a's point) at one world point, r_a and r_b from the centers of mass.
inline Jacobian linear_jacobian(const Vec3& n, const Vec3& r_a, const Vec3& r_b) {
  Jacobian J;
  put(J, 0, -n), put(J, 3, -cross(r_a, n));
  put(J, 6, n), put(J, 9, cross(r_b, n));
  return J;
}

/// Ċ = m · (ω_b − ω_a).
inline Jacobian angular_jacobian(const Vec3& m) {
  Jacobian J{};
  put(J, 3, -m), put(J, 9, m);
  return J;
}

}  // namespace rigor
