#include "model/checks.h"

#include <charconv>
#include <cmath>

#include "rigor/error.h"

namespace rigor {

std::string number_text(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "a number";
}

double require_positive(double value, const std::string& place, const std::string& expected) {
  if (std::isfinite(value) && value > 0) return value;
  throw Error(place, "expected " + expected + ", got " + number_text(value));
}

Transform checked(const Transform& transform, const std::string& place) {
  const Vec3& p = transform.translation;
  const Quat& q = transform.rotation;
  if (!is_finite(p)) {
    throw Error(place, "expected a finite translation, got (" + number_text(p.x) + ", " + number_text(p.y) + ", " +
                           number_text(p.z) + ")");
  }
  const double excess = dot(q, q) - 1;
  if (!(std::abs(excess) <= 1e-3)) {
    throw Error(place,
                "expected a unit quaternion as rotation, got one of length " + number_text(std::sqrt(dot(q, q))));
  }
  return {p, std::abs(excess) <= 1e-12 ? q : normalized(q)};
}

}  // namespace rigor
