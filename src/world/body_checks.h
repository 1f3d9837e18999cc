// Checks of the values that a user gives to a body, each with the place for the message.
#pragma once

#include <cmath>
#include <string>

#include "rigor/error.h"
#include "rigor/math.h"
#include "state/object_names.h"

namespace rigor {

inline void check_finite(const Vec3& v, const std::string& place) {
  if (!is_finite(v)) throw Error(place, "expected three finite numbers");
}

inline void check_finite(double v, const std::string& place) {
  if (!std::isfinite(v)) throw Error(place, "expected a finite number");
}

/// 1/s, a rate of decay.
inline void check_damping(double rate, const std::string& place) {
  if (!(std::isfinite(rate) && rate >= 0)) throw Error(place, "expected a finite number, not negative");
}

/// q, normalised.
inline Quat unit(const Quat& q, const std::string& place) {
  const double norm = std::sqrt(dot(q, q));
  if (!std::isfinite(norm) || norm < 1e-100) throw Error(place, "expected four finite numbers, not all zero");
  // A quaternion whose length is 1 to rounding keeps its bits, so that a saved state loads as the same state.
  return std::abs(norm - 1) < 1e-15 ? q : q * (1 / norm);
}

}  // namespace rigor
