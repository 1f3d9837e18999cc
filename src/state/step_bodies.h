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

}  // namespace rigor
