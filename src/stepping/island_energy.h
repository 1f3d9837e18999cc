// No sub-step gains energy that nothing has put in: the last resort of the soft step, island by island.
//
// Contact and joint impulses of a sub-step cannot raise the kinetic energy T of an island (bodies that contacts and joints connect)
// as long as every row is solved exactly and nothing drives it. Sweeps that have not converged, impulses of the last step that no
// longer fit, and pushes that were not taken back can. With T* after the forces have acted and u the velocities at the end:
//
//   T(u) > T*   ⇒   u ← ū + k (u − ū),   k² = (T* − T(ū)) / (T(u) − T(ū))
//
// ū is the rigid motion with the momentum and angular momentum of u, or rest for an island that holds on to something fixed. The
// scaling keeps both momenta to rounding, and every joint that u keeps. Islands that motors, springs, belts or moving fixed bodies
// drive are left alone. What was done is counted.
#pragma once

#include <cstdint>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"
#include "state/step_bodies.h"

namespace rigor {

class IslandEnergy {
 public:
  /// Once a step: which bodies contacts with points and joints connect.
  void begin(const ConstraintList& list, const BodyState& state);
  /// T* of all islands, from the velocities and poses of the state, after forces have acted.
  void remember(const BodyState& state);
  /// Limits the velocities u at the poses of the state. Returns how many islands had gained more than a thousandth.
  int limit(const BodyState& state, StepBodies& bodies);
  /// The same after rebounds, which act at the end of the step: the largest T* of the step bounds them, with the work F·Δx that
  /// the forces of now have done since.
  int limit_rebounds(const BodyState& state, StepBodies& bodies);

 private:
  struct Island {
    double before = 0, after = 0;  // J
    double work = 0, most = 0;     // J: F·(x − x of the step's start) now, largest T* − work of the step
    bool is_begun = false;
    bool has_contacts = false;
    bool is_held = false;    // by something that is not part of it
    bool is_driven = false;  // something may put energy in
    bool gains = false;
  };
  /// The rigid motion of a free island: v = V + Ω × (x − center).
  struct RigidMotion {
    double mass = 0;
    Vec3 center, V, L, Omega;
    Mat3 inertia;
  };
  static double energy(const BodyState& s, std::uint32_t i, const Vec3& v, const Vec3& w);
  void connect(const ConstraintList& list, const BodyState& state);
  void describe(const ConstraintList& list, const BodyState& state);
  void find_rigid_motions(const BodyState& state, const StepBodies& bodies);
  int limit(const BodyState& state, StepBodies& bodies, double Island::*reference);
  void scale(const BodyState& state, StepBodies& bodies, double Island::*reference);
  double work(const BodyState& state, std::uint32_t i) const { return dot(state.force[i], state.position[i] - start_[i]); }

  std::vector<std::uint32_t> parent_;     // scratch
  std::vector<std::uint32_t> island_of_;  // by slot
  std::vector<Island> islands_;
  std::vector<RigidMotion> rigid_;  // by island
  std::vector<Vec3> start_;         // m, by slot: positions at the start of the step
};

}  // namespace rigor
