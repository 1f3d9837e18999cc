// Manifolds of one point and without rolling or spinning friction, as round bodies have them: the point is the center, so that
// nothing about spins has to be known. The same formulae as in contact_points-inl.h with u = v = 0, hence
//
//   λ ← max(λ + m (wanted − Vₙ), 0),   (p, q) ← Π((p, q) − τ (V₁ + W₁ₙ Δλ, V₂ + W₂ₙ Δλ)),   τ ≤ 1 / λ_max(W₁₁ … W₂₂)
//
// Compiled once for every instruction set, hence the toggling guard.
#if defined(RIGOR_CONTACT_SINGLE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_CONTACT_SINGLE_INL_H
#undef RIGOR_CONTACT_SINGLE_INL_H
#else
#define RIGOR_CONTACT_SINGLE_INL_H
#endif

#include "soft_step/contact_masses-inl.h"
#include "soft_step/contact_points-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// Masses belong to the arms and inertias of now.
template <class F>
HWY_INLINE void refresh_stale(F f, LaneBlock& block, LanePoint* points, int lane, const LaneBodies& bodies) {
  if (HWY_LIKELY(hn::AllFalse(f, above(load(f, block.stale + lane), number(f, kStale))))) return;
  for (int k = 0; k < kParts<F>; ++k) {
    const DoublesOf<F> d;
    const int at = lane + k * static_cast<int>(kPartLanes<F>);
    refresh_masses(d, above(load(d, block.stale + at), number(d, kStale)), block, points, at, bodies);
  }
}

/// Step 2 of contact_points-inl.h for a single point; x is (V₁, V₂) minus the target.
template <class F>
HWY_INLINE void solve_single_friction(F f, const LaneBlock& block, int lane, const Num<F>& x_1, const Num<F>& x_2,
                                      const Num<F>& normal, Num<F>& along, Num<F>& across) {
  const Num<F> zero = number(f, 0), one = number(f, 1), limit = load(f, block.friction + lane) * normal;
  const Num<F> p = along + load(f, block.friction_mass[0] + lane) * (zero - x_1);
  const Num<F> q = across + load(f, block.friction_mass[1] + lane) * (zero - x_2);
  const Num<F> q_scaled = q * load(f, block.inverse_across + lane), squared = p * p + q_scaled * q_scaled;
  const hn::Mask<F> too_much = above(squared, limit * limit);
  const Num<F> part = choose(too_much, limit / sqrt(choose(too_much, squared, one)), one);
  along = part * p, across = part * q;
}

template <LaneVisit kVisit, class F>
HWY_INLINE void visit_single(F f, LaneBlock& block, LanePoint& data, int lane, const LaneBodies& bodies,
                             const LaneStep& step) {
  constexpr bool kCorrect = kVisit == LaneVisit::correct;
  const Num<F> zero = number(f, 0), old = load(f, data.impulse[0] + lane);
  Manifold<F> m;
  if constexpr (kVisit == LaneVisit::follow) {
    store(f, load(f, data.gap + lane) + m.place(f, block, lane, bodies).x, data.gap + lane);
    refresh_stale(f, block, &data, lane, bodies);
  }
  m.read_velocity(f, block, lane, bodies);
  const Num<F> gap = load(f, data.gap + lane);
  const hn::Mask<F> apart = above(gap, zero);
  const Num<F> approach = (zero - gap) * number(f, step.inverse_step);
  Num<F> wanted;
  if constexpr (kCorrect)
    wanted = choose(apart, approach, min((zero - gap) * number(f, step.rate), number(f, step.max_push)));
  else
    wanted = choose(apart, approach, zero);
  const Num<F> missing = wanted - dot(m.n, m.V);
  hn::Mask<F> quiet = hn::Le(max(old, missing).v, zero.v);
  if (HWY_UNLIKELY(block.active != kAllLanes)) quiet = hn::Or(quiet, hn::Not(active_lanes(f, block, lane)));
  if (hn::AllTrue(f, quiet)) return;

  m.read_masses(block, lane, bodies);
  Num<F> change = load(f, data.mass + lane) * missing;
  if constexpr (kCorrect) {
    const Num<F> yield = min(number(f, step.impulse) * old, number(f, step.yield()) * load(f, data.mass + lane));
    const Num<F> soft = number(f, step.mass) * change - yield;
    change = choose(apart, change, soft);
  }
  const Num<F> normal = choose(quiet, old, max(old + change, zero)), delta = normal - old;
  const Num<F> old_1 = load(f, data.impulse[1] + lane), old_2 = load(f, data.impulse[2] + lane);
  Num<F> along = old_1, across = old_2;
  const LaneVec<F> slip = wanted_slip<kCorrect>(f, block, lane);
  solve_single_friction(f, block, lane, dot(m.t, m.V) - slip.x + load(f, block.lift[0] + lane) * delta,
                        dot(m.s, m.V) - slip.y + load(f, block.lift[1] + lane) * delta, normal, along, across);
  const hn::Mask<F> changed = hn::Not(quiet);
  if (block.has_impacts) hn::BlendedStore(max(load(f, data.peak + lane), normal).v, changed, f, data.peak + lane);
  hn::BlendedStore(normal.v, changed, f, data.impulse[0] + lane);
  hn::BlendedStore(along.v, changed, f, data.impulse[1] + lane);
  hn::BlendedStore(across.v, changed, f, data.impulse[2] + lane);
  m.push(f, delta * m.n + (along - old_1) * m.t + (across - old_2) * m.s);
  m.write(block, lane, bits_of(f, changed), bodies);
}

template <class F>
HWY_INLINE void warm_start_single(F f, LaneBlock& block, const LanePoint& data, int lane, const LaneBodies& bodies,
                                  bool sum) {
  const Num<F> normal = load(f, data.impulse[0] + lane);
  const hn::Mask<F> pushing = above(normal, number(f, 0));
  if (hn::AllFalse(f, pushing)) return;
  if (sum) store(f, load(f, block.pushed + lane) + normal, block.pushed + lane);
  Manifold<F> m;
  m.read_velocity(f, block, lane, bodies);
  m.read_masses(block, lane, bodies);
  m.push(f, normal * m.n + load(f, data.impulse[1] + lane) * m.t + load(f, data.impulse[2] + lane) * m.s);
  m.write(block, lane, bits_of(f, pushing), bodies);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
