#include "soft_step/soft_balls.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

const BodyInverseMass& mass_of(const StepBodies& bodies, int place) {
  return bodies.mass[static_cast<std::size_t>(place)];
}

/// I⁻¹ [r], column by column.
Mat3 turning(const Mat3& inverse_inertia, const Vec3& r) {
  const Vec3 x = inverse_inertia * Vec3{0, r.z, -r.y}, y = inverse_inertia * Vec3{-r.z, 0, r.x},
             z = inverse_inertia * Vec3{r.y, -r.x, 0};
  return {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

/// 1/m 1 − [r] W
Sym3 mobility(double inverse_mass, const Mat3& W, const Vec3& r) {
  const Vec3 &x = W.row[0], &y = W.row[1], &z = W.row[2];
  return {inverse_mass + r.z * y.x - r.y * z.x, r.z * y.y - r.y * z.y, r.z * y.z - r.y * z.z,
          inverse_mass + r.x * z.y - r.z * x.y, r.x * z.z - r.z * x.z, inverse_mass + r.y * x.z - r.x * y.z};
}

/// Sets what an impulse changes in the velocities: inverse masses and W.
void weigh(const StepBodies& bodies, SoftBall& ball) {
  const BodyInverseMass &a = mass_of(bodies, ball.a), &b = mass_of(bodies, ball.b);
  ball.m_a = a.linear, ball.m_b = b.linear;
  ball.W_a = turning(a.angular, ball.arm_a), ball.W_b = turning(b.angular, ball.arm_b);
}

}  // namespace

bool is_soft_ball(const ConstraintList& list, const Rows& rows, const RowBlock& block) {
  if (block.source != RowBlock::Source::joint || block.size() != 3 || block.a == block.b) return false;
  if (!std::holds_alternative<AxesJoint>(list.joints[block.index].def->kind)) return false;
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(block.begin + k);
    if (rows.kind[i] != RowKind::locked || rows.key[i] != kKeyLocked + k || std::isfinite(rows.stiffness[i]) ||
        rows.bias[i] != 0 || !std::isinf(rows.lo[i]) || !std::isinf(rows.hi[i]) || !(rows.diagonal[i] > 0))
      return false;
  }
  return true;
}

SoftBall soft_ball(const Rows& rows, int block) {
  const RowBlock& from = rows.blocks[static_cast<std::size_t>(block)];
  SoftBall ball;
  ball.a = from.a, ball.b = from.b, ball.block = block, ball.joint = from.index;
  // Impulses in the axes of their frame, until place_soft_ball() turns them into the world.
  for (int k = 0; k < 3; ++k) ball.lambda[k] = rows.lambda[static_cast<std::size_t>(from.begin + k)];
  ball.axes = Mat3::identity();
  return ball;
}

void place_soft_ball(const ConstraintList& list, const BodyState& state, const StepBodies& bodies, const Softness& soft,
                     double max_push, SoftBall& ball) {
  const StepJoint& joint = list.joints[ball.joint];
  const Vec3 &x_a = state.position[joint.slot_a], &x_b = state.position[joint.slot_b];
  const Quat& q_a = state.orientation[joint.slot_a];
  const Vec3 along = transpose(ball.axes) * ball.lambda;
  ball.arm_b = rotate(state.orientation[joint.slot_b], joint.frame_b.translation);
  ball.arm_a = x_b + ball.arm_b - x_a;
  ball.axes = rotation_matrix(q_a * joint.frame_a.rotation);
  ball.lambda = ball.axes * along;
  weigh(bodies, ball);
  ball.push = soft.rate * (ball.arm_a - rotate(q_a, joint.frame_a.translation));
  if (length_squared(ball.push) <= max_push * max_push) return;
  const Vec3 push = transpose(ball.axes) * ball.push;
  const auto limited = [&](double v) { return std::clamp(v, -max_push, max_push); };
  ball.push = ball.axes * Vec3{limited(push.x), limited(push.y), limited(push.z)};
}

void factorise_soft_ball(SoftBall& ball) {
  Sym3 K = mobility(ball.m_a, ball.W_a, ball.arm_a);
  K += mobility(ball.m_b, ball.W_b, ball.arm_b);
  ball.inverse_K = inverse(K);
}

void store_soft_ball(const SoftBall& ball, Rows& rows) {
  RowBlock& block = rows.blocks[static_cast<std::size_t>(ball.block)];
  block.arm_b = ball.arm_b;
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(block.begin + k);
    const Vec3 axis = ball.axes.column(k);
    rows.lambda[i] = dot(axis, ball.lambda), rows.J[i] = linear_jacobian(axis, ball.arm_a, ball.arm_b);
  }
}

}  // namespace rigor
