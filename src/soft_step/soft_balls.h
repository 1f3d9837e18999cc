// Rigid ball joints without limits, motors or friction, solved softly one after the other: what soft_joints.h does with three rows of such
// a joint, as vectors of the world frame.
//
//   K Δλ = −(v_b + ω_b × r_b − v_a − ω_a × r_a) − w,    K = (1/m_a + 1/m_b) 1 − [r_a] I_a⁻¹ [r_a] − [r_b] I_b⁻¹ [r_b]
//   λ ← λ + s_m Δλ − s_λ λ    with correction, w the speed at which the gap closes;    λ ← λ + Δλ without
//
// Both arms lead to the point of the second body, where the impulse acts on both.
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
  int a = 0, b = 0;         // places
  Vec3 arm_a, arm_b;        // m, from the centers of mass
  double m_a = 0, m_b = 0;  // 1/kg
  Mat3 W_a, W_b;            // I⁻¹ [r]: what an impulse makes of ω
  Sym3 inverse_K;           // kg
  Vec3 push;                // m/s, w of a correction
  Vec3 lambda;              // N s, on b, world frame
  int block = 0;            // of the rows
  std::uint32_t joint = 0;  // of the list
  Mat3 axes;                // of the frame that the rows are written in
};

/// Whether a block of the rows is one.
bool is_soft_ball(const ConstraintList& list, const Rows& rows, const RowBlock& block);
/// Of a block with the impulses of its rows.
SoftBall soft_ball(const Rows& rows, int block);
/// At the present poses and masses; impulses turn with the first body.
void place_soft_ball(const ConstraintList& list, const BodyState& state, const StepBodies& bodies, const Softness& soft,
                     double max_push, SoftBall& ball);
/// K where the ball was placed last.
void factorise_soft_ball(SoftBall& ball);

/// An impulse on the second body, and back on the first.
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

/// The impulse to the rows, and Jacobians where the ball was placed last: reactions are computed from them.
void store_soft_ball(const SoftBall& ball, Rows& rows);

}  // namespace rigor
