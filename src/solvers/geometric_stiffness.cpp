#include "solvers/geometric_stiffness.h"

#include <algorithm>

#include "constraints/row_math.h"

namespace rigor {

namespace {

/// h² K of an impulse P = h F at the arm r.
Mat3 second_order(const Vec3& P, const Vec3& r, double h) {
  const Mat3 product = outer(P, r);
  const double along = dot(P, r);
  return h * (Mat3::diagonal({along, along, along}) - 0.5 * (product + transpose(product)));
}

/// What takes away its negative eigenvalue ½ (P·r − |P||r|) for P·r > 0, which belongs to the bisector of P and r.
Mat3 without_negative(const Vec3& P, const Vec3& r, double h) {
  const Vec3 bisector = normalized(P / length(P) + r / length(r));
  return (0.5 * h * (length(P) * length(r) - dot(P, r))) * outer(bisector, bisector);
}

}  // namespace

void GeometricStiffness::collect(const Rows& rows, std::span<const int> blocks, std::span<const double> lambda,
                                 const StepBodies& bodies, const BodyState& state, const ConstraintList& list,
                                 double h) {
  pulls_.clear(), stiff_.clear();
  largest_ratio_ = 0;
  sum_.assign(static_cast<std::size_t>(bodies.awake), 0);
  const auto pull = [&](int place, const Vec3& impulse, const Vec3& arm) {
    const double along = dot(impulse, arm);
    if (place >= bodies.awake || !(along > 0)) return;
    pulls_.push_back({place, impulse, arm});
    sum_[static_cast<std::size_t>(place)] += h * along;
  };
  for (const int index : blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(index)];
    if (block.source != RowBlock::Source::joint) continue;
    Vec3 P;  // on b
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      P += lambda[i] * part(rows.J[i], 6);
    const StepJoint& joint = list.joints[block.index];
    pull(block.b, P, block.arm_b);
    pull(block.a, -P, state.position[joint.slot_b] + block.arm_b - state.position[joint.slot_a]);
  }
  bool any = false;  // most scenes are done here: traces of products are bounded by products of traces
  for (std::size_t i = 0; i < sum_.size(); ++i) any |= sum_[i] * trace(bodies.mass[i].angular) > 1;
  if (any) find_stiff(bodies, h);
}

void GeometricStiffness::find_stiff(const StepBodies& bodies, double h) {
  K_.assign(sum_.size(), {});
  for (const Pull& p : pulls_) {
    Mat3& K = K_[static_cast<std::size_t>(p.place)];
    K = K + second_order(p.impulse, p.arm, h);
  }
  for (std::size_t i = 0; i < K_.size(); ++i) {
    const double ratio = trace(bodies.mass[i].angular * K_[i]);
    largest_ratio_ = std::max(largest_ratio_, ratio);
    sum_[i] = ratio > 1 ? 1 - 1 / ratio : 0;  // φ from here on
  }
  for (const Pull& p : pulls_) {
    Mat3& K = K_[static_cast<std::size_t>(p.place)];
    if (sum_[static_cast<std::size_t>(p.place)] > 0) K = K + without_negative(p.impulse, p.arm, h);
  }
  for (std::size_t i = 0; i < K_.size(); ++i)
    if (sum_[i] > 0) stiff_.push_back({i, bodies.mass[i].angular, sum_[i] * K_[i]});
}

void GeometricStiffness::add_to(StepBodies& bodies) const {
  for (const Stiff& s : stiff_) {
    // (I_b + K)⁻¹ = (1 + I_b⁻¹ K)⁻¹ I_b⁻¹, symmetric but for rounding
    const Mat3 product = inverse(Mat3::diagonal({1, 1, 1}) + s.inverse_inertia * s.K) * s.inverse_inertia;
    bodies.mass[s.place].angular = 0.5 * (product + transpose(product));
  }
}

void GeometricStiffness::put_back(StepBodies& bodies) const {
  for (const Stiff& s : stiff_) bodies.mass[s.place].angular = s.inverse_inertia;
}

}  // namespace rigor
