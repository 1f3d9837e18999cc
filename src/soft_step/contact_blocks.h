// Contacts of one step, sixteen to a block, laid out for lanes: field by field, one lane per contact.
//
// A manifold is solved in its own six-dimensional space: relative velocity of the surfaces at its center along n, t₁, t₂ and
// relative spin about them. Its points lie at ρ = u t₁ + v t₂, so that
//
//   normal speed of a point      Vₙ + v Ω₁ − u Ω₂            a row (1, v, −u) over (Vₙ, Ω₁, Ω₂)
//   tangential speeds            V₁ − v Ωₙ, V₂ + u Ωₙ        rows over (V₁, V₂, Ωₙ)
//
// and W = G M⁻¹ Gᵀ, 6×6, is the response of these velocities to a wrench on the manifold. Bodies are read and written once per visit.
// Numbers that only affect convergence are in single precision; velocities, arms and inertias, on which the conservation of
// momentum rests, are double.
#pragma once

#include <cstdint>
#include <vector>

#include "rigor/contacts.h"
#include "state/step_bodies.h"

namespace rigor {

inline constexpr int kBlockLanes = 16;
inline constexpr int kBlockPoints = 4;
inline constexpr std::uint32_t kAllLanes = (1U << kBlockLanes) - 1;

template <class T> using LaneArray = T[kBlockLanes];

/// One lane of a vector that is stored by coordinates.
inline Vec3 lane_of(const LaneArray<double>* v, int lane) { return {v[0][lane], v[1][lane], v[2][lane]}; }

/// The recent motion of a body, and its present inertia; a cache line each.
struct alignas(64) LaneBody {
  // Since contacts followed it for the last time. While a step is prepared, both are what forces will change in the velocities
  // of the first sub-step, m/s and rad/s.
  double moved[3] = {0, 0, 0};   // m, of the center of mass
  double turned[3] = {0, 0, 0};  // rad, 2 × the vector part of the turning quaternion
  // With the least and largest inverse inertia J, an angle θ of turning changes the inverse mass W of a row by at most a factor
  // 1 + 2ε + ε², ε = θ √(J_max / J_min); a shift d of an arm does so with ε = d √(J_max m).
  double stale = 0;                                            // -, ε of having turned by `turned`
  double inverse_radius = 0;                                   // 1/m, √(J_max m)
  alignas(64) double inverse_inertia[6] = {0, 0, 0, 0, 0, 0};  // 1/(kg m²), world frame: xx xy xz yy yz zz
  double inverse_mass = 0, skew = 1;                           // 1/kg; √(J_max / J_min)
};

/// Bodies are identified by the offset of their velocity records, so that lanes find them without arithmetic.
inline constexpr std::int32_t kVelocitySize = sizeof(BodyVelocity);
static_assert(kVelocitySize == 64 && sizeof(LaneBody) == 2 * kVelocitySize);

struct alignas(64) LanePoint {
  LaneArray<float> impulse[3];  // N s of a sub-step: normal, t₁, t₂; without the first there are no others
  LaneArray<float> mass;        // kg, 1 / (row W row); 0: nothing moves along it
  LaneArray<float> gap;         // m, now
  LaneArray<float> u, v;        // m, in the plane of the contact, from its center; not of one point alone
  LaneArray<float> peak;        // N s, largest normal impulse of the step; of blocks with impacts
};

/// What only manifolds of several points or with rolling or spinning friction have. The motion is (Vₙ, Ω₁, Ω₂) and
/// (V₁, V₂, Ωₙ); upper triangles, W_fn by rows.
struct alignas(64) LaneCouplings {
  LaneArray<float> W_nn[6], W_fn[9];
  LaneArray<float>
      joint_mass[6];  // kg: normal impulses of three points and more from all errors at once; 0: one by one
  LaneArray<float> joint_friction[6];  // kg: the same for friction of two points and more; 0: one by one
  LaneArray<float> W_ff[6];
  LaneArray<float> rolling, spinning;   // this and what follows: of blocks that has_turning; m, lever arms of friction
  LaneArray<float> turning_impulse[3];  // N m s of a sub-step, about t₁, t₂, n
};

/// All sweeps pass over all blocks, and those of a large scene are more than a cache holds: what every visit needs is first, side
/// by side.
struct alignas(64) LaneBlock {
  LaneArray<std::int32_t> a, b;          // indices into StepBodies, times kVelocitySize
  LaneArray<double> arm_a[3], arm_b[3];  // m, from the centers of mass to the center of the contact, now
  LaneArray<float> normal[3], tangent[3];
  LaneArray<float> pushed;                    // N s, normal impulses of the sub-steps before the present one
  LaneArray<float> stale;                     // -, sum of ε since the masses were computed: see LaneBody
  LaneArray<float> friction, inverse_across;  // -, along t₁; 1 / (what it is across, relative to that), 0: none across
  LaneArray<float> slip[2];                   // m/s, wanted along t₁, t₂
  LaneArray<float>
      pull[3];  // m/s, m/s, rad/s about n: targets while positions are corrected, back to where surfaces stuck
  LaneArray<float> lift[2], friction_mass[2];  // of one point alone: W₁ₙ and W₂ₙ; kg, 1 / W₁₁ and 1 / W₂₂
  LaneCouplings* couplings = nullptr;          // of the others
  std::int32_t points = 0;                     // of every lane in use
  std::int32_t first_point = 0;                // of the array of points
  std::int32_t first_contact = 0;              // of the contacts in the order of blocks
  std::int32_t lanes = 0;                      // in use
  std::int32_t count = 1;                      // sub-steps
  std::uint32_t active = kAllLanes;            // a bit for each lane that sweeps do not skip
  bool has_turning = false, has_impacts = false;
  alignas(64) LaneArray<float> follow_a,
      follow_b;                     // how the center follows the bodies: ½ ½, or 1 for the only one that is free
  LaneArray<std::int32_t> contact;  // in ConstraintList::contacts; -1: lane not used

  bool is_single() const { return points == 1 && !has_turning; }
};

/// The input of a block, by lane.
struct LaneInput {
  Contact* contact[kBlockLanes];
  const Vec3 *x_a[kBlockLanes], *x_b[kBlockLanes];  // m, centers of mass
  const Quat *q_a[kBlockLanes], *q_b[kBlockLanes];
  LaneArray<double> is_used, keeps_tangent, has_anchor;  // 1 or 0; has_anchor: points stay where surfaces stuck
  LaneArray<double> surface_velocity[3], across;
  double count = 1;        // sub-steps
  double stick_speed = 0;  // m/s
  double pull_rate = 0;    // 1/s, part of the creep that is undone per second
};

/// Numbers of one sub-step.
struct LaneStep {
  double rate = 0, mass = 1, impulse = 0, max_push = 0;  // softness
  double inverse_step = 0;                               // 1/s
  bool skips_single = false;                             // manifolds of one point
  double max_sag = 0;                                    // m: largest depth of contacts under load

  /// Not soft at all; overlaps are moved apart by a part of them in every sub-step. Chosen, as is usual.
  LaneStep rigid() const { return {0.2 * inverse_step, 1, 0, max_push, inverse_step, false, 0}; }
  /// A contact of mass m that carries λ rests at the depth d where mass · m · rate · d = impulse · λ. The part of λ that is taken back
  /// is as much smaller as d would be larger than max_sag: impulse · λ ≤ yield() · m.
  double yield() const { return mass * rate * max_sag; }
};

/// Arrays that the kernels work on.
struct LaneBodies {
  BodyVelocity* velocity;  // by place
  const LaneBody* body;
  std::int32_t awake;  // places from here on are only read
};

}  // namespace rigor
