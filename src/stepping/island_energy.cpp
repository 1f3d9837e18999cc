#include "stepping/island_energy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "constraints/joint_rows.h"
#include "math/disjoint_sets.h"

namespace rigor {

namespace {

constexpr double kRounding = 1e-9;    // relative: velocities are double, impulses the same for both bodies
constexpr double kCounted = 1e-3;     // relative gains above it are counted

bool drives(const JointDef& def) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  if (const DistanceJoint* distance = std::get_if<DistanceJoint>(&def.kind)) return std::isfinite(distance->stiffness);
  if (!axes) return !std::holds_alternative<PathJoint>(def.kind);
  const auto is_driven = [](const JointAxis& a) {
    return a.motor.kind != AxisMotor::Kind::none || a.spring.stiffness > 0;
  };
  return std::isfinite(axes->stiffness) || std::any_of(axes->axes.begin(), axes->axes.end(), is_driven);
}

bool moves(const BodyState& s, std::uint32_t slot) {
  return s.velocity[slot] != Vec3{} || s.angular_velocity[slot] != Vec3{};
}

}  // namespace

double IslandEnergy::energy(const BodyState& s, std::uint32_t i, const Vec3& v, const Vec3& w) {
  const Vec3 local = rotate_inverse(s.orientation[i], w);
  return 0.5 * (length_squared(v) / s.inverse_mass[i] + dot(local, rigor::scale(s.inertia[i], local)));
}

void IslandEnergy::begin(const ConstraintList& list, const BodyState& state) {
  connect(list, state);
  describe(list, state);
  start_.assign(state.position.begin(), state.position.begin() + state.awake());
}

void IslandEnergy::connect(const ConstraintList& list, const BodyState& s) {
  DisjointSets sets(s.awake());
  const auto unite = [&](std::uint32_t a, std::uint32_t b) {
    if (a < s.awake() && b < s.awake()) sets.unite(a, b);
  };
  for (const StepJoint& joint : list.joints) unite(joint.slot_a, joint.slot_b);
  for (const StepContact& c : list.contacts)
    if (c.points > 0) unite(c.slot_a, c.slot_b);
  island_of_.resize(s.awake());
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const std::uint32_t root = sets.root(i);
    island_of_[i] = root == i ? count++ : island_of_[root];
  }
  islands_.assign(count, {});
}

void IslandEnergy::describe(const ConstraintList& list, const BodyState& s) {
  const auto touch = [&](std::uint32_t a, std::uint32_t b, bool is_contact, bool is_driven) {
    if (a >= s.awake() && b >= s.awake()) return;
    Island& island = islands_[island_of_[std::min(a, b)]];
    const std::uint32_t other = std::max(a, b);
    island.has_contacts = island.has_contacts || is_contact;
    island.is_held = island.is_held || other >= s.awake();
    island.is_driven = island.is_driven || is_driven || (other >= s.awake() && moves(s, other));
  };
  for (const StepJoint& joint : list.joints) touch(joint.slot_a, joint.slot_b, false, drives(*joint.def));
  for (const StepContact& c : list.contacts)
    if (c.points > 0)
      touch(c.slot_a, c.slot_b, true, !c.contact->is_plain && c.contact->surface_velocity != Vec3{});
}

void IslandEnergy::remember(const BodyState& s) {
  for (Island& island : islands_) island.before = island.work = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (Island& island = islands_[island_of_[i]]; island.has_contacts && !island.is_driven) {
      island.before += energy(s, i, s.velocity[i], s.angular_velocity[i]);
      island.work += work(s, i);
    }
  for (Island& island : islands_) {
    const double left = island.before - island.work;
    if (!std::exchange(island.is_begun, true) || left > island.most) island.most = left;
  }
}

int IslandEnergy::limit(const BodyState& s, StepBodies& bodies) { return limit(s, bodies, &Island::before); }

int IslandEnergy::limit_rebounds(const BodyState& s, StepBodies& bodies) {
  for (Island& island : islands_) island.work = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) islands_[island_of_[i]].work += work(s, i);
  for (Island& island : islands_) island.most = std::max(island.most + island.work, 0.0);
  return limit(s, bodies, &Island::most);
}

int IslandEnergy::limit(const BodyState& s, StepBodies& bodies, double Island::*reference) {
  for (Island& island : islands_) island.after = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (Island& island = islands_[island_of_[i]]; island.has_contacts && !island.is_driven)
      island.after += energy(s, i, bodies.u[i].v, bodies.u[i].w);
  int counted = 0;
  bool any = false;
  for (Island& island : islands_) {
    island.gains =
        island.has_contacts && !island.is_driven && !(island.after <= (1 + kRounding) * island.*reference);
    any = any || island.gains;
    if (island.gains && !(island.after <= (1 + kCounted) * island.*reference)) ++counted;
  }
  if (any) find_rigid_motions(s, bodies), scale(s, bodies, reference);
  return counted;
}

/// Of islands that gain and that nothing holds.
void IslandEnergy::find_rigid_motions(const BodyState& s, const StepBodies& bodies) {
  rigid_.assign(islands_.size(), {});
  const auto for_bodies = [&](auto&& visit) {
    for (std::uint32_t i = 0; i < s.awake(); ++i)
      if (const Island& island = islands_[island_of_[i]]; island.gains && !island.is_held)
        visit(i, rigid_[island_of_[i]], 1 / s.inverse_mass[i]);
  };
  for_bodies([&](std::uint32_t i, RigidMotion& r, double m) {
    r.mass += m, r.center += m * s.position[i], r.V += m * bodies.u[i].v;
  });
  for (RigidMotion& r : rigid_)
    if (r.mass > 0) r.center = r.center / r.mass, r.V = r.V / r.mass;
  for_bodies([&](std::uint32_t i, RigidMotion& r, double m) {
    const Vec3 d = s.position[i] - r.center;
    const Mat3 R = rotation_matrix(s.orientation[i]);
    const Mat3 I = R * Mat3::diagonal(s.inertia[i]) * transpose(R);
    r.L += m * cross(d, bodies.u[i].v - r.V) + I * bodies.u[i].w;
    r.inertia = r.inertia + I + m * (length_squared(d) * Mat3::identity() - outer(d, d));
  });
  for (RigidMotion& r : rigid_)
    if (r.mass > 0) r.Omega = inverse(r.inertia) * r.L;
}

void IslandEnergy::scale(const BodyState& s, StepBodies& bodies, double Island::*reference) {
  std::vector<double> least(islands_.size(), 0);  // J, of the rigid motions
  const auto rigid_motion = [&](std::uint32_t i) -> BodyVelocity {
    const RigidMotion& r = rigid_[island_of_[i]];
    if (islands_[island_of_[i]].is_held) return {};
    return {r.V + cross(r.Omega, s.position[i] - r.center), r.Omega};
  };
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    if (!islands_[island_of_[i]].gains) continue;
    const BodyVelocity rigid = rigid_motion(i);
    least[island_of_[i]] += energy(s, i, rigid.v, rigid.w);
  }
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const Island& island = islands_[island_of_[i]];
    if (!island.gains) continue;
    const BodyVelocity rigid = rigid_motion(i);
    const double most = std::max(island.*reference - least[island_of_[i]], 0.0),
                 now = island.after - least[island_of_[i]];
    const double k = now > 0 ? std::sqrt(std::min(most / now, 1.0)) : 0;
    bodies.u[i].v = rigid.v + k * (bodies.u[i].v - rigid.v);
    bodies.u[i].w = rigid.w + k * (bodies.u[i].w - rigid.w);
  }
}

}  // namespace rigor
