// What happens within a group of manifolds in one visit, in their own coordinates (contact_blocks.h):
//
//   1. normal impulses of all points at once where there are three or more and none of them has to pull, as
//        Δλ = Jᵀ y,  y = H e,  e = J (wanted − J x),  H = (J Jᵀ)⁻¹ W⁻¹ (J Jᵀ)⁻¹
//      which spreads the load evenly; point by point, projected to λ ≥ 0, elsewhere. A manifold at rest of which only some points
//      penetrate is solved point by point, too: only those are soft, and λ + s_m Δλ − s_λ λ of all points at once would converge to a
//      solution in which the rigid points miss their target velocities
//   2. friction of all points at once where none of them slides; point by point, projected to Coulomb's ellipse, elsewhere
//   3. rolling and spinning friction
//
// Overlaps are soft (soft_settings.h of stepping/): λ ← λ + s_m Δλ − min(s_λ λ, yield). All in single precision.
//
// The number of points N is known to the compiler, so that all of them stay in registers. Compiled once for every instruction
// set, hence the toggling guard.
#if defined(RIGOR_CONTACT_POINTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_CONTACT_POINTS_INL_H
#undef RIGOR_CONTACT_POINTS_INL_H
#else
#define RIGOR_CONTACT_POINTS_INL_H
#endif

#include "soft_step/contact_manifold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// The points of a group of manifolds while it is visited.
template <class D, int N> struct Points {
  Num<D> u[N], v[N];
  Num<D> normal[N], along[N], across[N];  // impulses along n, t₁, t₂

  HWY_INLINE void read_normal(D d, const LanePoint* points, int lane) {
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i) {
      u[i] = load(d, points[i].u + lane), v[i] = load(d, points[i].v + lane);
      normal[i] = load(d, points[i].impulse[0] + lane);
    }
  }
  /// The bodies have come apart by `moved`, along the normal and about t₁, t₂.
  HWY_INLINE void follow(D d, const LaneVec<D>& moved, LanePoint* points, int lane) const {
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i)
      store(d, load(d, points[i].gap + lane) + moved.x + v[i] * moved.y - u[i] * moved.z, points[i].gap + lane);
  }
  HWY_INLINE void read_friction(D d, const LanePoint* points, int lane) {
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i)
      along[i] = load(d, points[i].impulse[1] + lane), across[i] = load(d, points[i].impulse[2] + lane);
  }
  /// Writes the lanes that have changed.
  HWY_INLINE void write(D d, hn::Mask<D> lanes, LanePoint* points, int lane) const {
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i) {
      hn::BlendedStore(normal[i].v, lanes, d, points[i].impulse[0] + lane);
      hn::BlendedStore(along[i].v, lanes, d, points[i].impulse[1] + lane);
      hn::BlendedStore(across[i].v, lanes, d, points[i].impulse[2] + lane);
    }
  }
  HWY_INLINE Num<D> most_pushing() const {
    Num<D> most = normal[0];
    HWY_UNROLL(4)
    for (int i = 1; i < N; ++i) most = max(most, normal[i]);
    return most;
  }
  HWY_INLINE LaneVec<D> normal_wrench(D d) const {
    LaneVec<D> f{number(d, 0), number(d, 0), number(d, 0)};
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i) f.x += normal[i], f.y += v[i] * normal[i], f.z -= u[i] * normal[i];
    return f;
  }
  HWY_INLINE LaneVec<D> friction_wrench(D d) const {
    LaneVec<D> f{number(d, 0), number(d, 0), number(d, 0)};
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i) {
      f.x += along[i], f.y += across[i];
      f.z += u[i] * across[i] - v[i] * along[i];
    }
    return f;
  }
};

/// Manifolds whose points miss their targets by less are nearly at rest. Chosen: impacts are faster, and all points at once share their load best.
constexpr double kNearRest = 0.1;  // m/s

/// What the normal rows are to reach, and how softly.
template <class D, int N> struct Targets {
  Num<D> speed[N], mass[N], yield[N];  // yield: N s, part of the impulse that a soft contact takes back
  Num<D> missing[N];                   // m/s, of the motion at the start of the visit

  /// x = (Vₙ, Ω₁, Ω₂)
  template <bool kCorrect>
  HWY_INLINE void set(D d, const Points<D, N>& points, const LanePoint* data, int lane, const LaneVec<D>& x,
                      const LaneStep& step) {
    const Num<D> zero = number(d, 0), one = number(d, 1);
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i) {
      const Num<D> gap = load(d, data[i].gap + lane);
      const hn::Mask<D> apart = above(gap, zero);
      const Num<D> approach = (zero - gap) * number(d, step.inverse_step);
      if (kCorrect) {
        const Num<D> push = min((zero - gap) * number(d, step.rate), number(d, step.max_push));
        speed[i] = choose(apart, approach, push);
        mass[i] = choose(apart, one, number(d, step.mass));
        const Num<D> most = number(d, step.yield()) * load(d, data[i].mass + lane);
        yield[i] = choose(apart, zero, min(number(d, step.impulse) * points.normal[i], most));
      } else {
        speed[i] = choose(apart, approach, zero);
      }
      missing[i] = speed[i] - (x.x + points.v[i] * x.y - points.u[i] * x.z);
    }
  }
  /// A change of an impulse that would reach the target, made as soft as it is to be.
  template <bool kCorrect> HWY_INLINE Num<D> softened(int i, const Num<D>& change) const {
    if constexpr (kCorrect)
      return mass[i] * change - yield[i];
    else
      return change;
  }
  /// The lanes of manifolds that are nearly at rest and have both soft and rigid points.
  HWY_INLINE hn::Mask<D> is_uneven(D d) const {
    Num<D> least = mass[0], most = mass[0], fastest = max(missing[0], number(d, 0) - missing[0]);
    HWY_UNROLL(4)
    for (int i = 1; i < N; ++i) {
      least = min(least, mass[i]), most = max(most, mass[i]);
      fastest = max(fastest, max(missing[i], number(d, 0) - missing[i]));
    }
    return hn::And(above(most, least), above(number(d, kNearRest), fastest));
  }
  /// Lanes where no point pushes or is about to.
  HWY_INLINE hn::Mask<D> quiet(D d, const Points<D, N>& points) const {
    Num<D> most = points.most_pushing();
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i) most = max(most, missing[i]);
    return hn::Le(most.v, number(d, 0).v);
  }
};

/// 1. of the head of this file. x = (Vₙ, Ω₁, Ω₂) of the start of the visit.
template <bool kCorrect, int N, class D>
HWY_INLINE void solve_normals(D d, const LaneBlock& block, const LanePoint* data, int lane, hn::Mask<D> quiet,
                              const LaneVec<D>& x, const Targets<D, N>& target, Points<D, N>& points) {
  const Num<D> zero = number(d, 0);
  Num<D> together[N];
  hn::Mask<D> pulls = quiet;
  if constexpr (N >= 3) {
    LaneVec<D> e{zero, zero, zero};
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i) {
      e.x += target.missing[i], e.y += points.v[i] * target.missing[i], e.z -= points.u[i] * target.missing[i];
    }
    const Sym<D> H = load_sym(d, block.couplings->joint_mass, lane);
    const LaneVec<D> y = H * e;
    pulls = hn::Not(above(H.e[0], zero));
    if constexpr (kCorrect) pulls = hn::Or(pulls, target.is_uneven(d));
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i) {
      const Num<D> change = y.x + points.v[i] * y.y - points.u[i] * y.z, old = points.normal[i];
      together[i] = old + target.template softened<kCorrect>(i, change);
      pulls = hn::Or(pulls, above(zero, together[i]));
    }
    if (hn::AllFalse(d, hn::AndNot(quiet, pulls))) {
      HWY_UNROLL(4)
      for (int i = 0; i < N; ++i) points.normal[i] = together[i];
      return;
    }
  }
  const Sym<D> W = load_sym(d, block.couplings->W_nn, lane);
  LaneVec<D> now = x;
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    const Num<D> speed = now.x + points.v[i] * now.y - points.u[i] * now.z, old = points.normal[i];
    const Num<D> change_wanted = load(d, data[i].mass + lane) * (target.speed[i] - speed);
    const Num<D> by_itself = max(old + target.template softened<kCorrect>(i, change_wanted), zero);
    points.normal[i] = N >= 3 ? choose(pulls, by_itself, together[i]) : by_itself;
    if (i + 1 == N) break;
    const Num<D> change = by_itself - old;
    now = now + W * LaneVec<D>{change, points.v[i] * change, (zero - points.u[i]) * change};
  }
}

/// The target of (V₁, V₂, Ωₙ).
template <bool kCorrect, class D> HWY_INLINE LaneVec<D> wanted_slip(D d, const LaneBlock& block, int lane) {
  if constexpr (kCorrect) return load_vec(d, block.pull, lane);
  return {load(d, block.slip[0] + lane), load(d, block.slip[1] + lane), number(d, 0)};
}

/// Π: to Coulomb's ellipse of a point.
template <class D>
HWY_INLINE void cut_friction(D d, const Num<D>& limit, const Num<D>& inverse_across, Num<D>& p, Num<D>& q) {
  const Num<D> across = q * inverse_across, squared = p * p + across * across;
  const hn::Mask<D> too_much = above(squared, limit * limit);
  const Num<D> part = choose(too_much, limit / sqrt(choose(too_much, squared, number(d, 1))), number(d, 1));
  p = part * p, q = part * q;
}

/// 2. x = (V₁, V₂, Ωₙ) minus the target, for the present normal impulses. Where all points hold, the impulses that stop the slip of all of
/// them at once. Elsewhere point by point p ← Π(p − τ s), s the slip that the points before have left, τ ≤ 1 / λ_max of the
/// point's 2×2 matrix (Gershgorin's bound). Either way the kinetic energy never rises; a cut of the impulses for all points at once
/// would raise it.
template <int N, class D>
HWY_INLINE void solve_friction(D d, const LaneBlock& block, int lane, hn::Mask<D> quiet, const LaneVec<D>& x,
                               Points<D, N>& points) {
  const Num<D> zero = number(d, 0), one = number(d, 1);
  const Num<D> mu = load(d, block.friction + lane), inverse_across = load(d, block.inverse_across + lane);
  const Sym<D> H = load_sym(d, block.couplings->joint_friction, lane);
  Num<D> along[N], across[N];
  LaneVec<D> e{zero, zero, zero};
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    const Num<D> missing_1 = points.v[i] * x.z - x.x, missing_2 = zero - x.y - points.u[i] * x.z;
    e.x += missing_1, e.y += missing_2, e.z += points.u[i] * missing_2 - points.v[i] * missing_1;
  }
  const LaneVec<D> y = H * e;
  hn::Mask<D> slides = hn::Not(above(H.e[0], zero));
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    along[i] = points.along[i] + (y.x - points.v[i] * y.z), across[i] = points.across[i] + (y.y + points.u[i] * y.z);
    const Num<D> limit = mu * points.normal[i], q = across[i] * inverse_across;
    slides = hn::Or(slides, above(along[i] * along[i] + q * q, limit * limit));
  }
  if (!hn::AllFalse(d, hn::AndNot(quiet, slides))) {
    const Sym<D> W = load_sym(d, block.couplings->W_ff, lane);
    const hn::Mask<D> has_across = above(inverse_across, zero);
    LaneVec<D> now = x;
    HWY_UNROLL(4)
    for (int i = 0; i < N; ++i) {
      const Num<D> u = points.u[i], v = points.v[i];
      const Num<D> W_11 = W.e[0] - v * (W.e[2] + W.e[2] - v * W.e[5]),
                   W_22 = W.e[3] + u * (W.e[4] + W.e[4] + u * W.e[5]);
      const Num<D> W_12 = W.e[1] + u * W.e[2] - v * (W.e[4] + u * W.e[5]);
      const Num<D> bound = choose(has_across, max(W_11, W_22) + max(W_12, zero - W_12), W_11);
      const Num<D> tau = choose(above(bound, zero), one / choose(above(bound, zero), bound, one), zero);
      Num<D> p = points.along[i] + tau * (v * now.z - now.x);
      Num<D> q = points.across[i] + choose(has_across, tau * (zero - (now.y + u * now.z)), zero);
      cut_friction(d, mu * points.normal[i], inverse_across, p, q);
      const Num<D> dp = p - points.along[i], dq = q - points.across[i];
      along[i] = choose(slides, p, along[i]), across[i] = choose(slides, q, across[i]);
      if (i + 1 < N) now = now + W * LaneVec<D>{dp, dq, u * dq - v * dp};
    }
  }
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) points.along[i] = along[i], points.across[i] = across[i];
}

/// 3. Adds to the wrench. `changed`: lanes that are visited; the others may hold impulses that were not projected.
template <class D>
HWY_INLINE void solve_turning(D d, LaneBlock& block, int lane, hn::Mask<D> changed, const LaneVec<D>& x_n,
                              const LaneVec<D>& x_f, const Num<D>& load_sum, LaneVec<D>& normal, LaneVec<D>& friction) {
  const Num<D> one = number(d, 1), zero = number(d, 0);
  const Sym<D> W_nn = load_sym(d, block.couplings->W_nn, lane), W_ff = load_sym(d, block.couplings->W_ff, lane);
  Num<D> C[9];
  for (int i = 0; i < 9; ++i) C[i] = load(d, block.couplings->W_fn[i] + lane);
  const LaneVec<D> from_friction{C[0] * friction.x + C[3] * friction.y + C[6] * friction.z,
                                 C[1] * friction.x + C[4] * friction.y + C[7] * friction.z,
                                 C[2] * friction.x + C[5] * friction.y + C[8] * friction.z};
  const LaneVec<D> now_n = x_n + W_nn * normal + from_friction, now_f = x_f + W_ff * friction;
  const Num<D> rolling = load(d, block.couplings->rolling + lane) * load_sum,
               spinning = load(d, block.couplings->spinning + lane) * load_sum;
  const Num<D> old_1 = load(d, block.couplings->turning_impulse[0] + lane),
               old_2 = load(d, block.couplings->turning_impulse[1] + lane),
               old_n = load(d, block.couplings->turning_impulse[2] + lane);
  const Num<D> bound = max(W_nn.e[3], W_nn.e[5]) + max(W_nn.e[4], zero - W_nn.e[4]);  // as in solve_friction()
  Num<D> p = old_1 - now_n.y / bound, q = old_2 - now_n.z / bound;
  const Num<D> size = sqrt(p * p + q * q), part = choose(above(size, rolling), rolling / size, one);
  p = part * p, q = part * q;
  const Num<D> r = min(max(old_n - now_f.z / W_ff.e[5], zero - spinning), spinning);
  normal.y += p - old_1, normal.z += q - old_2, friction.z += r - old_n;
  LaneArray<float>* impulse = block.couplings->turning_impulse;
  hn::BlendedStore(p.v, changed, d, impulse[0] + lane);
  hn::BlendedStore(q.v, changed, d, impulse[1] + lane);
  hn::BlendedStore(r.v, changed, d, impulse[2] + lane);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
