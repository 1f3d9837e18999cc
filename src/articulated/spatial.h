// Velocities, forces and inertias of rigid bodies as six-vectors and 6×6 matrices (Featherstone 2008, chapter 2), each at the center of mass
// of its body and along the axes of the world: the same numbers that rows and the arrays of the bodies hold.
//
//   v_c = X v_p,  X = [1 −[r]; 0 1]     the velocity of a body that is rigidly connected to another one at the offset −r
//   f_p = Xᵀ f_c                        the equivalent force there
#pragma once

#include "rigor/math.h"

namespace rigor::articulated {

struct Twist {
  Vec3 v, w;  // m/s of the center of mass, rad/s; or accelerations, or displacements

  Twist& operator+=(const Twist& b) { return v += b.v, w += b.w, *this; }
};
struct Wrench {
  Vec3 f, t;  // N, N m about the center of mass; or impulses

  Wrench& operator+=(const Wrench& b) { return f += b.f, t += b.t, *this; }
};

inline Twist operator+(const Twist& a, const Twist& b) { return {a.v + b.v, a.w + b.w}; }
inline Twist operator-(const Twist& a, const Twist& b) { return {a.v - b.v, a.w - b.w}; }
inline Twist operator*(double s, const Twist& a) { return {s * a.v, s * a.w}; }
inline Wrench operator+(const Wrench& a, const Wrench& b) { return {a.f + b.f, a.t + b.t}; }
inline Wrench operator*(double s, const Wrench& a) { return {s * a.f, s * a.t}; }
inline double dot(const Twist& a, const Wrench& b) { return rigor::dot(a.v, b.f) + rigor::dot(a.w, b.t); }

/// X a.
inline Twist carried(const Twist& a, const Vec3& r) { return {a.v + cross(a.w, r), a.w}; }
/// Xᵀ f.
inline Wrench passed_on(const Wrench& f, const Vec3& r) { return {f.f, f.t + cross(r, f.f)}; }

/// Symmetric: [vv vw; vwᵀ ww].
struct SpatialInertia {
  Mat3 vv, vw, ww;

  SpatialInertia& operator+=(const SpatialInertia& b) { return vv = vv + b.vv, vw = vw + b.vw, ww = ww + b.ww, *this; }
};

inline Wrench operator*(const SpatialInertia& I, const Twist& a) {
  return {I.vv * a.v + I.vw * a.w, transpose(I.vw) * a.v + I.ww * a.w};
}

/// I − y yᵀ.
inline void subtract_square(SpatialInertia& I, const Wrench& y) {
  I.vv = I.vv - outer(y.f, y.f), I.vw = I.vw - outer(y.f, y.t), I.ww = I.ww - outer(y.t, y.t);
}

/// Xᵀ I X.
inline SpatialInertia passed_on(const SpatialInertia& I, const Vec3& r) {
  // With R = skew(r): row i of M R is row i of M × r, and column j of R M is r × column j of M.
  const Mat3 vw = I.vw - Mat3{{cross(I.vv.row[0], r), cross(I.vv.row[1], r), cross(I.vv.row[2], r)}};
  const Mat3 vwT_R{{cross(I.vw.column(0), r), cross(I.vw.column(1), r), cross(I.vw.column(2), r)}};
  const Mat3 R_vw = transpose(Mat3{{cross(r, vw.column(0)), cross(r, vw.column(1)), cross(r, vw.column(2))}});
  return {I.vv, vw, I.ww - vwT_R + R_vw};
}

}  // namespace rigor::articulated
