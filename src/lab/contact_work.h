// The energy that contacts take from the bodies, separately for normal forces (impacts) and friction, computed from the impulses that a
// method reports.
//
// In one step the impulse λ at a contact point changes the kinetic energy of its two bodies by its work
//
//   W = λ · (v₀ + v₁) / 2,
//
// v₀ and v₁ being the relative velocities at the point at the start and at the end of the step. The sum over all impulses and forces is the
// change of the kinetic energy: exactly for translations, because m (v₁² − v₀²) / 2 = m (v₁ − v₀) · (v₀ + v₁) / 2, and to first order in
// the angle of the step for rotations. With the normal n and λ = λ_n n + λ_t, the work of λ_n n is the loss in impacts (zero at rest, where
// the relative velocity is zero), and that of λ_t is the loss by friction. Belts and moving fixed bodies can give energy; their share is
// negative.
//
// The sums do not contain energy that a method changes without impulses: by corrections of position, damping, and errors of the integrator.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "rigor/simulation.h"

namespace rigor {

/// J, taken from the bodies since the start.
struct ContactWork {
  double impacts = 0, friction = 0;
};

class ContactWorkMeter {
 public:
  /// Call this right before a step, with record_impulses() on.
  void before(const Simulation& simulation);
  /// Call this right after the step.
  void after(const Simulation& simulation);
  const ContactWork& sum() const { return sum_; }

 private:
  struct Motion {
    Vec3 velocity, angular_velocity;  // of the center of mass
  };
  struct Start {
    Motion motion;
    Quat orientation;  // of the principal axes
  };
  /// A contact point as it was at the start of the step.
  struct Point {
    Vec3 normal, arm_a, arm_b;  // the normal points from a to b; the arms begin at the centers of mass
    bool has_turning;           // rolling or spinning friction adds torques to its impulse
  };
  using PointKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

  void find_points(const Simulation& simulation);
  Motion mean_motion(const World& world, BodyId id) const;

  std::vector<Start> start_;          // by index of the body
  std::map<PointKey, Point> points_;  // by bodies, parts and key
  ContactWork sum_;
};

}  // namespace rigor
