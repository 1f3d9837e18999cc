// Soft constraints for rigid ball joints without limits, motors or friction, solved one joint after the other. The
// result is that of the three rows per joint in soft_joints.h, but computed with vectors of the world frame, which is
// faster.
//
//   K Δλ = −(v_b + ω_b × r_b − v_a − ω_a × r_a) − w,    K = (1/m_a + 1/m_b) 1 − [r_a] I_a⁻¹ [r_a] − [r_b] I_b⁻¹ [r_b]
//   λ ← λ + s_m Δλ − s_λ λ    with correction, w the speed at which the gap closes;    λ ← λ + Δλ without
//
// s_m and s_λ are those of Softness (soft_settings.h). The impulse acts on both bodies at the anchor of the second one,
// so both arms r lead there.
#pragma once

#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "multibody/symmetric3.h"
#include "soft_step/soft_settings.h"
#include "state/rows.h"
#include "state/step_bodies.h"

namespace rigor {

struct SoftBall {
  int a = 0, b = 0;         // indices in StepBodies
  Vec3 arm_a, arm_b;        // m, from the centers of mass
  double m_a = 0, m_b = 0;  // 1/kg
  Mat3 W_a, W_b;            // I⁻¹ [r]: change of ω per impulse
  Sym3 inverse_K;           // kg
  Vec3 push;                // m/s, w of a correction
  Vec3 lambda;              // N s, on b, world frame
  int block = 0;            // index in Rows::blocks
  std::uint32_t joint = 0;  // index in ConstraintList::joints
  Mat3 axes;                // axes of the frame that the joint's rows are written in
};

/// Whether a block of rows belongs to a joint that can be solved as a SoftBall.
bool is_soft_ball(const ConstraintList& list, const Rows& rows, const RowBlock& block);
/// Makes the SoftBall of a block, with the impulses that its rows have.
SoftBall soft_ball(const Rows& rows, int block);
/// Updates arms, W and the correction speed to the present poses and masses. The impulse turns with the first body.
void place_soft_ball(const ConstraintList& list, const BodyState& state, const StepBodies& bodies, const Softness& soft,
                     double max_push, SoftBall& ball);
/// Computes K⁻¹ for the pose of the last place_soft_ball().
void factorise_soft_ball(SoftBall& ball);

/// Applies `impulse` to the second body and −`impulse` to the first.
[[gnu::always_inline]] inline void push_soft_ball(const SoftBall& ball, const Vec3& impulse, StepBodies& bodies) {
  BodyVelocity &a = bodies.u[static_cast<std::size_t>(ball.a)], &b = bodies.u[static_cast<std::size_t>(ball.b)];
  a.v -= ball.m_a * impulse, a.w -= ball.W_a * impulse;
  b.v += ball.m_b * impulse, b.w += ball.W_b * impulse;
}

[[gnu::always_inline]] inline void solve_soft_ball(const Softness& soft, bool correct, SoftBall& ball,
                                                   StepBodies& bodies) {
  const BodyVelocity &a = bodies.u[static_cast<std::size_t>(ball.a)], &b = bodies.u[static_cast<std::size_t>(ball.b)];
  const Vec3 speed = (b.v - a.v) + (cross(b.w, ball.arm_b) - cross(a.w, ball.arm_a));
  Vec3 change = ball.inverse_K * (correct ? -(speed + ball.push) : -speed);
  if (correct) change = soft.mass * change - soft.impulse * ball.lambda;
  ball.lambda += change;
  push_soft_ball(ball, change, bodies);
}

/// Writes the impulse, and the Jacobians of the last place_soft_ball(), to the rows: reaction forces are computed
/// there.
void store_soft_ball(const SoftBall& ball, Rows& rows);

}  // namespace rigor
