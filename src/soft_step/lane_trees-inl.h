// What the kernels of tree_lanes.h share: 3 × 3 matrices over any arithmetic type, and lanes of blocks to and from registers.
//
// Compiled once for every instruction set, hence the toggling guard (Highway's way for such headers).
#if defined(RIGOR_LANE_TREES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_LANE_TREES_INL_H
#undef RIGOR_LANE_TREES_INL_H
#else
#define RIGOR_LANE_TREES_INL_H
#endif

#include <hwy/highway.h>

#include "integrators/rotation.h"
#include "integrators/small_rotation-inl.h"
#include "math/lane_numbers-inl.h"
#include "math/lane_vectors-inl.h"
#include "soft_step/joint_trees.h"
#include "state/step_bodies.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T> struct Sym3Of { T xx, xy, xz, yy, yz, zz; };
template <class T> struct Mat3Of { Vec3Of<T> x, y, z; };  // rows

template <class T> HWY_INLINE Vec3Of<T> operator*(const Sym3Of<T>& m, const Vec3Of<T>& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
template <class T> HWY_INLINE Vec3Of<T> operator*(const Mat3Of<T>& m, const Vec3Of<T>& v) {
  return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
template <class T> HWY_INLINE Vec3Of<T> transposed_times(const Mat3Of<T>& m, const Vec3Of<T>& v) {
  return v.x * m.x + v.y * m.y + v.z * m.z;
}
template <class T> HWY_INLINE Sym3Of<T> operator+(const Sym3Of<T>& a, const Sym3Of<T>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
template <class T> HWY_INLINE Sym3Of<T> operator-(const Sym3Of<T>& a, const Sym3Of<T>& b) {
  return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
}
template <class T> HWY_INLINE Sym3Of<T> operator*(const T& s, const Sym3Of<T>& a) {
  return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
}
template <class T> HWY_INLINE Mat3Of<T> operator+(const Mat3Of<T>& a, const Mat3Of<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T> HWY_INLINE Mat3Of<T> operator-(const Mat3Of<T>& a, const Mat3Of<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T> HWY_INLINE Mat3Of<T> operator*(const T& s, const Mat3Of<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}

/// By Cramer's rule; the matrix has to be regular.
template <class T> HWY_INLINE Sym3Of<T> inverse(const Sym3Of<T>& m, const T& one) {
  const T cx = m.yy * m.zz - m.yz * m.yz, cy = m.xz * m.yz - m.xy * m.zz, cz = m.xy * m.yz - m.xz * m.yy;
  const T s = one / (m.xx * cx + m.xy * cy + m.xz * cz);
  return s * Sym3Of<T>{cx, cy, cz, m.xx * m.zz - m.xz * m.xz, m.xy * m.xz - m.xx * m.yz, m.xx * m.yy - m.xy * m.xy};
}

/// K [e]: rows k × e.
template <class T> HWY_INLINE Mat3Of<T> times_skew(const Sym3Of<T>& K, const Vec3Of<T>& e) {
  return {cross(Vec3Of<T>{K.xx, K.xy, K.xz}, e), cross(Vec3Of<T>{K.xy, K.yy, K.yz}, e),
          cross(Vec3Of<T>{K.xz, K.yz, K.zz}, e)};
}
template <class T> HWY_INLINE Mat3Of<T> times(const Mat3Of<T>& B, const Sym3Of<T>& S) {
  return {S * B.x, S * B.y, S * B.z};
}
/// A − G Bᵀ, symmetric.
template <class T> HWY_INLINE Sym3Of<T> reduced(const Sym3Of<T>& A, const Mat3Of<T>& G, const Mat3Of<T>& B) {
  return {A.xx - dot(G.x, B.x), A.xy - dot(G.x, B.y), A.xz - dot(G.x, B.z),
          A.yy - dot(G.y, B.y), A.yz - dot(G.y, B.z), A.zz - dot(G.z, B.z)};
}
/// [e] N, by rows.
template <class T> HWY_INLINE Mat3Of<T> skew_times(const Vec3Of<T>& e, const Mat3Of<T>& N) {
  return {e.y * N.z - e.z * N.y, e.z * N.x - e.x * N.z, e.x * N.y - e.y * N.x};
}
template <class T> HWY_INLINE Sym3Of<T> upper(const Mat3Of<T>& m) { return {m.x.x, m.x.y, m.x.z, m.y.y, m.y.z, m.z.z}; }
/// M + Mᵀ.
template <class T> HWY_INLINE Sym3Of<T> with_transposed(const Mat3Of<T>& m) {
  return {m.x.x + m.x.x, m.x.y + m.y.x, m.x.z + m.z.x, m.y.y + m.y.y, m.y.z + m.z.y, m.z.z + m.z.z};
}
/// s u uᵀ
template <class T> HWY_INLINE Sym3Of<T> square(const Vec3Of<T>& u, const T& s) {
  const Vec3Of<T> t = s * u;
  return {t.x * u.x, t.x * u.y, t.x * u.z, t.y * u.y, t.y * u.z, t.z * u.z};
}
template <class T> HWY_INLINE Mat3Of<T> outer(const Vec3Of<T>& a, const Vec3Of<T>& b) {
  return {a.x * b, a.y * b, a.z * b};
}
/// s (|r|² 1 − r rᵀ): the inertia of a point mass s at r.
template <class T> HWY_INLINE Sym3Of<T> point_inertia(const T& s, const Vec3Of<T>& r) {
  const T xx = s * r.x * r.x, yy = s * r.y * r.y, zz = s * r.z * r.z, no = s - s;
  return {yy + zz, no - s * r.x * r.y, no - s * r.x * r.z, xx + zz, no - s * r.y * r.z, xx + yy};
}

/// R diag(m) Rᵀ for the rotation matrix R of q.
template <class T> HWY_INLINE Sym3Of<T> rotated_diagonal(const QuatOf<T>& q, const Vec3Of<T>& m, const T& one) {
  const T two = one + one, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const T xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  const Vec3Of<T> x{one - two * (yy + zz), two * (xy - wz), two * (xz + wy)};
  const Vec3Of<T> y{two * (xy + wz), one - two * (xx + zz), two * (yz - wx)};
  const Vec3Of<T> z{two * (xz - wy), two * (yz + wx), one - two * (xx + yy)};
  const Vec3Of<T> mx = scale(x, m), my = scale(y, m);
  return {dot(mx, x), dot(mx, y), dot(mx, z), dot(my, y), dot(my, z), dot(scale(z, m), z)};
}

// Lanes [l, l + width of D) of a block.

template <class D> HWY_INLINE Num<D> get(D d, const LaneNumber& a, std::size_t l) { return load(d, a.data() + l); }
template <class D> HWY_INLINE Vec3Of<Num<D>> get(D d, const Lane3& a, std::size_t l) {
  return {get(d, a.x, l), get(d, a.y, l), get(d, a.z, l)};
}
template <class D> HWY_INLINE QuatOf<Num<D>> get(D d, const LaneQuat& a, std::size_t l) {
  return {get(d, a.w, l), get(d, a.x, l), get(d, a.y, l), get(d, a.z, l)};
}
template <class D> HWY_INLINE Sym3Of<Num<D>> get(D d, const LaneSym3& a, std::size_t l) {
  return {get(d, a.xx, l), get(d, a.xy, l), get(d, a.xz, l), get(d, a.yy, l), get(d, a.yz, l), get(d, a.zz, l)};
}
template <class D> HWY_INLINE Mat3Of<Num<D>> get(D d, const LaneMat3& a, std::size_t l) {
  return {get(d, a.row[0], l), get(d, a.row[1], l), get(d, a.row[2], l)};
}
template <class D> HWY_INLINE void put(D d, const Num<D>& v, std::size_t l, LaneNumber& a) {
  store(d, v, a.data() + l);
}
template <class D> HWY_INLINE void put(D d, const Vec3Of<Num<D>>& v, std::size_t l, Lane3& a) {
  put(d, v.x, l, a.x), put(d, v.y, l, a.y), put(d, v.z, l, a.z);
}
template <class D> HWY_INLINE void put(D d, const QuatOf<Num<D>>& v, std::size_t l, LaneQuat& a) {
  put(d, v.w, l, a.w), put(d, v.x, l, a.x), put(d, v.y, l, a.y), put(d, v.z, l, a.z);
}
template <class D> HWY_INLINE void put(D d, const Sym3Of<Num<D>>& v, std::size_t l, LaneSym3& a) {
  put(d, v.xx, l, a.xx), put(d, v.xy, l, a.xy), put(d, v.xz, l, a.xz);
  put(d, v.yy, l, a.yy), put(d, v.yz, l, a.yz), put(d, v.zz, l, a.zz);
}
template <class D> HWY_INLINE void put(D d, const Mat3Of<Num<D>>& v, std::size_t l, LaneMat3& a) {
  put(d, v.x, l, a.row[0]), put(d, v.y, l, a.row[1]), put(d, v.z, l, a.row[2]);
}

/// Gathers the bodies in the slots [l, l + width of D).
template <class D>
HWY_INLINE Vec3Of<Num<D>> gather(D d, const std::vector<Vec3>& from, const LaneSlots& slots, std::size_t l) {
  const double* record[hn::MaxLanes(D())];
  for (std::size_t k = 0; k < hn::MaxLanes(D()); ++k) record[k] = &from[slots[l + k]].x;
  Vec3Of<Num<D>> v;
  load_pairs(d, record, 1, v.y, v.z);
  load_pairs(d, record, 0, v.x, v.y);
  return v;
}
template <class D>
HWY_INLINE QuatOf<Num<D>> gather(D d, const std::vector<Quat>& from, const LaneSlots& slots, std::size_t l) {
  const double* record[hn::MaxLanes(D())];
  for (std::size_t k = 0; k < hn::MaxLanes(D()); ++k) record[k] = &from[slots[l + k]].w;
  QuatOf<Num<D>> q;
  load_pairs(d, record, 0, q.w, q.x);
  load_pairs(d, record, 2, q.y, q.z);
  return q;
}

/// v and ω of the bodies of a block's links [l, l + width of D).
template <class D> struct VelocityLanes {
  Vec3Of<Num<D>> v, w;

  static HWY_INLINE VelocityLanes load(D d, const TreeBlock& block, std::size_t l, const BodyVelocity* u) {
    const double* record[hn::MaxLanes(D())];
    for (std::size_t k = 0; k < hn::MaxLanes(D()); ++k) record[k] = &u[block.body[l + k]].v.x;
    VelocityLanes all;
    load_pairs(d, record, 0, all.v.x, all.v.y);
    load_pairs(d, record, 2, all.v.z, all.w.x);
    load_pairs(d, record, 4, all.w.y, all.w.z);
    return all;
  }
  HWY_INLINE void store(D d, const TreeBlock& block, std::size_t l, BodyVelocity* u) const {
    double* record[hn::MaxLanes(D())];
    for (std::size_t k = 0; k < hn::MaxLanes(D()); ++k) record[k] = &u[block.body[l + k]].v.x;
    store_pairs(d, v.x, v.y, record, 0);
    store_pairs(d, v.z, w.x, record, 2);
    store_pairs(d, w.y, w.z, record, 4);
  }
};

/// The bodies of a block's links get v and ω; empty lanes have none.
template <class D>
HWY_INLINE void give(D d, const TreeBlock& block, std::size_t l, const Vec3Of<Num<D>>& v, const Vec3Of<Num<D>>& w,
                     BodyVelocity* u) {
  if (block.is_full) return VelocityLanes<D>{v, w}.store(d, block, l, u);
  Lane3 all_v, all_w;
  put(d, v, l, all_v), put(d, w, l, all_w);
  for (std::size_t k = l; k < l + hn::MaxLanes(D()); ++k)
    if (block.link[k] >= 0) u[block.body[k]] = {all_v.get(k), all_w.get(k)};
}

template <class D> HWY_INLINE hn::Mask<D> differ(const Vec3Of<Num<D>>& a, const Vec3Of<Num<D>>& b) {
  return hn::Or(hn::Ne(a.x.v, b.x.v), hn::Or(hn::Ne(a.y.v, b.y.v), hn::Ne(a.z.v, b.z.v)));
}
template <class D> HWY_INLINE hn::Mask<D> differ(const QuatOf<Num<D>>& a, const QuatOf<Num<D>>& b) {
  return hn::Or(hn::Or(hn::Ne(a.w.v, b.w.v), hn::Ne(a.x.v, b.x.v)), hn::Or(hn::Ne(a.y.v, b.y.v), hn::Ne(a.z.v, b.z.v)));
}

/// Zero in empty lanes.
template <class D> HWY_INLINE Num<D> where_present(D d, const Num<D>& v, const TreeBlock& block, std::size_t l) {
  const Num<D> zero = number(d, 0);
  return choose(above(get(d, block.present, l), zero), v, zero);
}

/// Lanes whose tree is being iterated.
template <class D> HWY_INLINE hn::Mask<D> moving(D d, const TreeBlock& block, std::size_t l) {
  return above(get(d, block.moves, l), number(d, 0));
}
/// Other lanes keep what they have.
template <class D> HWY_INLINE void put_where(D d, hn::Mask<D> where, const Vec3Of<Num<D>>& v, std::size_t l, Lane3& a) {
  const Vec3Of<Num<D>> old = get(d, a, l);
  put(d, Vec3Of<Num<D>>{choose(where, v.x, old.x), choose(where, v.y, old.y), choose(where, v.z, old.z)}, l, a);
}
template <class D>
HWY_INLINE void put_where(D d, hn::Mask<D> where, const QuatOf<Num<D>>& v, std::size_t l, LaneQuat& a) {
  const QuatOf<Num<D>> old = get(d, a, l);
  put(d,
      QuatOf<Num<D>>{choose(where, v.w, old.w), choose(where, v.x, old.x), choose(where, v.y, old.y),
                     choose(where, v.z, old.z)},
      l, a);
}

/// Calls f with every pair of numbers of two records.
template <class F> HWY_INLINE void zip(const LaneNumber& a, LaneNumber& b, F f) { f(a, b); }
template <class F> HWY_INLINE void zip(const Lane3& a, Lane3& b, F f) { f(a.x, b.x), f(a.y, b.y), f(a.z, b.z); }
template <class F> HWY_INLINE void zip(const LaneQuat& a, LaneQuat& b, F f) {
  f(a.w, b.w), f(a.x, b.x), f(a.y, b.y), f(a.z, b.z);
}
template <class F> HWY_INLINE void zip(const LaneSym3& a, LaneSym3& b, F f) {
  f(a.xx, b.xx), f(a.xy, b.xy), f(a.xz, b.xz), f(a.yy, b.yy), f(a.yz, b.yz), f(a.zz, b.zz);
}
template <class F> HWY_INLINE void zip(const LaneMat3& a, LaneMat3& b, F f) {
  zip(a.row[0], b.row[0], f), zip(a.row[1], b.row[1], f), zip(a.row[2], b.row[2], f);
}

/// `other` in the other lanes.
template <class D> HWY_INLINE Vec3Of<Num<D>> where(hn::Mask<D> which, const Vec3Of<Num<D>>& v, const Num<D>& other) {
  return {choose(which, v.x, other), choose(which, v.y, other), choose(which, v.z, other)};
}
template <class D> HWY_INLINE Sym3Of<Num<D>> where(hn::Mask<D> which, const Sym3Of<Num<D>>& m, const Num<D>& other) {
  return {choose(which, m.xx, other), choose(which, m.xy, other), choose(which, m.xz, other),
          choose(which, m.yy, other), choose(which, m.yz, other), choose(which, m.zz, other)};
}
template <class D> HWY_INLINE Mat3Of<Num<D>> where(hn::Mask<D> which, const Mat3Of<Num<D>>& m, const Num<D>& other) {
  return {where<D>(which, m.x, other), where<D>(which, m.y, other), where<D>(which, m.z, other)};
}

/// The parents of a block's links [lane, lane + width of D), wherever they are.
template <class D> class ParentLanes {
 public:
  HWY_INLINE ParentLanes(D d, TreeBlock* blocks, const TreeBlock& child, std::size_t lane)
      : d_(d), blocks_(blocks), child_(child), lane_(lane) {}

  template <class Lanes> HWY_INLINE auto get(Lanes TreeBlock::*member) const {
    if (child_.parent >= 0) return HWY_NAMESPACE::get(d_, blocks_[child_.parent].*member, lane_);
    Lanes gathered;
    for (std::size_t l = lane_; l < lane_ + kWidth; ++l) {
      const auto node = static_cast<std::size_t>(child_.parents[l]);
      zip(blocks_[node / kTreeLanes].*member, gathered,
          [&](const LaneNumber& from, LaneNumber& to) { to[l] = from[node % kTreeLanes]; });
    }
    return HWY_NAMESPACE::get(d_, gathered, lane_);
  }

  /// Adds what the links hand over; empty lanes hand over nothing. For sweeps up: children of one parent come in the reverse of
  /// their order, wherever they are, so that a sum does not depend on what other trees share the blocks.
  template <class Lanes, class Value> HWY_INLINE void add(const Value& value, Lanes TreeBlock::*member) const {
    if (child_.parent >= 0) {
      Lanes& to = blocks_[child_.parent].*member;
      if (child_.is_full) return put(d_, HWY_NAMESPACE::get(d_, to, lane_) + value, lane_, to);
      const auto is_present = above(HWY_NAMESPACE::get(d_, child_.present, lane_), number(d_, 0));
      return put(d_, HWY_NAMESPACE::get(d_, to, lane_) + where<D>(is_present, value, number(d_, 0)), lane_, to);
    }
    Lanes handed;
    put(d_, value, lane_, handed);
    for (std::size_t l = lane_ + kWidth; l-- > lane_;) {
      if (child_.link[l] < 0) continue;
      const auto node = static_cast<std::size_t>(child_.parents[l]);
      zip(handed, blocks_[node / kTreeLanes].*member,
          [&](const LaneNumber& from, LaneNumber& to) { to[node % kTreeLanes] += from[l]; });
    }
  }

 private:
  static constexpr std::size_t kWidth = hn::MaxLanes(D());

  D d_;
  TreeBlock* blocks_;
  const TreeBlock& child_;
  std::size_t lane_;
};

/// The orientation after the time h at the constant angular velocity ω (rotation.h).
template <class D>
HWY_INLINE QuatOf<Num<D>> turned(D d, const QuatOf<Num<D>>& q, const Vec3Of<Num<D>>& w, const Num<D>& h) {
  using N = Num<D>;
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  const auto set = [d](double x) { return number(d, x); };
  const Vec3Of<N> r = h * w;
  const N aa = set(0.25) * dot(r, r);
  QuatOf<N> turn = small_rotation(r, aa, set);
  if (!hn::AllFalse(d, hn::Gt(aa.v, set(kSmallRotation).v))) {
    double x[kWidth], y[kWidth], z[kWidth], w4[kWidth];
    store(d, r.x, x), store(d, r.y, y), store(d, r.z, z);
    for (std::size_t k = 0; k < kWidth; ++k) {
      const Quat large = rotation_exp({x[k], y[k], z[k]});
      w4[k] = large.w, x[k] = large.x, y[k] = large.y, z[k] = large.z;
    }
    const auto is_large = hn::Gt(aa.v, set(kSmallRotation).v);  // the others do not depend on them
    turn = {choose(is_large, load(d, w4), turn.w), choose(is_large, load(d, x), turn.x),
            choose(is_large, load(d, y), turn.y), choose(is_large, load(d, z), turn.z)};
  }
  const QuatOf<N> product = turn * q;
  return (set(1.5) - set(0.5) * dot(product, product)) * product;
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
