// The effective masses of a group of manifolds, from the arms, inertias and points that they have at one state:
//
//   W = Σ over both bodies of Gᵀ M⁻¹ G (contact_couplings-inl.h)
//   H = (J Jᵀ)⁻¹ W⁻¹ (J Jᵀ)⁻¹; as the center is the mean of the points, J Jᵀ is diagonal but for one 2×2 block
//
// They are computed when a step begins, and again for manifolds whose bodies have turned or moved so far that W has changed by
// more than a tenth (kStale). A projected Gauss–Seidel sweep never gains energy as long as each mass is less than twice the true one
// (over-relaxation between 0 and 2), so masses that are a tenth off are safe; masses of another pose are not.
//
// Compiled once for every instruction set, hence the toggling guard.
#if defined(RIGOR_CONTACT_MASSES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_CONTACT_MASSES_INL_H
#undef RIGOR_CONTACT_MASSES_INL_H
#else
#define RIGOR_CONTACT_MASSES_INL_H
#endif

#include "soft_step/contact_couplings-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// Lanes whose ε (LaneBody::stale) exceeds this get new masses: W changes by at most 2ε + ε².
constexpr double kStale = 0.05;

/// Computes the masses of the N points at (u, v), of the block's number with N = 0, and stores them: in all lanes with kAll, else in those
/// of `is_used`.
template <class D, bool kAll, int N> struct Masses {
  explicit HWY_INLINE Masses(hn::Mask<D> lanes) : is_used(lanes) {}

  hn::Mask<D> is_used;
  Num<D> u[kBlockPoints], v[kBlockPoints];  // m, in the plane of the contact; written by the caller

  HWY_INLINE void store_all(D d, const Found<D>& m, int lane, LaneBlock& block, LanePoint* points) const {
    const Couplings<D> W = couplings(d, m);
    const hn::Mask<D> all_move = store_rows(d, W, lane, block, points);
    if (block.is_single()) return store_single(d, m, W, lane, block);
    store_couplings(d, W, lane, *block.couplings);
    store_together(d, m, W, all_move, lane, block);
  }

 private:
  static HWY_INLINE int count(const LaneBlock& block) { return N > 0 ? N : block.points; }
  HWY_INLINE void keep(D d, const Num<D>& x, float* to) const {
    if constexpr (kAll)
      store(d, x, to);
    else
      store(d, choose(is_used, x, load(d, to)), to);
  }
  HWY_INLINE void keep(D d, const Sym<D>& x, LaneArray<float>* to, int lane) const {
    HWY_UNROLL(6)
    for (int k = 0; k < 6; ++k) keep(d, x.e[k], to[k] + lane);
  }
  HWY_INLINE Num<D> mass_of(D d, const Num<D>& x) const {
    return HWY_NAMESPACE::mass_of(d, x, choose(is_used, number(d, 1), number(d, 0)));
  }

  /// Returns the lanes in which every normal can be moved.
  HWY_INLINE hn::Mask<D> store_rows(D d, const Couplings<D>& W, int lane, const LaneBlock& block,
                                    LanePoint* points) const {
    const Num<D> zero = number(d, 0), one = number(d, 1);
    Num<D> least = one;
    const int n = count(block);
    HWY_UNROLL(4)
    for (int i = 0; i < n; ++i) {
      const LaneVec<D> row{one, v[i], zero - u[i]};
      const Num<D> mass = mass_of(d, dot(row, W.nn * row));
      least = min(least, mass);
      keep(d, mass, points[i].mass + lane);
    }
    return above(least, zero);
  }

  HWY_INLINE void store_couplings(D d, const Couplings<D>& W, int lane, LaneCouplings& to) const {
    keep(d, W.nn, to.W_nn, lane);
    keep(d, W.ff, to.W_ff, lane);
    HWY_UNROLL(9)
    for (int k = 0; k < 9; ++k) keep(d, W.fn[k], to.W_fn[k] + lane);
  }

  /// A single point without spins. Both tangential impulses take a step along the gradient that is never longer than 1 / λ_max of
  /// their 2×2 matrix (Gershgorin's bound), so that the projection to Coulomb's disk after it cannot gain energy.
  HWY_INLINE void store_single(D d, const Found<D>& m, const Couplings<D>& W, int lane, LaneBlock& block) const {
    const Num<D> zero = number(d, 0);
    const hn::Mask<D> two = above(m.has_across, zero);
    const Num<D> largest = max(W.ff.e[0], W.ff.e[3]) + max(W.ff.e[1], zero - W.ff.e[1]);
    const Num<D> both = mass_of(d, largest);
    keep(d, W.fn[0], block.lift[0] + lane);
    keep(d, W.fn[3], block.lift[1] + lane);
    keep(d, choose(two, both, mass_of(d, W.ff.e[0])), block.friction_mass[0] + lane);
    keep(d, choose(two, both, zero), block.friction_mass[1] + lane);
  }

  /// H of normals, and of friction: impulses of all points from the errors of all.
  HWY_INLINE void store_together(D d, const Found<D>& m, const Couplings<D>& W, hn::Mask<D> all_move, int lane,
                                 LaneBlock& block) const {
    const Num<D> zero = number(d, 0), one = number(d, 1);
    const int n = count(block);
    const Num<D> points = number(d, n);
    Num<D> uu = zero, uv = zero, vv = zero;
    HWY_UNROLL(4)
    for (int i = 0; i < n; ++i) uu += u[i] * u[i], uv += u[i] * v[i], vv += v[i] * v[i];
    // J Jᵀ of normals is (N) and [vv −uv; −uv uu]; chosen: points within a strip of 1 : 30 count as a line.
    const Num<D> determinant = vv * uu - uv * uv, spread = uu + vv;
    // Points nearer to each other than a thousandth of the arms count as one: their inverse would be beyond single precision.
    const Num<D> arms = dot(m.a.arm, m.a.arm) + dot(m.b.arm, m.b.arm);
    const hn::Mask<D> apart = hn::And(above(spread, number(d, 1e-6) * arms), all_move);
    const Num<D> g0 = one / points;
    if (n >= 3) {
      const hn::Mask<D> wide = hn::And(apart, above(determinant, number(d, 1e-3) * spread * spread));
      const Num<D> f = choose(wide, one / choose(wide, determinant, one), zero);
      const Num<D> g11 = f * uu, g12 = f * uv, g22 = f * vv;
      const Sym<D> K = inverse(d, W.nn);
      const Num<D> x1 = K.e[1] * g11 + K.e[2] * g12, x2 = K.e[1] * g12 + K.e[2] * g22;
      const Num<D> y11 = K.e[3] * g11 + K.e[4] * g12, y12 = K.e[3] * g12 + K.e[4] * g22;
      const Num<D> y21 = K.e[4] * g11 + K.e[5] * g12, y22 = K.e[4] * g12 + K.e[5] * g22;
      keep(d,
           Sym<D>{{choose(wide, g0 * g0 * K.e[0], zero), g0 * x1, g0 * x2, g11 * y11 + g12 * y21, g11 * y12 + g12 * y22,
                   g12 * y12 + g22 * y22}},
           block.couplings->joint_mass, lane);
    }
    // J Jᵀ of friction is (N, N, uu + vv). Zero where points are one, or friction acts along t₁ only: points go one by one.
    const hn::Mask<D> spins = hn::And(above(m.has_across, zero), hn::And(above(points, number(d, 1.5)), apart));
    const Num<D> h2 = choose(spins, one / choose(spins, spread, one), zero), h0 = choose(spins, g0, zero);
    const Sym<D> L = inverse(d, W.ff);
    keep(d,
         Sym<D>{{h0 * h0 * L.e[0], h0 * h0 * L.e[1], h0 * h2 * L.e[2], h0 * h0 * L.e[3], h0 * h2 * L.e[4],
                 h2 * h2 * L.e[5]}},
         block.couplings->joint_friction, lane);
  }
};

/// New masses for the lanes [lane, lane + width of D) of a block that are in `stale`, from its arms and the inertias of now.
template <class D>
HWY_NOINLINE void refresh_masses(D d, hn::Mask<D> stale, LaneBlock& block, LanePoint* points, int lane,
                                 const LaneBodies& bodies) {
  Found<D> m;
  m.n = load_vec(d, block.normal, lane), m.t = load_vec(d, block.tangent, lane);
  m.s = cross(m.n, m.t);
  m.a.arm = load_vec(d, block.arm_a, lane), m.b.arm = load_vec(d, block.arm_b, lane);
  m.a.read_mass(d, block.a + lane, bodies), m.b.read_mass(d, block.b + lane, bodies);
  m.has_across = load(d, block.inverse_across + lane);
  Masses<D, /*kAll=*/false, /*N=*/0> masses(stale);
  const Num<D> zero = number(d, 0);
  for (int i = 0; i < block.points; ++i) {
    masses.u[i] = block.is_single() ? zero : load(d, points[i].u + lane);
    masses.v[i] = block.is_single() ? zero : load(d, points[i].v + lane);
  }
  masses.store_all(d, m, lane, block, points);
  store(d, choose(stale, zero, load(d, block.stale + lane)), block.stale + lane);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
