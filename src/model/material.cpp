#include "rigor/material.h"

#include <cmath>

#include "model/checks.h"
#include "rigor/error.h"

namespace rigor {

namespace {

void require(bool good, const std::string& place, const char* field, const char* expected, double value) {
  if (good) return;
  throw Error(place.empty() ? field : place + "." + field,
              std::string("expected ") + expected + ", got " + number_text(value));
}

// Directions of such lengths can be normalised: their squares neither vanish nor overflow.
constexpr double kShortest = 1e-12, kLongest = 1e12;

}  // namespace

void check(const Material& m, const std::string& place) {
  require(std::isfinite(m.density) && m.density > 0, place, "density", "a positive number", m.density);
  require(std::isfinite(m.friction) && m.friction >= 0, place, "friction", "zero or more", m.friction);
  require(std::isfinite(m.static_friction), place, "static_friction", "a number, negative for the same as friction",
          m.static_friction);
  require(m.restitution >= 0 && m.restitution <= 1, place, "restitution", "a number from 0 to 1", m.restitution);
  require(std::isfinite(m.rolling_friction) && m.rolling_friction >= 0, place, "rolling_friction", "zero or more",
          m.rolling_friction);
  require(std::isfinite(m.spinning_friction) && m.spinning_friction >= 0, place, "spinning_friction", "zero or more",
          m.spinning_friction);
  require(std::isfinite(m.friction_across) && m.friction_across >= 0, place, "friction_across", "zero or more",
          m.friction_across);
  if (!is_finite(m.grain)) throw Error(place + ".grain", "expected three finite numbers");
  if (m.grain != Vec3{} && !(length(m.grain) >= kShortest && length(m.grain) <= kLongest))
    throw Error(place + ".grain", "expected a direction of a length from 1e-12 to 1e12, or zeros");
  if (!is_finite(m.surface_velocity)) throw Error(place + ".surface_velocity", "expected three finite numbers");
}

}  // namespace rigor
