// Limits of the angles of joints in SIMD lanes, four joints at a time: which of them are near, and along what they push.
//
// q is the rotation from a joint's frame a to its frame b, x the axis of the cone or that of the hinge, x_a and x_b where it is:
//
//   swing   φ: sin φ = |x_a × x_b|, cos φ = x_a · x_b            about x_a × x_b
//   twist   θ: tan ½θ = q_x / q_w                                about (x_a + x_b) / (1 + x_a · x_b)
//
// (constraints/axes_joint.cpp). A hinge that is closed is a joint that can only twist. How far an angle is from a bound
// comes from its sine and cosine and those of the bound, by the addition theorem, without an arcus function: tan g, or tan ½g,
// of the gap g is small where it matters, and a series gives g. Joints for which that is not so — far beyond a bound, or turning
// very fast — need the fallback: they are checked one by one.
#pragma once

#include "soft_step/contact_kernels.h"
#include "soft_step/joint_trees.h"

namespace rigor {

/// What a limit is about.
enum class LimitSide : std::uint8_t { swing, lower_twist, upper_twist };
inline constexpr int kLimitSides = 3;

/// A direction n of the relative rotation of b and a, world frame, and the response to an angular impulse along it.
struct LimitDirection {
  Lane3 n;
  Lane3 change_a, change_b;   // rad/s per N m s: I⁻¹ n of the two bodies
  LaneNumber inverse_mass{};  // 1/(kg m²): n·(I_a⁻¹ + I_b⁻¹) n
};

struct alignas(64) LimitBlock {
  // What it is; empty lanes repeat another one.
  LaneSlots slot_a{}, slot_b{};
  LaneQuat frame_a, frame_b;                  // in the principal frames
  Lane3 inverse_a, inverse_b;                 // 1/(kg m²), principal moments; zero for bodies that nothing turns
  LaneNumber swing_cosine{}, swing_sine{};    // of the bound
  LaneNumber middle_cosine{}, middle_sine{};  // of half the twist that others are measured from
  LaneNumber lower_cosine{}, lower_sine{}, upper_cosine{}, upper_sine{};  // of half the bounds, measured from there
  std::array<std::uint8_t, kLimitSides> has{};                            // bits by lane

  // Written by find_near_limits().
  LimitDirection swing, twist;                   // against the swing, so that its gap grows; along the twist
  std::array<LaneNumber, kLimitSides> gap{};     // rad
  std::array<std::uint8_t, kLimitSides> near{};  // bits by lane
  std::uint8_t undecided = 0;                    // bits by lane
};

/// The sine of a swing from which on its direction is well-defined: even at half that angle cot is at most 10.
inline constexpr double kLeastSwing = 0.2;
/// Gaps below it are near, whatever the velocities: a contact may change them by this much in a sub-step.
inline constexpr double kTreeReach = 0.15;  // rad
/// Near are gaps below that, or below kAngularReach plus what the bodies turn towards the bound in `reach_time`, s.
void find_near_limits(std::span<LimitBlock> blocks, const BodyState& state, double reach_time, LaneWidth width);

}  // namespace rigor
