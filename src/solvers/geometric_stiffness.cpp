#include "solvers/geometric_stiffness.h"

#include <algorithm>

namespace rigor {

namespace {

Mat3 second_order(const Vec3& F, const Vec3& r) {
  const Mat3 product = outer(F, r);
  const double along = dot(F, r);
  return Mat3::diagonal({along, along, along}) - 0.5 * (product + transpose(product));
}

/// What takes away the negative eigenvalue of K, ½ (F·r − |F||r|) for F·r > 0, which belongs to the bisector of F and r.
Mat3 without_negative(const Vec3& F, const Vec3& r) {
  const Vec3 bisector = normalized(F / length(F) + r / length(r));
  return (0.5 * (length(F) * length(r) - dot(F, r))) * outer(bisector, bisector);
}

}  // namespace

void GeometricStiffness::collect(const ConstraintList& list, const BodyState& state, double h) {
  pulls_.clear(), stiff_.clear();
  largest_ratio_ = 0;
  ratio_.assign(state.awake(), 0);
  const auto pull = [&](std::uint32_t slot, const Vec3& force, const Vec3& arm_in_body) {
    if (slot >= state.awake()) return;
    const Vec3 f = rotate_inverse(state.orientation[slot], force), &inverse = state.inverse_inertia[slot];
    const double along = dot(f, arm_in_body);
    if (!(along > 0)) return;
    pulls_.push_back({slot, force, arm_in_body});
    // The trace of I_b⁻¹ h² K.
    ratio_[slot] += h * h * (along * (inverse.x + inverse.y + inverse.z) - dot(f, scale(inverse, arm_in_body)));
  };
  for (const StepJoint& joint : list.joints) {
    const Vec3& F = joint.memory->force;  // on b
    if (F == Vec3{}) continue;
    pull(joint.slot_b, F, joint.frame_b.translation);
    pull(joint.slot_a, -F, joint.frame_a.translation);
  }
  for (const double ratio : ratio_) largest_ratio_ = std::max(largest_ratio_, ratio);
  if (largest_ratio_ > 1) find_stiff(state, h);
}

void GeometricStiffness::find_stiff(const BodyState& state, double h) {
  K_.assign(ratio_.size(), {});
  for (const Pull& p : pulls_) {
    if (!(ratio_[p.slot] > 1)) continue;
    const Vec3 arm = rotate(state.orientation[p.slot], p.arm_in_body);
    K_[p.slot] = K_[p.slot] + (h * h) * (second_order(p.force, arm) + without_negative(p.force, arm));
  }
  for (std::uint32_t i = 0; i < K_.size(); ++i)
    if (ratio_[i] > 1) stiff_.push_back({i, inverse_inertia_world(state, i), (1 - 1 / ratio_[i]) * K_[i]});
}

void GeometricStiffness::add_to(StepBodies& bodies) const {
  for (const Stiff& s : stiff_) {
    // (I_b + K)⁻¹ = (1 + I_b⁻¹ K)⁻¹ I_b⁻¹, symmetric but for rounding
    const Mat3 product = inverse(Mat3::diagonal({1, 1, 1}) + s.inverse_inertia * s.K) * s.inverse_inertia;
    bodies.mass[s.slot].angular = 0.5 * (product + transpose(product));
  }
}

std::vector<Mat3> GeometricStiffness::added_inertia(std::uint32_t awake) const {
  std::vector<Mat3> added(stiff_.empty() ? 0 : awake);
  for (const Stiff& s : stiff_) added[s.slot] = s.K;
  return added;
}

void GeometricStiffness::put_back(StepBodies& bodies) const {
  for (const Stiff& s : stiff_) bodies.mass[s.slot].angular = s.inverse_inertia;
}

}  // namespace rigor
