// Vectors and quaternions over any arithmetic type: `double` for one body, a SIMD vector for one body per lane.
//
// Both instantiations do the same operations in the same order, so that a result does not depend on the lane width.
//
// Compiled once for every instruction set, hence the toggling include guard that Highway requires.
#if defined(RIGOR_LANE_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_LANE_VECTORS_INL_H
#undef RIGOR_LANE_VECTORS_INL_H
#else
#define RIGOR_LANE_VECTORS_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

template <class T> struct Vec3Of { T x, y, z; };
template <class T> struct QuatOf { T w, x, y, z; };

template <class T> inline Vec3Of<T> operator+(const Vec3Of<T>& a, const Vec3Of<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T> inline Vec3Of<T> operator-(const Vec3Of<T>& a, const Vec3Of<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T> inline Vec3Of<T> operator*(const T& s, const Vec3Of<T>& a) { return {s * a.x, s * a.y, s * a.z}; }
template <class T> inline Vec3Of<T> scale(const Vec3Of<T>& a, const Vec3Of<T>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class T> inline T dot(const Vec3Of<T>& a, const Vec3Of<T>& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T> inline Vec3Of<T> cross(const Vec3Of<T>& a, const Vec3Of<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class T> inline T dot(const QuatOf<T>& a, const QuatOf<T>& b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T> inline QuatOf<T> operator*(const T& s, const QuatOf<T>& q) {
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}
template <class T> inline QuatOf<T> operator*(const QuatOf<T>& a, const QuatOf<T>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
template <class T> inline Vec3Of<T> rotate(const QuatOf<T>& q, const Vec3Of<T>& v) {
  const Vec3Of<T> u{q.x, q.y, q.z}, half = cross(u, v), t = half + half;
  return v + q.w * t + cross(u, t);
}
template <class T> inline Vec3Of<T> rotate_inverse(const QuatOf<T>& q, const Vec3Of<T>& v) {
  const Vec3Of<T> u{q.x, q.y, q.z}, half = cross(v, u), t = half + half;
  return v + q.w * t + cross(t, u);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
