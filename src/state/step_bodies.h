// The bodies as solvers see them: velocities and inverse masses, one entry per moving body, and one more for all others.
#pragma once

#include <cstdint>
#include <vector>

#include "rigor/math.h"
#include "rigor/state.h"

namespace rigor {

struct alignas(64) BodyVelocity {  // a cache line
  Vec3 v, w;                       // m/s of the center of mass, rad/s in the world frame
};

struct BodyInverseMass {
  double linear = 0;  // 1/kg
  Mat3 angular;       // 1/(kg m²), world frame; zero for fixed bodies
};

/// Indices [0, awake) are the awake bodies, [awake, moving) the kinematic ones, and `moving` stands for all bodies at rest.
struct StepBodies {
  std::vector<BodyVelocity> u;        // written by prediction and by velocity-level solvers
  std::vector<BodyInverseMass> mass;  // of the poses at the time of capture()
  int awake = 0, moving = 0;

  int place(std::uint32_t slot) const { return static_cast<int>(slot) < moving ? static_cast<int>(slot) : moving; }

  /// Copies velocities and masses of the present state.
  void capture(const BodyState& state);
  /// Copies the velocities only.
  void capture_velocities(const BodyState& state);
  /// Updates the masses only: inertia tensors turn with the bodies.
  void capture_masses(const BodyState& state);
  /// Updates the mass of one body; does nothing for a body that does not move.
  void capture_mass(const BodyState& state, std::uint32_t slot);
};

inline void StepBodies::capture(const BodyState& s) {
  capture_velocities(s);
  capture_masses(s);
}

inline void StepBodies::capture_velocities(const BodyState& s) {
  awake = static_cast<int>(s.awake());
  moving = static_cast<int>(s.end(BodySet::kinematic));
  u.resize(static_cast<std::size_t>(moving) + 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(moving); ++i) {
    u[i].v = s.velocity[i];
    u[i].w = s.angular_velocity[i];
  }
  u.back() = {};
}

inline void StepBodies::capture_masses(const BodyState& s) {
  mass.resize(static_cast<std::size_t>(moving) + 1);
  for (std::uint32_t i = 0; i < s.awake(); ++i) mass[i] = {s.inverse_mass[i], inverse_inertia_world(s, i)};
  for (std::size_t i = s.awake(); i < mass.size(); ++i) mass[i] = {};
}

inline void StepBodies::capture_mass(const BodyState& s, std::uint32_t slot) {
  if (slot < s.awake()) mass[slot] = {s.inverse_mass[slot], inverse_inertia_world(s, slot)};
}

}  // namespace rigor
