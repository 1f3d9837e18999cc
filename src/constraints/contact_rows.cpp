// Contacts as rows (2.6.4, 4.2, 4.90).
//
//   normal     C = n · (p_b − p_a), the gap;  λ ≥ 0;  target Ċ ≥ e · (speed of approach) for an impact (Newton's law)
//   friction   J along t₁ and t₂ = n × t₁, |λ| ≤ μ λ_n; target Ċ = −(relative surface velocity along t)
//   rolling    J = t₁, t₂ · (ω_b − ω_a), |λ| ≤ ρ λ_n;  spinning  J = n · (ω_b − ω_a), |λ| ≤ σ λ_n
//
// The force acts on both bodies at the middle of p_a and p_b, so that the total angular momentum is conserved.
//
// An impact inside the envelope with a gap is first slowed down so that it just reaches the surface; its speed is
// stored in approach_speed, and the impact law acts on that speed when the surfaces touch. So a ball bounces at the
// surface and not up to v·h before it.
//
// Newton's law refers to the speeds at the surface at the time of the impact; rows have others. If positions move with the
// velocities at the end of a step (kick, then drift), they follow a parabola whose velocity at the time of x_n is
// v_n + a h/2: velocities lag by h/2. If a step reached the surface only within a tolerance, the impact is found at a height
// `gap` above or below it. With s the speed of approach in the rows, a the acceleration of approach by external forces:
//
//   s'² = (s + a lag)² + 2 a gap          the speed of approach at the surface
//   r²  = (e s')² − 2 a gap               the speed of separation there, extrapolated to the present positions
//   target Ċ = r + a lag                  at once, or r + a (lag − h) at the end of the step, when its forces have acted
//
// So an elastic ball keeps its height exactly, independent of the step size and of when in the step it hits. (Below the surface r is at
// most √2 e s': a body without restitution does not jump out of a penetration either.)
#include "constraints/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "constraints/row_math.h"

namespace rigor {

double speed_at_surface(double seen, double acceleration, double gap) {
  return std::sqrt(std::max(seen * seen + 2 * acceleration * gap, 0.0));
}

double speed_of_rebound(double restitution, double s, double acceleration, double gap) {
  const double r = restitution * s;
  return std::sqrt(std::max(r * r + std::min(-2 * acceleration * gap, r * r), 0.0));
}

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

/// m/s², acceleration of b's point relative to a's by external forces only.
Vec3 relative_acceleration(const StepContact& c, const PointPose& pose, const BodyState& s, const StepBodies& bodies,
                           const RowBlock& block) {
  const auto acceleration = [&](std::uint32_t slot, int place, const Vec3& r) {
    const BodyInverseMass& m = bodies.mass[static_cast<std::size_t>(place)];
    return m.linear * s.force[slot] + cross(m.angular * s.torque[slot], r);
  };
  return acceleration(c.slot_b, block.b, pose.r_b) - acceleration(c.slot_a, block.a, pose.r_a);
}

/// The state of friction in the last step, from the sums over all points of the contact, since they share the load: a
/// point at its limit is held by the others, and impulses of points against each other cancel.
enum class Friction : std::uint8_t { slid, at_static_limit, held };

Friction last_friction(const Contact& c) {
  constexpr double kSame = 1e-3;  // chosen: a tenth of the required accuracy
  double normal = 0, along = 0, across = 0;
  for (int i = 0; i < c.count; ++i) {
    const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
    normal += p.normal_impulse, along += p.tangent_impulse[0], across += p.tangent_impulse[1];
  }
  if (!c.is_plain && c.friction_across > 0) across /= c.friction_across;
  const double friction = std::hypot(along, across), slides = c.friction * normal;
  if (!(normal > 0) || std::abs(friction - slides) <= kSame * slides) return Friction::slid;
  return friction < (1 - kSame) * c.static_friction * normal ? Friction::held : Friction::at_static_limit;
}

/// True if static friction acts, which it does on contacts that do not slide. An iterative solver that is stopped early
/// leaves some slip, but no more than external forces can cause in one step, so that much slip is tolerated if
/// friction held before. If friction was at its static limit, it was either removing such a slip or too weak; then a
/// slip up to kRelease times the stick speed is tolerated.
bool sticks(const Contact& c, const Vec3& slip, const Vec3& acceleration, const RowSettings& settings) {
  const auto along = [&](const Vec3& v) { return v - dot(v, c.normal) * c.normal; };
  const double speed = length(along(slip - settings.forces_acted * acceleration));
  if (speed < settings.stick_speed) return true;
  if (c.static_friction <= c.friction) return false;
  constexpr double kRelease = 4;  // chosen; in stick speeds
  double forgiven = settings.between * length(along(acceleration));
  if (!(speed < settings.stick_speed + forgiven)) return false;
  const Friction last = last_friction(c);
  if (last == Friction::at_static_limit) forgiven = std::min(forgiven, kRelease * settings.stick_speed);
  return last != Friction::slid && speed < settings.stick_speed + forgiven;
}

/// The target Ċ of an impact in this step: 0 for one with a gap that is only slowed down, at once, to reach the surface. None
/// if the contact rests, separates, does not close or is slowed down together with the resting ones.
std::optional<double> impact_target(double gap, double closing, double a, double e, const RowSettings& settings,
                                    ContactPoint& p) {
  if (!settings.impacts) return std::nullopt;
  const double lag = a * settings.lag;
  double s = speed_at_surface(std::max(closing + lag, 0.0), a, gap);
  // An iterative solver that is stopped early brings the corners of a body to the surface with different errors, but
  // they have to collide together. Chosen: a corner takes part if it misses the surface by less than a hundredth of its
  // path in this step.
  constexpr double kMissed = 0.01;
  const double near_enough = settings.touching + kMissed * settings.h * p.approach_speed;
  // A body that would not bounce back to its present height has to come closer first.
  const bool apart = gap > near_enough || (e > 0 && gap > 0 && speed_of_rebound(e, s, a, gap) == 0);
  if (apart) {
    const bool meets = (closing + lag + 0.5 * a * settings.h) * settings.h > gap;
    p.approach_speed = meets ? std::max(s - lag, 0.0) : 0;
    const bool is_impact = p.approach_speed > settings.restitution_threshold;
    return settings.impacts_at_once && !settings.waits && is_impact ? std::optional(0.0) : std::nullopt;
  }
  const double remembered = std::exchange(p.approach_speed, 0);
  if (std::max(closing, remembered) <= settings.restitution_threshold) return std::nullopt;
  if (remembered > 0) s = std::max(s, remembered + lag);
  const double r = speed_of_rebound(e, s, a, gap);
  return std::max(r + lag - (settings.impacts_at_once ? 0 : a * settings.h), 0.0);
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

/// Without an impulse the stored approach speed is cleared.
void forget(ContactPoint& p) {
  p.approach_speed = p.normal_impulse = p.spinning_impulse = 0;
  for (int i = 0; i < 2; ++i) p.tangent_impulse[i] = p.rolling_impulse[i] = 0;
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
  const Vec3 acceleration = relative_acceleration(contact, pose, state, bodies, block);
  const double a = -dot(c.normal, acceleration);
  const std::optional<double> target = impact_target(pose.gap, p.closing_speed, a, c.restitution, settings, p);
  if (settings.waits && p.approach_speed > settings.restitution_threshold) return forget(p);
  block.colliding = target.has_value();
  block.acceleration = a;
  rows.begin_block(block);
  rows.append(normal_row(c, pose, target.value_or(0)));
  if (c.friction > 0 || c.static_friction > 0) {
    const Vec3 t[2] = {c.tangent, cross(c.normal, c.tangent)};
    const Vec3 slip = velocity + c.surface_velocity;
    const double mu = sticks(c, slip, acceleration, settings) ? c.static_friction : c.friction;
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

namespace {

/// The components of a tangential vector along new axes turned by (cosine, sine).
void turn(double (&v)[2], double cosine, double sine) {
  const double x = v[0], y = v[1];
  v[0] = cosine * x + sine * y, v[1] = cosine * y - sine * x;
}

Vec3 predicted_velocity(const BodyState& s, std::uint32_t slot, double h) {
  return s.velocity[slot] + (h * s.inverse_mass[slot]) * s.force[slot];
}
Vec3 predicted_spin(const BodyState& s, std::uint32_t slot, double h) {
  return s.angular_velocity[slot] +
         h * angular_velocity_of(s.orientation[slot], s.inverse_inertia[slot], s.torque[slot]);
}

/// Relative velocity of the surfaces in the middle of a contact, without its normal part.
Vec3 mean_slip(const StepContact& sc, const BodyState& s, double h) {
  const Contact& c = *sc.contact;
  Vec3 middle;
  for (int i = 0; i < c.count; ++i) middle += c.points[static_cast<std::size_t>(i)].local_b;
  const Vec3 r_b = rotate(s.orientation[sc.slot_b], middle / c.count);
  const Vec3 r_a = s.position[sc.slot_b] + r_b - s.position[sc.slot_a];
  const Vec3 v = predicted_velocity(s, sc.slot_b, h) + cross(predicted_spin(s, sc.slot_b, h), r_b) -
                 predicted_velocity(s, sc.slot_a, h) - cross(predicted_spin(s, sc.slot_a, h), r_a) + c.surface_velocity;
  return v - dot(v, c.normal) * c.normal;
}

/// Relative angular velocity without its normal part, times the distance of the surface from the center of mass: m/s.
Vec3 rolling_axis(const StepContact& sc, const BodyState& s, double h) {
  const Contact& c = *sc.contact;
  const Vec3 w = predicted_spin(s, sc.slot_b, h) - predicted_spin(s, sc.slot_a, h);
  const double lever = std::min(length(c.points[0].local_a), length(c.points[0].local_b));
  return lever * (w - dot(w, c.normal) * c.normal);
}

}  // namespace

void align_tangents(const ConstraintList& list, const BodyState& state, double stick_speed, double h) {
  for (const StepContact& sc : list.contacts) {
    Contact& c = *sc.contact;
    if (c.directed || c.count == 0) continue;
    Vec3 slip = mean_slip(sc, state, h);
    if (length(slip) < stick_speed && c.rolling_friction > 0) slip = rolling_axis(sc, state, h);
    const double speed = length(slip);
    if (!(speed > stick_speed)) continue;
    const Vec3 along = slip / speed;
    const double cosine = dot(along, c.tangent), sine = dot(along, cross(c.normal, c.tangent));
    c.tangent = along;
    for (int i = 0; i < c.count; ++i) {
      ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      turn(p.tangent_impulse, cosine, sine);
      turn(p.rolling_impulse, cosine, sine);
    }
  }
}

}  // namespace rigor
