#pragma once

#include <span>

#include "rigor/state.h"

namespace rigor {

/// Moves all awake bodies freely for the time h, one body per SIMD lane; keeps energy and angular momentum (energy_momentum.cpp).
void drift_lanes(BodyState& state, double h);
/// Some of them, with the same bits.
void drift_lanes(BodyState& state, std::span<const std::uint32_t> slots, double h);
/// The plain twin: the same arithmetic, one body at a time, the same bits.
void drift_lanes_scalar(BodyState& state, double h);

}  // namespace rigor
