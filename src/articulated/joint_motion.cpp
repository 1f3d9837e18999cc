#include "articulated/joint_motion.h"

#include <cmath>

#include "integrators/rotation.h"

namespace rigor::articulated {

std::optional<JointMotion> tree_motion(const StepJoint& joint) {
  const AxesJoint* kind = std::get_if<AxesJoint>(&joint.def->kind);
  if (!kind || std::isfinite(kind->stiffness)) return std::nullopt;
  JointMotion motion;
  int angles = 0;
  for (int i = 0; i < 6; ++i) {
    if (kind->axes[static_cast<std::size_t>(i)].motion == AxisMotion::locked) continue;
    if (i < 3) {
      motion.linear[static_cast<std::size_t>(motion.linear_count++)] = i;
    } else {
      if (angles < 2) motion.angular[static_cast<std::size_t>(angles)] = i - 3;
      ++angles;
    }
  }
  motion.angular_count = angles;
  if (motion.size() == 6) return std::nullopt;
  return motion;
}

namespace {

Quat about_axis(int axis, double angle) {
  double sine, cosine;
  sin_cos(0.5 * angle, sine, cosine);
  Vec3 v;
  v[axis] = sine;
  return {cosine, v.x, v.y, v.z};
}

/// e_i e_j = ± e_m for the unit quaternions along two axes, i < j.
double sign_of_product(int i, int j) { return j - i == 2 ? -1 : 1; }

Vec3 turning(const JointMotion& motion, const std::array<double, 6>& rate) {
  const auto k = static_cast<std::size_t>(motion.linear_count);
  return {rate[k], rate[k + 1], rate[k + 2]};
}

}  // namespace

Quat relative_rotation(const JointMotion& motion, const LinkCoordinates& at) {
  switch (motion.angular_count) {
    case 0: return {};
    case 1: return about_axis(motion.angular[0], at.angle[0]);
    case 2: return about_axis(motion.angular[0], at.angle[0]) * about_axis(motion.angular[1], at.angle[1]);
    default: return normalized(at.q);
  }
}

void read_coordinates(const JointMotion& motion, const Vec3& t, const Quat& q, LinkCoordinates& at) {
  at.t = {}, at.angle = {}, at.q = {};
  for (int k = 0; k < motion.linear_count; ++k) {
    const int i = motion.linear[static_cast<std::size_t>(k)];
    at.t[i] = t[i];
  }
  const Vec3 v = q.vector();
  if (motion.angular_count == 1) at.angle[0] = std::remainder(2 * std::atan2(v[motion.angular[0]], q.w), 2 * kPi);
  if (motion.angular_count == 2) {
    // q = (c₁ + s₁ e_i)(c₂ + s₂ e_j): its four numbers are the cosines and sines of (θ₁ ± θ₂) / 2.
    const int i = motion.angular[0], j = motion.angular[1];
    const double m = sign_of_product(i, j) * v[3 - i - j];
    const double sum = std::atan2(v[i] + v[j], q.w - m), difference = std::atan2(v[i] - v[j], q.w + m);
    at.angle = {std::remainder(sum + difference, 2 * kPi), std::remainder(sum - difference, 2 * kPi)};
  }
  if (motion.angular_count == 3) at.q = q;
}

void coordinate_rates(const JointMotion& motion, const LinkCoordinates& at, LinkCoordinates& derivative) {
  derivative.t = {}, derivative.angle = {}, derivative.q = {0, 0, 0, 0};
  for (int k = 0; k < motion.linear_count; ++k)
    derivative.t[motion.linear[static_cast<std::size_t>(k)]] = at.rate[static_cast<std::size_t>(k)];
  if (motion.angular_count == 3) {
    // At the length that q has: a smooth function around the unit sphere, as Runge–Kutta needs.
    const Vec3 w = turning(motion, at.rate);
    derivative.q = Quat{0, w.x, w.y, w.z} * at.q * 0.5;
    return;
  }
  for (int k = 0; k < motion.angular_count; ++k)
    derivative.angle[static_cast<std::size_t>(k)] = at.rate[static_cast<std::size_t>(motion.linear_count + k)];
}

void advance(const JointMotion& motion, const std::array<double, 6>& rate, double h, LinkCoordinates& at) {
  for (int k = 0; k < motion.linear_count; ++k)
    at.t[motion.linear[static_cast<std::size_t>(k)]] += h * rate[static_cast<std::size_t>(k)];
  if (motion.angular_count == 3) {
    at.q = turned(at.q, turning(motion, rate), h);
    return;
  }
  for (int k = 0; k < motion.angular_count; ++k)
    at.angle[static_cast<std::size_t>(k)] += h * rate[static_cast<std::size_t>(motion.linear_count + k)];
}

}  // namespace rigor::articulated
