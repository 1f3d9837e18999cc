// The geometric stiffness of joints under tension (Tournier, Nesme, Gilles, Faure 2015; Andrews, Teichmann, Kövecses 2017).
//
// A linearised step takes the force F of a joint as constant, though it turns against the body that it pulls at. With the arm r from
// the center of mass to the joint, a small turn θ of the body changes its potential in second order by
//
//   ½ θᵀ K θ,   K = (F·r) I − ½ (F rᵀ + r Fᵀ)
//
// a spring that an explicit step cannot bear beyond h² K > 4 I_b: a link of 1 kg that carries a ton swings with hundreds of
// radians per second. Added to the body's inertia for this step,
//
//   (I_b + h² φ K) (ω⁺ − ω*) = impulses
//
// it slows such modes down to what the step resolves, at any stiffness, and takes no energy out of slow ones, as implicit Euler does.
// φ lets in only what the step could not bear without it. Of K only the part is taken that resists; the tension is that of the
// last step.
#pragma once

#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"
#include "state/step_bodies.h"

namespace rigor {

class GeometricStiffness {
 public:
  /// Computes the stiffness of the joints of a list at the forces of the last step, in a step of h seconds.
  void collect(const ConstraintList& list, const BodyState& state, double h);
  /// The largest h² ω² of a single body, summed over its modes about two axes: the trace of I_b⁻¹ h² K.
  double largest_ratio() const { return largest_ratio_; }
  /// True if there is a stiffness to add.
  bool is_needed() const { return !stiff_.empty(); }
  /// Makes the inverse inertias of stiff bodies (I_b + h² φ K)⁻¹; rows have to be prepared again. put_back() restores them.
  void add_to(StepBodies& bodies) const;
  void put_back(StepBodies& bodies) const;
  /// h² φ K by slot of `awake` bodies, kg m²; empty if nothing is stiff.
  std::vector<Mat3> added_inertia(std::uint32_t awake) const;

 private:
  void find_stiff(const BodyState& state, double h);

  struct Pull {
    std::uint32_t slot;
    Vec3 force;        // N, world
    Vec3 arm_in_body;  // m
  };
  struct Stiff {
    std::uint32_t slot;
    Mat3 inverse_inertia;  // 1/(kg m²), of the body
    Mat3 K;                // kg m², h² φ K
  };
  std::vector<Pull> pulls_;    // of joints under tension
  std::vector<double> ratio_;  // by slot, trace of I_b⁻¹ h² K
  std::vector<Mat3> K_;        // kg m², h² K by slot
  std::vector<Stiff> stiff_;
  double largest_ratio_ = 0;
};

}  // namespace rigor
