#pragma once

#include "rigor/extend/bodies.h"
#include "rigor/state.h"

namespace rigor {

/// The awake bodies of the arrays.
inline extend::Bodies awake_bodies(BodyState& s) {
  const std::size_t n = s.awake();
  const auto first = [n](auto& values) { return std::span(values).first(n); };
  return {first(s.position), first(s.orientation),  first(s.velocity),        first(s.angular_velocity), first(s.force),
          first(s.torque),   first(s.inverse_mass), first(s.inverse_inertia), first(s.inertia)};
}

inline extend::ConstBodies awake_bodies(const BodyState& s) {
  const std::size_t n = s.awake();
  const auto first = [n](const auto& values) { return std::span(values).first(n); };
  return {first(s.position),     first(s.orientation),     first(s.velocity), first(s.angular_velocity),
          first(s.inverse_mass), first(s.inverse_inertia), first(s.inertia)};
}

}  // namespace rigor
