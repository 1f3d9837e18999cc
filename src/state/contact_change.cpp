// What contact modifiers may change about a contact.
#include <cmath>

#include "rigor/contacts.h"
#include "rigor/error.h"

namespace rigor {

void ContactChange::set_friction(double kinetic, double at_rest) {
  if (!(std::isfinite(kinetic) && kinetic >= 0 && std::isfinite(at_rest) && at_rest >= 0))
    throw Error("contact.friction", "expected finite numbers, not negative");
  contact_.friction = kinetic;
  contact_.static_friction = at_rest < kinetic ? kinetic : at_rest;
}

void ContactChange::set_restitution(double restitution) {
  if (!(restitution >= 0 && restitution <= 1)) throw Error("contact.restitution", "expected a number from 0 to 1");
  contact_.restitution = restitution;
}

void ContactChange::set_surface_velocity(const Vec3& velocity) {
  if (!is_finite(velocity)) throw Error("contact.surface_velocity", "expected three finite numbers");
  contact_.surface_velocity = velocity - dot(velocity, contact_.normal) * contact_.normal;
  contact_.is_plain = false;
}

void ContactChange::disable() {
  contact_.disabled = true;
  // A contact that is enabled again starts without the impulses of an earlier step.
  for (int i = 0; i < contact_.count; ++i) {
    ContactPoint& p = contact_.points[static_cast<std::size_t>(i)];
    p.normal_impulse = p.spinning_impulse = 0;
    p.tangent_impulse[0] = p.tangent_impulse[1] = p.rolling_impulse[0] = p.rolling_impulse[1] = 0;
  }
}

}  // namespace rigor
