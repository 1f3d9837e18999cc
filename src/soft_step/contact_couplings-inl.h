// What a group of manifolds is prepared from: records of contacts and bodies in lanes, and the matrix W that says what a wrench
// on a manifold does to its motion (contact_blocks.h). Compiled once for every instruction set, hence the toggling guard.
#if defined(RIGOR_CONTACT_COUPLINGS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_CONTACT_COUPLINGS_INL_H
#undef RIGOR_CONTACT_COUPLINGS_INL_H
#else
#define RIGOR_CONTACT_COUPLINGS_INL_H
#endif

#include <cstddef>

#include "soft_step/contact_manifold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

// Where the numbers of a contact stand in it, in doubles.
constexpr int at_double(std::size_t bytes) { return static_cast<int>(bytes / sizeof(double)); }
constexpr int kNormal = at_double(offsetof(Contact, normal)), kTangent = at_double(offsetof(Contact, tangent));
constexpr int kFriction = at_double(offsetof(Contact, friction));
constexpr int kSeparation = at_double(offsetof(ContactPoint, separation));
constexpr int kImpulse = at_double(offsetof(ContactPoint, normal_impulse));
static_assert(kTangent == kNormal + 3);
static_assert(offsetof(Contact, static_friction) == offsetof(Contact, friction) + 2 * sizeof(double));
static_assert(offsetof(ContactPoint, local_b) == sizeof(Vec3));
static_assert(offsetof(ContactPoint, closing_speed) == offsetof(ContactPoint, separation) + sizeof(double));
static_assert(offsetof(ContactPoint, tangent_impulse) == offsetof(ContactPoint, normal_impulse) + sizeof(double));
constexpr int point_at(int i) {
  return at_double(offsetof(Contact, points) + static_cast<std::size_t>(i) * sizeof(ContactPoint));
}

/// Records of as many contacts, vectors or quaternions as D has lanes.
template <class D> struct Records {
  const double* at[hn::MaxLanes(D())];

  template <class T> HWY_INLINE Records(D, T* const* from) {
    for (std::size_t i = 0; i < hn::MaxLanes(D()); ++i) at[i] = reinterpret_cast<const double*>(from[i]);
  }
  HWY_INLINE LaneVec<D> vec(D d, int first) const {
    LaneVec<D> v;
    Num<D> again;
    load_pairs(d, at, first, v.x, v.y), load_pairs(d, at, first + 1, again, v.z);  // not beyond its end
    return v;
  }
  /// Two that stand side by side.
  HWY_INLINE void vecs(D d, int first, LaneVec<D>& v, LaneVec<D>& w) const {
    load_pairs(d, at, first, v.x, v.y), load_pairs(d, at, first + 2, v.z, w.x), load_pairs(d, at, first + 4, w.y, w.z);
  }
  HWY_INLINE QuatOf<Num<D>> quat(D d) const {
    QuatOf<Num<D>> q;
    load_pairs(d, at, 0, q.w, q.x), load_pairs(d, at, 2, q.y, q.z);
    return q;
  }
};
static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Quat) == 4 * sizeof(double) && offsetof(Quat, x) == 8);

/// Where the contacts are written to.
template <class D> struct Destinations {
  double* at[hn::MaxLanes(D())];

  HWY_INLINE Destinations(D, Contact* const* to) {
    for (std::size_t i = 0; i < hn::MaxLanes(D()); ++i) at[i] = reinterpret_cast<double*>(to[i]);
  }
};

/// By cofactors; zero where the determinant is.
template <class D> HWY_INLINE Sym<D> inverse(D d, const Sym<D>& m) {
  const Num<D>* e = m.e;
  const Num<D> c0 = e[3] * e[5] - e[4] * e[4], c1 = e[2] * e[4] - e[1] * e[5], c2 = e[1] * e[4] - e[2] * e[3];
  const Num<D> determinant = e[0] * c0 + e[1] * c1 + e[2] * c2, zero = number(d, 0);
  const hn::Mask<D> regular = above(determinant, zero);
  const Num<D> f = choose(regular, number(d, 1) / choose(regular, determinant, number(d, 1)), zero);
  return {{f * c0, f * c1, f * c2, f * (e[0] * e[5] - e[2] * e[2]), f * (e[1] * e[2] - e[0] * e[4]),
           f * (e[0] * e[3] - e[1] * e[1])}};
}

/// 1 / x where x > 0 and the point is there, otherwise 0.
template <class D> HWY_INLINE Num<D> mass_of(D d, const Num<D>& x, const Num<D>& is_there) {
  const hn::Mask<D> positive = above(x, number(d, 0));
  return choose(positive, is_there / choose(positive, x, number(d, 1)), number(d, 0));
}

/// While it is worked out, in double precision.
template <class D> struct Found {
  LaneVec<D> n, t, s;  // s = n × t
  Side<D> a, b;
  Num<D> has_across;  // 1 or 0: friction along s

  /// (Vₙ, Ω₁, Ω₂)
  HWY_INLINE LaneVec<D> normal_motion() const {
    const LaneVec<D> V = b.velocity_at_arm() - a.velocity_at_arm(), spin = b.w - a.w;
    return {dot(n, V), dot(t, spin), dot(s, spin)};
  }
};

template <class D> struct Couplings {
  Sym<D> nn, ff;
  Num<D> fn[9];
};

/// Adds what one body does to W. In the axes of the contact, with K = I⁻¹ and the arm r there, a force f at the center spins
/// the body by K (r × f), and a spin w moves the center by w × r.
template <class D> HWY_INLINE void add_side(const Found<D>& m, const Side<D>& side, Couplings<D>& W) {
  const LaneVec<D> In = side.inverse_inertia * m.n, It = side.inverse_inertia * m.t, Is = side.inverse_inertia * m.s;
  const Num<D> nn = dot(m.n, In), nt = dot(m.n, It), ns = dot(m.n, Is), tt = dot(m.t, It), ts = dot(m.t, Is),
               ss = dot(m.s, Is);
  const Num<D> r_n = dot(m.n, side.arm), r_t = dot(m.t, side.arm), r_s = dot(m.s, side.arm);
  // K times the angular parts of forces along n, t₁, t₂: r × n = r_s t − r_t s, r × t = r_n s − r_s n, r × s = r_t n − r_n t.
  const LaneVec<D> k_n{r_s * nt - r_t * ns, r_s * tt - r_t * ts, r_s * ts - r_t * ss};
  const LaneVec<D> k_t{r_n * ns - r_s * nn, r_n * ts - r_s * nt, r_n * ss - r_s * ns};
  const LaneVec<D> k_s{r_t * nn - r_n * nt, r_t * nt - r_n * tt, r_t * ns - r_n * ts};
  // (n; about t₁, t₂)
  W.nn.e[0] += side.inverse_mass + (r_s * k_n.y - r_t * k_n.z), W.nn.e[1] += k_n.y, W.nn.e[2] += k_n.z;
  W.nn.e[3] += tt, W.nn.e[4] += ts, W.nn.e[5] += ss;
  // (t₁, t₂; about n)
  W.ff.e[0] += side.inverse_mass + (r_n * k_t.z - r_s * k_t.x), W.ff.e[1] += r_t * k_t.x - r_n * k_t.y;
  W.ff.e[2] += k_t.x, W.ff.e[3] += side.inverse_mass + (r_t * k_s.x - r_n * k_s.y), W.ff.e[4] += k_s.x;
  W.ff.e[5] += nn;
  W.fn[0] += r_n * k_n.z - r_s * k_n.x, W.fn[1] += k_t.y, W.fn[2] += k_t.z;
  W.fn[3] += r_t * k_n.x - r_n * k_n.y, W.fn[4] += k_s.y, W.fn[5] += k_s.z;
  W.fn[6] += k_n.x, W.fn[7] += nt, W.fn[8] += ns;
}

template <class D> HWY_INLINE Couplings<D> couplings(D d, const Found<D>& m) {
  const Num<D> zero = number(d, 0);
  Couplings<D> W{{{zero, zero, zero, zero, zero, zero}},
                 {{zero, zero, zero, zero, zero, zero}},
                 {zero, zero, zero, zero, zero, zero, zero, zero, zero}};
  add_side(m, m.a, W), add_side(m, m.b, W);
  return W;
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
