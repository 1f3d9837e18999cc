// SIMD numbers with arithmetic operators, for kernels that are instantiated with different widths, and gathering and scattering
// the records of many bodies.
//
// Compiled once for every instruction set, hence the toggling include guard that Highway requires.
#if defined(RIGOR_LANE_NUMBERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_LANE_NUMBERS_INL_H
#undef RIGOR_LANE_NUMBERS_INL_H
#else
#define RIGOR_LANE_NUMBERS_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// One double or float per lane of D.
template <class D> struct Num { hn::Vec<D> v; };
/// As many floats as D has doubles.
template <class D> using Floats = hn::Rebind<float, D>;

template <class D> HWY_INLINE Num<D> operator+(const Num<D>& a, const Num<D>& b) { return {hn::Add(a.v, b.v)}; }
template <class D> HWY_INLINE Num<D> operator-(const Num<D>& a, const Num<D>& b) { return {hn::Sub(a.v, b.v)}; }
template <class D> HWY_INLINE Num<D> operator*(const Num<D>& a, const Num<D>& b) { return {hn::Mul(a.v, b.v)}; }
template <class D> HWY_INLINE Num<D> operator/(const Num<D>& a, const Num<D>& b) { return {hn::Div(a.v, b.v)}; }
template <class D> HWY_INLINE Num<D>& operator+=(Num<D>& a, const Num<D>& b) { return a = a + b; }
template <class D> HWY_INLINE Num<D>& operator-=(Num<D>& a, const Num<D>& b) { return a = a - b; }
template <class D> HWY_INLINE Num<D> sqrt(const Num<D>& a) { return {hn::Sqrt(a.v)}; }
template <class D> HWY_INLINE Num<D> max(const Num<D>& a, const Num<D>& b) { return {hn::Max(a.v, b.v)}; }
template <class D> HWY_INLINE Num<D> min(const Num<D>& a, const Num<D>& b) { return {hn::Min(a.v, b.v)}; }
template <class D> HWY_INLINE hn::Mask<D> above(const Num<D>& a, const Num<D>& b) { return hn::Gt(a.v, b.v); }
template <class D> HWY_INLINE Num<D> choose(hn::Mask<D> which, const Num<D>& yes, const Num<D>& no) {
  return {hn::IfThenElse(which, yes.v, no.v)};
}

template <class D> HWY_INLINE Num<D> number(D d, double x) { return {hn::Set(d, static_cast<hn::TFromD<D>>(x))}; }
/// Loads numbers of either precision and converts them to that of the lanes.
template <class D, class T> HWY_INLINE Num<D> load(D d, const T* p) {
  if constexpr (std::is_same_v<T, hn::TFromD<D>>)
    return {hn::LoadU(d, p)};
  else
    return {hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), p))};
}
template <class D, class T> HWY_INLINE void store(D d, const Num<D>& x, T* p) {
  const hn::Rebind<T, D> to;
  if constexpr (std::is_same_v<T, hn::TFromD<D>>)
    hn::StoreU(x.v, d, p);
  else if constexpr (sizeof(T) < sizeof(hn::TFromD<D>))
    hn::StoreU(hn::DemoteTo(to, x.v), to, p);
  else
    hn::StoreU(hn::PromoteTo(to, x.v), to, p);
}

/// Converts doubles to floats, and back.
template <class D> HWY_INLINE Num<Floats<D>> narrowed(D, const Num<D>& x) { return {hn::DemoteTo(Floats<D>(), x.v)}; }
template <class D> HWY_INLINE Num<D> widened(D d, const Num<Floats<D>>& x) { return {hn::PromoteTo(d, x.v)}; }

/// Gathers two neighbouring doubles of one record per lane: the first ones into x, the second ones into y. record[i]
/// points to those of lane i.
template <class D, class Records> HWY_INLINE void load_pairs(D d, const Records& record, int at, Num<D>& x, Num<D>& y) {
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  if constexpr (kWidth == 1) {
    x = number(d, record[0][at]), y = number(d, record[0][at + 1]);
  } else {
#if HWY_TARGET != HWY_SCALAR
    hn::Vec<D> even, odd;
    if constexpr (kWidth == 2) {
      even = hn::LoadU(d, record[0] + at), odd = hn::LoadU(d, record[1] + at);
    } else {
      const hn::Half<D> d_half;
      if constexpr (kWidth == 4) {
        even = hn::Combine(d, hn::LoadU(d_half, record[2] + at), hn::LoadU(d_half, record[0] + at));
        odd = hn::Combine(d, hn::LoadU(d_half, record[3] + at), hn::LoadU(d_half, record[1] + at));
      } else {
        static_assert(kWidth == 8);
        const hn::Half<decltype(d_half)> d2;
        even = hn::Combine(d, hn::Combine(d_half, hn::LoadU(d2, record[6] + at), hn::LoadU(d2, record[4] + at)),
                           hn::Combine(d_half, hn::LoadU(d2, record[2] + at), hn::LoadU(d2, record[0] + at)));
        odd = hn::Combine(d, hn::Combine(d_half, hn::LoadU(d2, record[7] + at), hn::LoadU(d2, record[5] + at)),
                          hn::Combine(d_half, hn::LoadU(d2, record[3] + at), hn::LoadU(d2, record[1] + at)));
      }
    }
    x = {hn::InterleaveLower(d, even, odd)};
    y = {hn::InterleaveUpper(d, even, odd)};
#endif
  }
}

/// Scatters them back.
template <class D, class Records>
HWY_INLINE void store_pairs(D d, const Num<D>& x, const Num<D>& y, const Records& record, int at) {
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  if constexpr (kWidth == 1) {
    store(d, x, record[0] + at), store(d, y, record[0] + at + 1);
  } else {
#if HWY_TARGET != HWY_SCALAR
    const hn::Vec<D> even = hn::InterleaveLower(d, x.v, y.v), odd = hn::InterleaveUpper(d, x.v, y.v);
    if constexpr (kWidth == 2) {
      hn::StoreU(even, d, record[0] + at), hn::StoreU(odd, d, record[1] + at);
    } else {
      const hn::Half<D> d_half;
      const auto even_low = hn::LowerHalf(d_half, even), even_high = hn::UpperHalf(d_half, even);
      const auto odd_low = hn::LowerHalf(d_half, odd), odd_high = hn::UpperHalf(d_half, odd);
      if constexpr (kWidth == 4) {
        hn::StoreU(even_low, d_half, record[0] + at), hn::StoreU(even_high, d_half, record[2] + at);
        hn::StoreU(odd_low, d_half, record[1] + at), hn::StoreU(odd_high, d_half, record[3] + at);
      } else {
        static_assert(kWidth == 8);
        const hn::Half<decltype(d_half)> d2;
        hn::StoreU(hn::LowerHalf(d2, even_low), d2, record[0] + at);
        hn::StoreU(hn::UpperHalf(d2, even_low), d2, record[2] + at);
        hn::StoreU(hn::LowerHalf(d2, even_high), d2, record[4] + at);
        hn::StoreU(hn::UpperHalf(d2, even_high), d2, record[6] + at);
        hn::StoreU(hn::LowerHalf(d2, odd_low), d2, record[1] + at);
        hn::StoreU(hn::UpperHalf(d2, odd_low), d2, record[3] + at);
        hn::StoreU(hn::LowerHalf(d2, odd_high), d2, record[5] + at);
        hn::StoreU(hn::UpperHalf(d2, odd_high), d2, record[7] + at);
      }
    }
#endif
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
