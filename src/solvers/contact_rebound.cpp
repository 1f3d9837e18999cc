// The restitution pass of contacts in lanes: point by point and in full precision, as there are few of them and what bounces
// shall keep its energy to rounding.
#include <algorithm>
#include <cmath>

#include "solvers/contact_lanes.h"

namespace rigor {

namespace {

Vec3 lane_of(const LaneArray<double>* v, int lane) { return {v[0][lane], v[1][lane], v[2][lane]}; }
Vec3 vec(const double* v) { return {v[0], v[1], v[2]}; }
Vec3 times(const LaneBody& b, const Vec3& v) {
  const double* I = b.inverse_inertia;
  return {I[0] * v.x + I[1] * v.y + I[2] * v.z, I[1] * v.x + I[3] * v.y + I[4] * v.z,
          I[2] * v.x + I[4] * v.y + I[5] * v.z};
}

/// A contact point with its two bodies.
struct PointPair {
  const LaneBody &a, &b;
  BodyVelocity &u_a, &u_b;
  Vec3 r_a, r_b;

  double speed(const Vec3& n) const { return dot(n, u_b.v + cross(u_b.w, r_b) - u_a.v - cross(u_a.w, r_a)); }
  double inverse_mass(const Vec3& n) const {
    const Vec3 m_a = cross(r_a, n), m_b = cross(r_b, n);
    return a.inverse_mass + b.inverse_mass + dot(m_a, times(a, m_a)) + dot(m_b, times(b, m_b));
  }
  void apply(const Vec3& P) {
    if (a.inverse_mass > 0) u_a.v -= a.inverse_mass * P, u_a.w -= times(a, cross(r_a, P));
    if (b.inverse_mass > 0) u_b.v += b.inverse_mass * P, u_b.w += times(b, cross(r_b, P));
  }
};

}  // namespace

void ContactLanes::restitute(const ConstraintList& list, StepBodies& bodies) {
  for (const Impact& impact : impacts_)
    if (points_[static_cast<std::size_t>(blocks_[static_cast<std::size_t>(impact.block)].first_point + impact.point)]
            .peak[impact.lane] > 0)
      rebound(impact, list, bodies);
}

void ContactLanes::rebound(const Impact& impact, const ConstraintList& list, StepBodies& bodies) {
  const LaneBlock& block = blocks_[static_cast<std::size_t>(impact.block)];
  LanePoint& point = points_[static_cast<std::size_t>(block.first_point + impact.point)];
  const Contact& c = *list.contacts[static_cast<std::size_t>(impact.contact)].contact;
  const int lane = impact.lane;
  const auto place_a = static_cast<std::size_t>(block.a[lane]), place_b = static_cast<std::size_t>(block.b[lane]);
  const Vec3 n = c.normal, t = c.tangent, s = cross(n, t);
  const LaneBody &a = bodies_[place_a], &b = bodies_[place_b];
  const Vec3 moved = static_cast<double>(block.follow_a[lane]) * vec(a.moved) +
                     static_cast<double>(block.follow_b[lane]) * vec(b.moved);
  const Vec3 rho = static_cast<double>(point.u[lane]) * t + static_cast<double>(point.v[lane]) * s;
  PointPair pair{a,
                 b,
                 bodies.u[place_a],
                 bodies.u[place_b],
                 lane_of(block.arm_a, lane) + rho + moved - vec(a.moved),
                 lane_of(block.arm_b, lane) + rho + moved - vec(b.moved)};

  const double old = static_cast<double>(point.impulse[0][lane]);
  const double normal = std::max(old + (impact.speed - pair.speed(n)) / pair.inverse_mass(n), 0.0);
  pair.apply((normal - old) * n);
  point.impulse[0][lane] = static_cast<float>(normal);

  const double limit = static_cast<double>(block.friction[lane]) * normal;
  const double old_1 = static_cast<double>(point.impulse[1][lane]), old_2 = static_cast<double>(point.impulse[2][lane]);
  double p = old_1 + (static_cast<double>(block.slip[0][lane]) - pair.speed(t)) / pair.inverse_mass(t);
  double q = c.friction_across > 0
                 ? old_2 + (static_cast<double>(block.slip[1][lane]) - pair.speed(s)) / pair.inverse_mass(s)
                 : 0;
  const double size = std::hypot(p, q * static_cast<double>(block.inverse_across[lane]));
  if (size > limit) p *= limit / size, q *= limit / size;
  pair.apply((p - old_1) * t + (q - old_2) * s);
  point.impulse[1][lane] = static_cast<float>(p), point.impulse[2][lane] = static_cast<float>(q);
}

}  // namespace rigor
