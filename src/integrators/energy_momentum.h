#pragma once

#include "integrators/integrator.h"
#include "integrators/rotation.h"

namespace rigor {

/// Free rotation for the time h that conserves energy and angular momentum to rounding at any h (energy_momentum.cpp).
void drift_energy_momentum(Spin& spin, const Vec3& inertia, const Vec3& inverse_inertia, double h);
/// The same in bounded time, for iterations: a body that would turn by more than 32 rad turns only about its angular
/// momentum, which conserves both as well and is exact about a principal axis.
void drift_briefly(Spin& spin, const Vec3& inertia, const Vec3& inverse_inertia, double h);

/// The same for a body of the arrays; its position does not change.
void turn_free_body(BodyState& state, std::uint32_t slot, double h);

/// The same for all awake bodies, without forces.
void drift_freely(Dynamics& dynamics, double h);
/// The same for some of them; see Integrator::move_freely().
bool drift_freely(Dynamics& dynamics, std::span<const std::uint32_t> slots, double h);

}  // namespace rigor
