// What solvers see of the bodies: velocities and inverse masses, one place per body that moves, and one more for all others.
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

/// Places [0, awake) are the awake bodies, [awake, moving) the kinematic ones, `moving` stands for everything that rests.
struct StepBodies {
  std::vector<BodyVelocity> u;        // written by prediction and by velocity-level solvers
  std::vector<BodyInverseMass> mass;  // of the poses at the time of capture()
  int awake = 0, moving = 0;

  int place(std::uint32_t slot) const { return static_cast<int>(slot) < moving ? static_cast<int>(slot) : moving; }

  /// Velocities and masses of the present state.
  void capture(const BodyState& state);
  /// Without the masses.
  void capture_velocities(const BodyState& state);
  /// The masses only: inertia tensors turn with the bodies.
  void capture_masses(const BodyState& state);
  /// The mass of one body only; does nothing for a body that does not move.
  void capture_mass(const BodyState& state, std::uint32_t slot);
};

}  // namespace rigor
