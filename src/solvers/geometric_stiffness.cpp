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
  sum_.assign(state.awake(), 0);
  const auto pull = [&](std::uint32_t slot, const Vec3& force, const Vec3& arm) {
    const double along = dot(force, arm);
    if (slot >= state.awake() || !(along > 0)) return;
    pulls_.push_back({slot, force, arm});
    sum_[slot] += h * h * along;
  };
  for (const StepJoint& joint : list.joints) {
    const Vec3& F = joint.memory->force;  // on b
    if (F == Vec3{}) continue;
    const Vec3 arm = rotate(state.orientation[joint.slot_b], joint.frame_b.translation);
    pull(joint.slot_b, F, arm);
    pull(joint.slot_a, -F, state.position[joint.slot_b] + arm - state.position[joint.slot_a]);
  }
  // Most scenes are done here: the trace of a product is bounded by the product of the traces.
  bool any = false;
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    const Vec3& inverse = state.inverse_inertia[i];
    any |= 2 * sum_[i] * (inverse.x + inverse.y + inverse.z) > 1;
  }
  if (any) find_stiff(state, h);
}

void GeometricStiffness::find_stiff(const BodyState& state, double h) {
  K_.assign(sum_.size(), {});
  for (const Pull& p : pulls_) K_[p.slot] = K_[p.slot] + (h * h) * second_order(p.force, p.arm);
  for (std::uint32_t i = 0; i < K_.size(); ++i) {
    const double ratio = trace(inverse_inertia_world(state, i) * K_[i]);
    if (ratio > 1) largest_ratio_ = std::max(largest_ratio_, ratio);
    sum_[i] = ratio > 1 ? 1 - 1 / ratio : 0;
  }
  for (const Pull& p : pulls_)
    if (sum_[p.slot] > 0) K_[p.slot] = K_[p.slot] + (h * h) * without_negative(p.force, p.arm);
  for (std::uint32_t i = 0; i < K_.size(); ++i)
    if (sum_[i] > 0) stiff_.push_back({i, inverse_inertia_world(state, i), sum_[i] * K_[i]});
}

void GeometricStiffness::add_to(StepBodies& bodies) const {
  for (const Stiff& s : stiff_) {
    // (I_b + K)⁻¹ = (1 + I_b⁻¹ K)⁻¹ I_b⁻¹, symmetric but for rounding
    const Mat3 product = inverse(Mat3::diagonal({1, 1, 1}) + s.inverse_inertia * s.K) * s.inverse_inertia;
    bodies.mass[s.slot].angular = 0.5 * (product + transpose(product));
  }
}

void GeometricStiffness::put_back(StepBodies& bodies) const {
  for (const Stiff& s : stiff_) bodies.mass[s.slot].angular = s.inverse_inertia;
}

}  // namespace rigor
