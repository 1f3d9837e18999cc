// Contacts as rows (2.6.4, 4.2, 4.90).
//
//   normal     C = n · (p_b − p_a), the gap;  λ ≥ 0;  wanted Ċ ≥ e · (speed of approach) for an impact (Newton's law)
//   friction   J along t₁ and t₂ = n × t₁, |λ| ≤ μ λ_n; wanted Ċ = −(running of the surfaces along t)
//   rolling    J = t₁, t₂ · (ω_b − ω_a), |λ| ≤ ρ λ_n;  spinning  J = n · (ω_b − ω_a), |λ| ≤ σ λ_n
//
// Both bodies get the force at the middle of p_a and p_b, so the total angular momentum stays.
//
// An impact inside the envelope but still apart is first slowed down so that it just meets the surface; its speed is
// remembered in approach_speed, and the impact law acts on that speed when the surfaces touch. So a ball turns round at the
// surface and not up to v·h before it.
#include "constraints/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "constraints/row_math.h"

namespace rigor {

namespace {

struct PointPose {
  Vec3 r_a, r_b;  // m, from the centers of mass to the middle of the two points
  double gap;
};

PointPose point_pose(const StepContact& c, const ContactPoint& p, const BodyState& s) {
  const Vec3 &x_a = s.position[c.slot_a], &x_b = s.position[c.slot_b];
  const Vec3 p_a = x_a + rotate(s.orientation[c.slot_a], p.local_a);
  const Vec3 p_b = x_b + rotate(s.orientation[c.slot_b], p.local_b);
  const Vec3 middle = 0.5 * (p_a + p_b);
  return {middle - x_a, middle - x_b, dot(c.contact->normal, p_b - p_a)};
}

Vec3 relative_velocity(const PointPose& pose, const BodyVelocity& a, const BodyVelocity& b) {
  return b.v + cross(b.w, pose.r_b) - a.v - cross(a.w, pose.r_a);
}

/// m/s², of approach by the forces from outside alone.
double approach_acceleration(const StepContact& c, const PointPose& pose, const BodyState& s, const StepBodies& bodies,
                             const RowBlock& block) {
  const auto acceleration = [&](std::uint32_t slot, int place, const Vec3& r) {
    const BodyInverseMass& m = bodies.mass[static_cast<std::size_t>(place)];
    return m.linear * s.force[slot] + cross(m.angular * s.torque[slot], r);
  };
  return dot(c.contact->normal, acceleration(c.slot_a, block.a, pose.r_a) - acceleration(c.slot_b, block.b, pose.r_b));
}

/// The speed after an impact that Newton's law wants now; none when the contact rests, separates or is still apart.
///
/// Velocities of a step belong to its middle: the surfaces, which meet at the end of a step, do so with s' = s + a h/2, and
/// half a step later they shall separate with e s' − a h/2. What falls from `gap` above the surface arrives there with
/// s'² = (s + a h/2)² + 2 a gap. So an elastic ball keeps its height exactly, whatever the step.
std::optional<double> rebound_speed(const PointPose& pose, double closing, double a, double e,
                                    const RowSettings& settings, ContactPoint& p) {
  const double half = 0.5 * a * settings.h;
  if (pose.gap > settings.touching) {
    const bool meets_in_this_step = (closing + a * settings.h) * settings.h > pose.gap;
    const double squared = (closing + half) * (closing + half) + 2 * a * pose.gap;
    p.approach_speed = meets_in_this_step ? std::max(std::sqrt(std::max(squared, 0.0)) - half, 0.0) : 0;
    return std::nullopt;
  }
  const double speed = std::max(closing, p.approach_speed);
  p.approach_speed = 0;
  if (speed <= settings.restitution_threshold) return std::nullopt;
  return std::max(e * (speed + half) - half, 0.0);
}

Row normal_row(const Contact& c, const PointPose& pose, double bias) {
  Row row;
  row.kind = RowKind::normal;
  row.J = linear_jacobian(c.normal, pose.r_a, pose.r_b);
  row.C = pose.gap;
  row.bias = bias;
  row.lo = 0;
  row.key = kKeyNormal;
  return row;
}

Row friction_row(RowKind kind, const Jacobian& J, double mu, double bias, std::uint8_t key) {
  Row row;
  row.kind = kind;
  row.J = J;
  row.mu = mu, row.friction_of = kKeyNormal;
  row.bias = bias;
  row.lo = row.hi = 0;  // scaled by the normal multiplier
  row.key = key;
  return row;
}

void append_turning_rows(const Contact& c, const Vec3 t[2], Rows& rows) {
  if (c.rolling_friction > 0)
    for (std::uint8_t i = 0; i < 2; ++i)
      rows.append(friction_row(RowKind::rolling, angular_jacobian(t[i]), c.rolling_friction, 0,
                               static_cast<std::uint8_t>(kKeyRolling + i)));
  if (c.spinning_friction > 0)
    rows.append(friction_row(RowKind::spinning, angular_jacobian(c.normal), c.spinning_friction, 0, kKeySpinning));
}

}  // namespace

void write_contact_point(const StepContact& contact, std::uint32_t point, const BodyState& state,
                         const StepBodies& bodies, const RowSettings& settings, RowBlock block, Rows& rows) {
  const Contact& c = *contact.contact;
  ContactPoint& p = contact.contact->points[point];
  const PointPose pose = point_pose(contact, p, state);
  const Vec3 velocity =
      relative_velocity(pose, bodies.u[static_cast<std::size_t>(block.a)], bodies.u[static_cast<std::size_t>(block.b)]);
  p.closing_speed = -dot(velocity, c.normal);
  const double a = approach_acceleration(contact, pose, state, bodies, block);
  const std::optional<double> rebound = rebound_speed(pose, p.closing_speed, a, c.restitution, settings, p);
  block.colliding = rebound.has_value();
  rows.begin_block(block);
  rows.append(normal_row(c, pose, rebound.value_or(0)));
  if (c.friction > 0 || c.static_friction > 0) {
    const Vec3 t[2] = {c.tangent, cross(c.normal, c.tangent)};
    const Vec3 slip = velocity + c.surface_velocity;
    const bool sticks =
        length_squared(slip - dot(slip, c.normal) * c.normal) < settings.stick_speed * settings.stick_speed;
    const double mu = sticks ? c.static_friction : c.friction;
    for (std::uint8_t i = 0; i < 2; ++i)
      rows.append(friction_row(RowKind::friction, linear_jacobian(t[i], pose.r_a, pose.r_b),
                               i == 0 ? mu : mu * c.friction_across, -dot(c.surface_velocity, t[i]),
                               static_cast<std::uint8_t>(kKeyTangent + i)));
    append_turning_rows(c, t, rows);
  }
  load_contact_impulses(p, rows.blocks.back(), rows);
}

void rewrite_contact_point(const ConstraintList& list, const BodyState& state, const RowBlock& block, Rows& rows) {
  const StepContact& contact = list.contacts[block.index];
  const Contact& c = *contact.contact;
  PointPose pose = point_pose(contact, c.points[block.point], state);
  Vec3 axes[3] = {c.normal, c.tangent, cross(c.normal, c.tangent)};
  if (contact.geometry >= 0) {
    const auto place = [&](std::uint32_t slot) { return Transform{state.position[slot], state.orientation[slot]}; };
    const Transform a = place(contact.slot_a), b = place(contact.slot_b);
    const ContactPointPose moved =
        contact_point_pose(list.geometry[static_cast<std::size_t>(contact.geometry) + block.point], c.normal, a, b);
    const Vec3 &n = moved.normal, middle = 0.5 * (moved.p_a + moved.p_b);
    pose = {middle - a.translation, middle - b.translation, dot(n, moved.p_b - moved.p_a)};
    axes[0] = n, axes[1] = normalized(c.tangent - dot(c.tangent, n) * n), axes[2] = cross(n, axes[1]);
  }
  for (int i = block.begin; i < block.end; ++i) {
    const auto r = static_cast<std::size_t>(i);
    if (rows.key[r] > kKeyTangent2) continue;  // rolling and spinning rows are fixed in space
    rows.J[r] = linear_jacobian(axes[rows.key[r]], pose.r_a, pose.r_b);
    if (rows.key[r] == kKeyNormal) rows.C[r] = pose.gap;
  }
}

namespace {

double* impulse_of(ContactPoint& p, std::uint8_t key) {
  switch (key) {
    case kKeyNormal: return &p.normal_impulse;
    case kKeyTangent: return &p.tangent_impulse[0];
    case kKeyTangent2: return &p.tangent_impulse[1];
    case kKeyRolling: return &p.rolling_impulse[0];
    case kKeyRolling2: return &p.rolling_impulse[1];
    default: return &p.spinning_impulse;
  }
}

}  // namespace

void load_contact_impulses(const ContactPoint& point, const RowBlock& block, Rows& rows) {
  ContactPoint p = point;
  for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
    rows.lambda[i] = *impulse_of(p, rows.key[i]);
}

void store_contact_impulses(const Rows& rows, const RowBlock& block, ContactPoint& point) {
  for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
    *impulse_of(point, rows.key[i]) = rows.lambda[i];
}

}  // namespace rigor
