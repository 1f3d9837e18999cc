#include "state/step_bodies.h"

namespace rigor {

void StepBodies::capture(const BodyState& s) {
  capture_velocities(s);
  capture_masses(s);
}

void StepBodies::capture_velocities(const BodyState& s) {
  awake = static_cast<int>(s.awake());
  moving = static_cast<int>(s.end(BodySet::kinematic));
  u.resize(static_cast<std::size_t>(moving) + 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(moving); ++i) {
    u[i].v = s.velocity[i];
    u[i].w = s.angular_velocity[i];
  }
  u.back() = {};
}

void StepBodies::capture_masses(const BodyState& s) {
  mass.resize(static_cast<std::size_t>(moving) + 1);
  for (std::uint32_t i = 0; i < s.awake(); ++i) mass[i] = {s.inverse_mass[i], inverse_inertia_world(s, i)};
  for (std::size_t i = s.awake(); i < mass.size(); ++i) mass[i] = {};
}

void StepBodies::capture_mass(const BodyState& s, std::uint32_t slot) {
  if (slot < s.awake()) mass[slot] = {s.inverse_mass[slot], inverse_inertia_world(s, slot)};
}

}  // namespace rigor
