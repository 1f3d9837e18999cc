// The restitution pass of contacts in lanes: point by point and in full precision, as there are few of them and what bounces
// shall keep its energy to rounding. Newton's law is about the speeds at the surface; the approach was seen when the step began,
// and the rebound begins where the bodies are now (contact_rows.cpp). Sub-steps are kick and drift: velocities lag by η/2.
#include <algorithm>
#include <cmath>

#include "constraints/contact_rows.h"
#include "soft_step/contact_lanes.h"

namespace rigor {

namespace {

constexpr int kReboundSweeps = 12;  // chosen: a flat box on four corners rebounds as high as a ball within a per cent

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
  /// m/s², of approach by the forces from outside.
  double acceleration(const Vec3& n, const BodyState& s, std::uint32_t slot_a, std::uint32_t slot_b) const {
    return dot(n, a.inverse_mass * s.force[slot_a] + cross(times(a, s.torque[slot_a]), r_a) -
                      b.inverse_mass * s.force[slot_b] - cross(times(b, s.torque[slot_b]), r_b));
  }
  void apply(const Vec3& P) {
    if (a.inverse_mass > 0) u_a.v -= a.inverse_mass * P, u_a.w -= times(a, cross(r_a, P));
    if (b.inverse_mass > 0) u_b.v += b.inverse_mass * P, u_b.w += times(b, cross(r_b, P));
  }
};

double gap_now(const StepContact& c, const ContactPoint& p, const BodyState& s) {
  const Vec3 p_a = s.position[c.slot_a] + rotate(s.orientation[c.slot_a], p.local_a);
  const Vec3 p_b = s.position[c.slot_b] + rotate(s.orientation[c.slot_b], p.local_b);
  return dot(c.contact->normal, p_b - p_a);
}

}  // namespace

/// Points of one body push each other's speeds away, so several sweeps are made; as many for all, so that no island decides for
/// another.
void ContactLanes::restitute(const ConstraintList& list, const BodyState& state, StepBodies& bodies) {
  for (int sweep = 0; sweep < kReboundSweeps; ++sweep)
    for (Impact& impact : impacts_) {
      const LaneBlock& block = blocks_[static_cast<std::size_t>(impact.block)];
      if (points_[static_cast<std::size_t>(block.first_point + impact.point)].peak[impact.lane] > 0)
        rebound(impact, list.contacts[static_cast<std::size_t>(impact.contact)], state, bodies);
    }
  if (!clusters_.empty()) rebound_clusters(bodies);
}

/// Rebounds of a light body that a heavy one hits: sweeps would throw it to and fro between the heavy body and the ground, so all contacts of its
/// cluster are solved together with the speeds of separation as targets.
void ContactLanes::rebound_clusters(StepBodies& bodies) {
  rebounds_.clear();
  for (const Impact& impact : impacts_) {
    const LaneBlock& block = blocks_[static_cast<std::size_t>(impact.block)];
    const int point = block.first_point + impact.point;
    if (!(points_[static_cast<std::size_t>(point)].peak[impact.lane] > 0)) continue;
    rebounds_.push_back({point, impact.lane, impact.rebound});
  }
  if (rebounds_.empty()) return;
  for (std::size_t k = 0; k < clusters_.clusters().size(); ++k) {
    if (!may_be_hit_[k]) continue;
    const LightCluster& cluster = clusters_.clusters()[k];
    const auto lanes = std::span(cluster_lanes_).subspan(cluster.begin, cluster.end - cluster.begin);
    const auto is_hit = [&](const ClusterLane& at) {
      const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
      return std::any_of(rebounds_.begin(), rebounds_.end(), [&](const Rebound& r) {
        return r.lane == at.lane && r.point >= block.first_point && r.point < block.first_point + block.points;
      });
    };
    if (std::none_of(lanes.begin(), lanes.end(), is_hit)) continue;
    const double sub_step = groups_[group_of_[cluster.body]].sub_step;
    LaneStep step;
    step.inverse_step = 1 / sub_step;
    solve_hit(lanes, cluster.acceleration * sub_step, bodies, step, /*correct=*/false);
  }
  rebounds_.clear();
}

void ContactLanes::rebound(Impact& impact, const StepContact& contact, const BodyState& state, StepBodies& bodies) {
  const LaneBlock& block = blocks_[static_cast<std::size_t>(impact.block)];
  LanePoint& point = points_[static_cast<std::size_t>(block.first_point + impact.point)];
  const Contact& c = *contact.contact;
  const int lane = impact.lane;
  const auto place_a = static_cast<std::size_t>(block.a[lane] / kVelocitySize),
             place_b = static_cast<std::size_t>(block.b[lane] / kVelocitySize);
  const Vec3 n = c.normal, t = c.tangent, s = cross(n, t);
  const LaneBody &a = bodies_[place_a], &b = bodies_[place_b];
  Vec3 rho{};  // a single point is the center
  if (!block.is_single()) rho = static_cast<double>(point.u[lane]) * t + static_cast<double>(point.v[lane]) * s;
  PointPair pair{
      a, b, bodies.u[place_a], bodies.u[place_b], lane_of(block.arm_a, lane) + rho, lane_of(block.arm_b, lane) + rho};

  const ContactPoint& p = c.points[static_cast<std::size_t>(impact.point)];
  const double acceleration = pair.acceleration(n, state, contact.slot_a, contact.slot_b),
               lag = 0.5 * groups_[group_of(contact)].sub_step;
  const double s_n = speed_at_surface(impact.speed + acceleration * lag, acceleration, p.separation);
  impact.rebound = speed_of_rebound(c.restitution, s_n, acceleration, gap_now(contact, p, state)) + acceleration * lag;
  const double old = static_cast<double>(point.impulse[0][lane]);
  const double normal = std::max(old + (impact.rebound - pair.speed(n)) / pair.inverse_mass(n), 0.0);
  pair.apply((normal - old) * n);
  point.impulse[0][lane] = static_cast<float>(normal);

  const double limit = static_cast<double>(block.friction[lane]) * normal;
  const double old_1 = static_cast<double>(point.impulse[1][lane]), old_2 = static_cast<double>(point.impulse[2][lane]);
  double q_1 = old_1 + (static_cast<double>(block.slip[0][lane]) - pair.speed(t)) / pair.inverse_mass(t);
  double q_2 = c.friction_across > 0
                   ? old_2 + (static_cast<double>(block.slip[1][lane]) - pair.speed(s)) / pair.inverse_mass(s)
                   : 0;
  const double size = std::hypot(q_1, q_2 * static_cast<double>(block.inverse_across[lane]));
  if (size > limit) q_1 *= limit / size, q_2 *= limit / size;
  pair.apply((q_1 - old_1) * t + (q_2 - old_2) * s);
  point.impulse[1][lane] = static_cast<float>(q_1), point.impulse[2][lane] = static_cast<float>(q_2);
}

}  // namespace rigor
