// How fast bodies under tension swing within their joints.
//
// A joint that pulls at a body with the force F at the arm r holds its turns about axes across r like springs: F is constant in the
// world, r is so in the body, and the torque r × F has the eigenvalues F·r, F·r, 0 for small turns. Summed up over the joints of a body,
//
//   K = Σ (F·r) (1 − r̂ r̂ᵀ) for F·r > 0        K x = ω² M x   on velocities x that the joints allow
//
// The largest ω² of all is less than that of a body alone (geometric_stiffness.h), often many times: where a rod turns, what hangs on it
// has to move along. A few steps of Lanczos (1950) with the factorised system of the joints find it from below; what they miss
// at most is added. One solution of the linear system per step.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "multibody/joint_problem.h"

namespace rigor {

class SwingRate {
 public:
  /// h² ω² of the fastest swing, with a margin for what is not found; beyond `enough` it is not looked at more closely than whether it
  /// is below. Nothing where `joints` cannot tell; they have to be prepared for rows of the present poses.
  std::optional<double> find(const ConstraintList& list, const BodyState& state, double h, double enough,
                             JointImpulses& joints);

 private:
  void collect(const ConstraintList& list, const BodyState& state, double h);
  void begin(const BodyState& state);
  void push(const std::vector<BodyVelocity>& x);
  double largest_eigenvalue() const;

  std::vector<Mat3> K_;                      // kg m², h² K by slot
  std::vector<double> ratio_;                // trace of I⁻¹ h² K by slot
  std::vector<BodyVelocity> f_, x_, y_, z_;  // by slot; forces, and three vectors of Lanczos
  std::vector<double> alpha_, beta_;         // the tridiagonal matrix
};

}  // namespace rigor
