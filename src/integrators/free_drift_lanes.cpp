// The force-free motion of energy_momentum.cpp for many bodies at once: x₁ = x₀ + h v, and the exact rotation of those with two
// equal moments. Bodies with three different moments are turned afterwards, also in lanes, and bodies that turn by
// too much in a step one by one.
//
// One kernel, instantiated for one body and for as many as a register holds; compiled for every instruction set and dispatched
// at run time (Highway). No fused multiply–add, hence the same bits for any width.
#include "integrators/free_drift_lanes.h"

#include <algorithm>
#include <vector>

#include "integrators/energy_momentum.h"

#ifndef RIGOR_DRIFT_ARRAYS
#define RIGOR_DRIFT_ARRAYS
namespace rigor {
namespace {

/// Pointers to the bodies of consecutive lanes.
struct DriftArrays {
  Vec3* x;
  const Vec3* v;
  Quat* q;
  Vec3* w;
  const Vec3 *inertia, *inverse_inertia;
};

/// Slots of bodies that are not done; scratch.
std::vector<std::uint32_t>& undone() {
  thread_local std::vector<std::uint32_t> slots;
  return slots;
}

}  // namespace
}  // namespace rigor
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "integrators/free_drift_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "integrators/asymmetric_turn-inl.h"
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

/// Moves as many consecutive bodies as D has lanes, from p on. Returns one bit for each that has been turned.
template <class D> HWY_INLINE hn::Mask<D> drift_symmetric(D d, const DriftArrays& p, const Num<D>& h) {
  using N = Num<D>;
  store_vectors(d, load_vectors(d, p.x) + h * load_vectors(d, p.v), p.x);
  const QuatOf<N> old_q = load_quaternions(d, p.q);
  const Vec3Of<N> old_w = load_vectors(d, p.w);
  QuatOf<N> q = old_q;
  Vec3Of<N> w = old_w;
  const auto done = turn_symmetric(d, h, load_vectors(d, p.inertia), load_vectors(d, p.inverse_inertia), q, w);
  q = {choose(done, q.w, old_q.w), choose(done, q.x, old_q.x), choose(done, q.y, old_q.y), choose(done, q.z, old_q.z)};
  store_quaternions(d, q, p.q);
  store_vectors(d, choose3(done, w, old_w), p.w);
  return done;
}

/// Moves as many bodies as D has lanes, at any slots; missing slots repeat the last one.
template <class D> class GatheredBodies {
 public:
  static constexpr std::size_t kWidth = hn::MaxLanes(D());

  HWY_INLINE GatheredBodies(const BodyState& s, std::span<const std::uint32_t> slots) : slots_(slots) {
    for (std::size_t k = 0; k < kWidth; ++k) {
      const std::uint32_t i = slots[k < slots.size() ? k : slots.size() - 1];
      x_[k] = s.position[i], v_[k] = s.velocity[i], q_[k] = s.orientation[i], w_[k] = s.angular_velocity[i];
      inertia_[k] = s.inertia[i], inverse_inertia_[k] = s.inverse_inertia[i];
    }
  }
  DriftArrays arrays() { return {x_, v_, q_, w_, inertia_, inverse_inertia_}; }
  HWY_INLINE void put(BodyState& s) const {
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      const std::uint32_t i = slots_[k];
      s.position[i] = x_[k], s.orientation[i] = q_[k], s.angular_velocity[i] = w_[k];
    }
  }

 private:
  std::span<const std::uint32_t> slots_;
  Vec3 x_[kWidth], v_[kWidth], w_[kWidth], inertia_[kWidth], inverse_inertia_[kWidth];
  Quat q_[kWidth];
};

/// Appends the lanes that are not done.
template <class D, class Slot> HWY_INLINE void add_undone(D d, hn::Mask<D> done, std::size_t count, Slot slot) {
  if (hn::AllTrue(d, done)) return;
  double is_done[hn::MaxLanes(D())];
  hn::StoreU(hn::IfThenElseZero(done, hn::Set(d, 1.0)), d, is_done);
  for (std::size_t k = 0; k < count; ++k)
    if (is_done[k] == 0) undone().push_back(slot(k));
}

/// Turns the bodies that are not done: their positions have moved, their orientations have not.
template <class D> void turn_undone(D d, BodyState& s, double step) {
  const std::size_t width = hn::MaxLanes(D());
  const std::span<const std::uint32_t> all = undone();
  for (std::size_t begin = 0; begin < all.size(); begin += width) {
    const auto slots = all.subspan(begin, std::min(width, all.size() - begin));
    GatheredBodies<D> bodies(s, slots);
    const DriftArrays p = bodies.arrays();
    QuatOf<Num<D>> q = load_quaternions(d, p.q);
    Vec3Of<Num<D>> w = load_vectors(d, p.w);
    const auto done =
        turn_asymmetric(d, number(d, step), load_vectors(d, p.inertia), load_vectors(d, p.inverse_inertia), q, w);
    double is_done[hn::MaxLanes(D())];
    hn::StoreU(hn::IfThenElseZero(done, hn::Set(d, 1.0)), d, is_done);
    store_quaternions(d, q, p.q), store_vectors(d, w, p.w);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      if (is_done[k] != 0)
        s.orientation[slots[k]] = p.q[k], s.angular_velocity[slots[k]] = p.w[k];
      else
        turn_free_body(s, slots[k], step);
    }
  }
}

DriftArrays arrays_at(BodyState& s, std::uint32_t i) {
  return {&s.position[i],         &s.velocity[i], &s.orientation[i],
          &s.angular_velocity[i], &s.inertia[i],  &s.inverse_inertia[i]};
}

template <class D> void drift_bodies(D d, BodyState& s, std::uint32_t i, double h) {
  add_undone(d, drift_symmetric(d, arrays_at(s, i), number(d, h)), hn::MaxLanes(D()),
             [i](std::size_t k) { return i + static_cast<std::uint32_t>(k); });
}

using One = hn::CappedTag<double, 1>;

void drift_one_by_one(BodyState& s, double h) {
  undone().clear();
  for (std::uint32_t i = 0; i < s.awake(); ++i) drift_bodies(One(), s, i, h);
  turn_undone(One(), s, h);
}

void drift_in_lanes(BodyState& s, std::uint32_t begin, std::uint32_t end, double h) {
  const hn::ScalableTag<double> d;
  const auto width = static_cast<std::uint32_t>(hn::Lanes(d));
  undone().clear();
  std::uint32_t i = begin;
  for (; i + width <= end; i += width) drift_bodies(d, s, i, h);
  for (; i < end; ++i) drift_bodies(One(), s, i, h);
  turn_undone(d, s, h);
}

void drift_some_in_lanes(BodyState& s, std::span<const std::uint32_t> all, double h) {
  const hn::ScalableTag<double> d;
  const std::size_t width = hn::Lanes(d);
  undone().clear();
  for (std::size_t begin = 0; begin < all.size(); begin += width) {
    const auto slots = all.subspan(begin, std::min(width, all.size() - begin));
    GatheredBodies<hn::ScalableTag<double>> bodies(s, slots);
    const auto done = drift_symmetric(d, bodies.arrays(), number(d, h));
    bodies.put(s);
    add_undone(d, done, slots.size(), [slots](std::size_t k) { return slots[k]; });
  }
  turn_undone(d, s, h);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(drift_in_lanes);
HWY_EXPORT(drift_one_by_one);
HWY_EXPORT(drift_some_in_lanes);

void drift_lanes(BodyState& state, std::uint32_t begin, std::uint32_t end, double h) {
  HWY_DYNAMIC_DISPATCH(drift_in_lanes)(state, begin, end, h);
}
void drift_lanes(BodyState& state, std::span<const std::uint32_t> slots, double h) {
  HWY_DYNAMIC_DISPATCH(drift_some_in_lanes)(state, slots, h);
}
void drift_lanes_scalar(BodyState& state, double h) { HWY_DYNAMIC_DISPATCH(drift_one_by_one)(state, h); }

}  // namespace rigor
#endif
