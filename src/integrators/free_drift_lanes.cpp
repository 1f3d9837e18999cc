// The force-free motion of energy_momentum.cpp for many bodies at once: x₁ = x₀ + h v, and the exact turn of those with two
// equal moments. Others, and those that turn by more than half a radian in a step, are turned one by one.
//
// One kernel, instantiated for one body and for as many as a register holds; compiled for every instruction set and dispatched
// at run time (Highway). No fused multiply–add, hence the same bits for any width.
#include "integrators/free_drift_lanes.h"

#include "integrators/energy_momentum.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "integrators/free_drift_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "integrators/symmetric_turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D> HWY_INLINE Vec3Of<Num<D>> load_vectors(D d, const Vec3* p) {
  if constexpr (hn::MaxLanes(D()) == 1) return {number(d, p->x), number(d, p->y), number(d, p->z)};
  Vec3Of<Num<D>> r;
  hn::LoadInterleaved3(d, &p->x, r.x.v, r.y.v, r.z.v);
  return r;
}
template <class D> HWY_INLINE QuatOf<Num<D>> load_quaternions(D d, const Quat* p) {
  if constexpr (hn::MaxLanes(D()) == 1) return {number(d, p->w), number(d, p->x), number(d, p->y), number(d, p->z)};
  QuatOf<Num<D>> r;
  hn::LoadInterleaved4(d, &p->w, r.w.v, r.x.v, r.y.v, r.z.v);
  return r;
}
template <class D> HWY_INLINE void store_vectors(D d, const Vec3Of<Num<D>>& v, Vec3* p) {
  if constexpr (hn::MaxLanes(D()) == 1)
    *p = {hn::GetLane(v.x.v), hn::GetLane(v.y.v), hn::GetLane(v.z.v)};
  else
    hn::StoreInterleaved3(v.x.v, v.y.v, v.z.v, d, &p->x);
}
template <class D> HWY_INLINE void store_quaternions(D d, const QuatOf<Num<D>>& q, Quat* p) {
  if constexpr (hn::MaxLanes(D()) == 1)
    *p = {hn::GetLane(q.w.v), hn::GetLane(q.x.v), hn::GetLane(q.y.v), hn::GetLane(q.z.v)};
  else
    hn::StoreInterleaved4(q.w.v, q.x.v, q.y.v, q.z.v, d, &p->w);
}

/// Bodies from slot i on, as many as D has lanes.
template <class D> void drift_bodies(D d, BodyState& s, std::uint32_t i, double step) {
  using N = Num<D>;
  constexpr auto kWidth = static_cast<std::uint32_t>(hn::MaxLanes(D()));
  const N h = number(d, step);
  store_vectors(d, load_vectors(d, &s.position[i]) + h * load_vectors(d, &s.velocity[i]), &s.position[i]);
  QuatOf<N> q = load_quaternions(d, &s.orientation[i]);
  Vec3Of<N> w = load_vectors(d, &s.angular_velocity[i]);
  const auto done = turn_symmetric(d, h, load_vectors(d, &s.inertia[i]), load_vectors(d, &s.inverse_inertia[i]), q, w);
  if (!hn::AllTrue(d, done)) {
    double is_done[kWidth];
    hn::StoreU(hn::IfThenElseZero(done, hn::Set(d, 1.0)), d, is_done);
    for (std::uint32_t k = 0; k < kWidth; ++k)
      if (is_done[k] == 0) turn_free_body(s, i + k, step);
    const QuatOf<N> other_q = load_quaternions(d, &s.orientation[i]);
    const Vec3Of<N> other_w = load_vectors(d, &s.angular_velocity[i]);
    q = {choose(done, q.w, other_q.w), choose(done, q.x, other_q.x), choose(done, q.y, other_q.y),
         choose(done, q.z, other_q.z)};
    w = {choose(done, w.x, other_w.x), choose(done, w.y, other_w.y), choose(done, w.z, other_w.z)};
  }
  store_quaternions(d, q, &s.orientation[i]);
  store_vectors(d, w, &s.angular_velocity[i]);
}

void drift_one_by_one(BodyState& s, double h) {
  for (std::uint32_t i = 0; i < s.awake(); ++i) drift_bodies(hn::CappedTag<double, 1>(), s, i, h);
}

void drift_in_lanes(BodyState& s, std::uint32_t begin, std::uint32_t end, double h) {
  const hn::ScalableTag<double> d;
  const auto width = static_cast<std::uint32_t>(hn::Lanes(d));
  std::uint32_t i = begin;
  for (; i + width <= end; i += width) drift_bodies(d, s, i, h);
  for (; i < end; ++i) drift_bodies(hn::CappedTag<double, 1>(), s, i, h);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(drift_in_lanes);
HWY_EXPORT(drift_one_by_one);

void drift_lanes(BodyState& state, std::uint32_t begin, std::uint32_t end, double h) {
  HWY_DYNAMIC_DISPATCH(drift_in_lanes)(state, begin, end, h);
}
void drift_lanes_scalar(BodyState& state, double h) { HWY_DYNAMIC_DISPATCH(drift_one_by_one)(state, h); }

}  // namespace rigor
#endif
