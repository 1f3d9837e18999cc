// The arrays of all bodies' motion: structure of arrays, double precision, one entry per body.
//
// The bodies of a set are contiguous, so that loops have bounds instead of tests:
//
//   [0, moving)            awake dynamic bodies, what integrators and solvers loop over
//   [moving, kinematic)    fixed bodies with a velocity of their own
//   [kinematic, sleeping)  dynamic bodies at rest
//   [sleeping, still)      fixed bodies that do not move, the world body among them
//   [still, size)          inactive bodies
//
// The index of a body in these arrays (its slot) changes when the body changes its set; users hold generational ids instead.
// The frame of the state is the body's principal frame: origin in the center of mass, axes along the principal axes.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "rigor/ids.h"
#include "rigor/math.h"

namespace rigor {

enum class BodySet : std::uint8_t { awake, kinematic, sleeping, still, inactive };
inline constexpr int kBodySetCount = 5;

/// The first slot after each set. Moving leaves zeros behind: a state that was moved from is empty.
struct SetEnds : std::array<std::uint32_t, kBodySetCount> {
  SetEnds() : array{} {}
  SetEnds(const SetEnds&) = default;
  SetEnds& operator=(const SetEnds&) = default;
  SetEnds(SetEnds&& other) noexcept : array(other) { other.fill(0); }
  SetEnds& operator=(SetEnds&& other) noexcept {
    const SetEnds ends(std::move(other));  // first, because `other` may be this one
    return *this = ends;
  }
};

struct BodyState {
  // Motion. Written by integrators (x, q), by forces, solvers and integrators (v, ω), and by the user.
  std::vector<Vec3> position;          // m, center of mass
  std::vector<Quat> orientation;       // principal frame to world
  std::vector<Vec3> velocity;          // m/s, center of mass
  std::vector<Vec3> angular_velocity;  // rad/s, world frame

  // Written by force effects, read by integrators; total of all effects at the time of evaluation.
  std::vector<Vec3> force;   // N
  std::vector<Vec3> torque;  // N m, about the center of mass, world frame

  // Mass. Constant in a step; zero for fixed bodies.
  std::vector<double> inverse_mass;   // 1/kg
  std::vector<Vec3> inverse_inertia;  // 1/(kg m²), principal moments
  std::vector<Vec3> inertia;          // kg m², principal moments; zero for fixed bodies

  // Set by the user; constant in a step.
  std::vector<Vec3> user_force;   // N, at the center of mass
  std::vector<Vec3> user_torque;  // N m

  std::vector<std::uint32_t> id_index;  // slot → index of the body's id
  SetEnds set_end;

  std::uint32_t size() const { return static_cast<std::uint32_t>(position.size()); }
  std::uint32_t begin(BodySet set) const { return set == BodySet::awake ? 0 : set_end[static_cast<int>(set) - 1]; }
  std::uint32_t end(BodySet set) const { return set_end[static_cast<int>(set)]; }
  /// Awake dynamic bodies are the slots [0, awake()).
  std::uint32_t awake() const { return set_end[0]; }
};

/// World-frame angular momentum about the body's center of mass: L = R I Rᵀ ω.
inline Vec3 angular_momentum(const BodyState& s, std::uint32_t i) {
  return rotate(s.orientation[i], scale(s.inertia[i], rotate_inverse(s.orientation[i], s.angular_velocity[i])));
}

/// ω = R I⁻¹ Rᵀ L.
inline Vec3 angular_velocity_of(const Quat& q, const Vec3& inverse_inertia, const Vec3& momentum) {
  return rotate(q, scale(inverse_inertia, rotate_inverse(q, momentum)));
}

/// World-frame inverse inertia R I⁻¹ Rᵀ.
inline Mat3 inverse_inertia_world(const BodyState& s, std::uint32_t i) {
  const Mat3 r = rotation_matrix(s.orientation[i]);
  return r * Mat3::diagonal(s.inverse_inertia[i]) * transpose(r);
}

}  // namespace rigor
