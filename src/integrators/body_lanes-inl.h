// Loads and stores bodies: `One` handles one body as doubles, `Lanes` as many as a SIMD register holds. A kernel is a
// template over the two and does the same operations in the same order for both.
//
// Compiled once for every instruction set, hence the toggling include guard that Highway requires.
#if defined(RIGOR_BODY_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_BODY_LANES_INL_H
#undef RIGOR_BODY_LANES_INL_H
#else
#define RIGOR_BODY_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstdint>

#include "math/lane_vectors-inl.h"
#include "rigor/math.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// One body.
struct One {
  using Type = double;
  static constexpr std::uint32_t kWidth = 1;
  static double set(double v) { return v; }
  static Vec3Of<double> load(const Vec3* p) { return {p->x, p->y, p->z}; }
  static QuatOf<double> load(const Quat* p) { return {p->w, p->x, p->y, p->z}; }
  static double load(const double* p) { return *p; }
  static void store(Vec3* p, const Vec3Of<double>& v) { *p = {v.x, v.y, v.z}; }
  static void store(Quat* p, const QuatOf<double>& q) { *p = {q.w, q.x, q.y, q.z}; }
  static double divide(double a, double b) { return a / b; }
  static double sqrt(double a) { return std::sqrt(a); }
  static bool any_above(double a, double limit) { return a > limit; }
};

struct LaneValue {
  hn::Vec<hn::ScalableTag<double>> v;
};
HWY_INLINE LaneValue operator+(const LaneValue& a, const LaneValue& b) { return {hn::Add(a.v, b.v)}; }
HWY_INLINE LaneValue operator-(const LaneValue& a, const LaneValue& b) { return {hn::Sub(a.v, b.v)}; }
HWY_INLINE LaneValue operator*(const LaneValue& a, const LaneValue& b) { return {hn::Mul(a.v, b.v)}; }

/// As many bodies as a register holds.
struct Lanes {
  using D = hn::ScalableTag<double>;
  using Type = LaneValue;
  static Type set(double v) { return {hn::Set(D(), v)}; }
  static Vec3Of<Type> load(const Vec3* p) {
    Vec3Of<Type> r;
    hn::LoadInterleaved3(D(), &p->x, r.x.v, r.y.v, r.z.v);
    return r;
  }
  static QuatOf<Type> load(const Quat* p) {
    QuatOf<Type> r;
    hn::LoadInterleaved4(D(), &p->w, r.w.v, r.x.v, r.y.v, r.z.v);
    return r;
  }
  static Type load(const double* p) { return {hn::LoadU(D(), p)}; }
  static void store(Vec3* p, const Vec3Of<Type>& v) { hn::StoreInterleaved3(v.x.v, v.y.v, v.z.v, D(), &p->x); }
  static void store(Quat* p, const QuatOf<Type>& q) { hn::StoreInterleaved4(q.w.v, q.x.v, q.y.v, q.z.v, D(), &p->w); }
  static Type divide(const Type& a, const Type& b) { return {hn::Div(a.v, b.v)}; }
  static Type sqrt(const Type& a) { return {hn::Sqrt(a.v)}; }
  static bool any_above(const Type& a, double limit) { return !hn::AllFalse(D(), hn::Gt(a.v, hn::Set(D(), limit))); }
};

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
