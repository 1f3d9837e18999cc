// The fastest mode of bodies under tension within their joints.
//
// A joint that pulls at a body with the force F at the lever arm r acts on rotations about axes across r like a spring: F is constant in the
// world, r in the body, and the torque r × F has the eigenvalues F·r, F·r, 0 for small rotations. Summed over the joints of a body,
//
//   K = Σ (F·r) (1 − r̂ r̂ᵀ) for F·r > 0        K x = ω² M x   on velocities x that the joints allow
//
// The largest ω² is smaller than that of a body alone (geometric_stiffness.h), often many times: when a rod turns, the bodies that hang on it
// have to move as well. A few steps of Lanczos (1950) with the factorised system of the joints approach it from below; a safety
// factor covers the rest. One solution of the linear system per step.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "multibody/joint_problem.h"

namespace rigor {

class SwingRate {
 public:
  /// h² ω² of the fastest mode, with a safety factor. Beyond `enough` it only decides whether it
  /// is below. Empty if `joints` cannot solve for it; they have to be prepared for rows of the present poses.
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
