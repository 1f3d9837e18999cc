#pragma once

#include <span>

#include "rigor/state.h"

namespace rigor {

/// Moves the bodies of slots [begin, end) freely for the time h, one body per SIMD lane; conserves energy and angular momentum
/// (energy_momentum.cpp).
void drift_lanes(BodyState& state, std::uint32_t begin, std::uint32_t end, double h);
/// Moves all awake bodies.
inline void drift_lanes(BodyState& state, double h) { drift_lanes(state, 0, state.awake(), h); }
/// Moves some of them, with the same bits.
void drift_lanes(BodyState& state, std::span<const std::uint32_t> slots, double h);
/// The plain reference: the same arithmetic for one body at a time, the same bits.
void drift_lanes_scalar(BodyState& state, double h);

}  // namespace rigor
