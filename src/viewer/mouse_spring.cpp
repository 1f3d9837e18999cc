#include "viewer/mouse_spring.h"

#include <algorithm>

namespace rigor::viewer {

bool MouseSpring::apply(World& world, double h) {
  if (!world.contains(body)) return false;
  const std::uint32_t slot = world.slot(body);
  const BodyState& s = world.state();
  if (!(s.inverse_mass[slot] > 0) || !world.is_active(body)) return false;

  const Vec3 p = world.to_world(body, point), r = p - s.position[slot];
  const Vec3 v_p = s.velocity[slot] + cross(s.angular_velocity[slot], r);
  const double m = 1 / s.inverse_mass[slot], omega = 2 * kPi * frequency;
  const double k = m * omega * omega, c = 2 * damping_ratio * m * omega;
  const double gamma = 1 / (h * (c + h * k)), beta = k / (c + h * k);
  const Mat3 K = Mat3::identity() * s.inverse_mass[slot] - skew(r) * inverse_inertia_world(s, slot) * skew(r);

  Vec3 impulse = inverse(K + Mat3::identity() * gamma) * -(v_p + beta * (p - target));
  const double most = max_acceleration * m * h, size = length(impulse);
  if (size > most) impulse *= most / size;
  force = std::min(size, most) / h;
  if (!is_finite(impulse)) return false;
  world.apply_impulse(body, impulse, p);
  return true;
}

}  // namespace rigor::viewer
