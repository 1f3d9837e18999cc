// The linear system of joint trees with the bodies' velocities eliminated at the pivots, in linear time: the articulated
// inertias of Featherstone (1983) for bodies in maximal coordinates, four links at a time.
//
//   M̃ δ − Jᵀ λ = f          M̃ = diag(m 1, I + η K_g): masses with the geometric stiffness of the joint forces
//   J δ        = r           what each joint wants of the relative velocity at its pivot
//
// A body is described by the velocity a of its pivot and its ω, v = a + own × ω with `own` from the center of mass to the pivot:
//
//   [ A  B ] [ a ]   [ b_v ]      A = m 1,  B = m [own],  C = I + η K_g + m [own]ᵀ[own]
//   [ Bᵀ C ] [ ω ] = [ b_w ]      plus what the children hand over
//
// From the leaves to the roots, what the joint leaves free is eliminated and the rest is handed to the parent, shifted by
// e = (pivot − own pivot of the parent):
//
//   ball       ω free:           K = A − B C⁻¹ Bᵀ: a 3 × 3 matrix, A += K, B −= K [e], C −= [e] K [e]
//   hinge      ω along s free:   M ← M − U Uᵀ / D,  U = M s,  D = sᵀ U; then all of M
//   fixed      nothing:          all of M
//   stopped    ω free, a ball with limits that hold, P = `stop`: with H = (C + P)⁻¹
//                                M ← [ A − B H Bᵀ   B H P ;   P H Bᵀ   P − P H P ]; hinges have sᵀ P s added to D.
//              P is 10⁶ times as large as C, so that P − P H P would lose all digits. P H = 1 − C H takes the P away:
//                                M ← [ A − B H Bᵀ   B − B H C ;   …   C − C H C ],   ω = ω_p + H (b_w − C ω_p − Bᵀ a)
//              The parent then gets exactly what the link gives, whatever the error of H: angular momentum is
//              conserved to rounding.
//   root       nothing holds it: all six
//
// Afterwards the fields A, B, C of a link hold
//
//   ball       K, G = B C⁻¹ and C⁻¹; if it is stopped, H instead of C⁻¹, and fields of their own hold C and B − B H C
//   root       K⁻¹, G and C⁻¹
//   others     what remains of M
//
// The multipliers are not needed: the impulse of a joint is the momentum that its subtree lacks. The elimination
// succeeds for every positive definite M̃.
//
// Compiled once for every instruction set, hence the toggling guard (Highway's way for such headers).
#if defined(RIGOR_LANE_PIVOTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_LANE_PIVOTS_INL_H
#undef RIGOR_LANE_PIVOTS_INL_H
#else
#define RIGOR_LANE_PIVOTS_INL_H
#endif

#include <hwy/highway.h>

#include "soft_step/lane_trees-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// A, B, C of the bodies alone.
template <class D>
HWY_INLINE void begin_matrix(D d, const Sym3Of<Num<D>>& inertia, const Vec3Of<Num<D>>& own, std::size_t l,
                             TreeBlock& block) {
  using N = Num<D>;
  const N m = get(d, block.mass, l), zero = number(d, 0);
  const Vec3Of<N> a = m * own;
  put(d, Sym3Of<N>{m, zero, zero, m, zero, m}, l, block.A);
  put(d, Mat3Of<N>{{zero, zero - a.z, a.y}, {a.z, zero, zero - a.x}, {zero - a.y, a.x, zero}}, l, block.B);
  put(d, inertia + point_inertia(m, own), l, block.C);
}

/// Impulses at the center of mass, as the right side of the pivot.
template <class D>
HWY_INLINE void begin_right_side(D d, const Vec3Of<Num<D>>& f_v, const Vec3Of<Num<D>>& f_w, const Vec3Of<Num<D>>& own,
                                 std::size_t l, TreeBlock& block) {
  put(d, f_v, l, block.b_v), put(d, f_w - cross(own, f_v), l, block.b_w);
}

/// What is left of the right side goes to the parent: impulse t and angular impulse about the link's pivot.
template <class D>
HWY_INLINE void hand_over(const ParentLanes<D>& parent, const Vec3Of<Num<D>>& e, const Vec3Of<Num<D>>& t,
                          const Vec3Of<Num<D>>& turn) {
  parent.add(t, &TreeBlock::b_v);
  parent.add(turn + cross(e, t), &TreeBlock::b_w);
}

template <class D>
HWY_INLINE Vec3Of<Num<D>> shift(D d, const ParentLanes<D>& parent, const TreeBlock& b, std::size_t l) {
  return get(d, b.at_parent, l) - parent.get(&TreeBlock::own);
}

/// M = (A, B, C) of a subtree, as seen at the pivot, becomes part of the parent's.
template <class D>
HWY_INLINE void hand_matrix_over(const ParentLanes<D>& parent, const Vec3Of<Num<D>>& e, const Sym3Of<Num<D>>& A,
                                 const Mat3Of<Num<D>>& B, const Sym3Of<Num<D>>& C) {
  const Mat3Of<Num<D>> Ae = times_skew(A, e);
  parent.add(A, &TreeBlock::A);
  parent.add(B - Ae, &TreeBlock::B);
  parent.add(C - upper(skew_times(e, Ae)) + with_transposed(skew_times(e, B)), &TreeBlock::C);
}

/// What a ball with limits that hold hands over of the right side.
template <class D>
HWY_INLINE void hand_stopped_over(D d, const ParentLanes<D>& parent, const Vec3Of<Num<D>>& e, const TreeBlock& block,
                                  std::size_t l, bool with_r) {
  using N = Num<D>;
  const Vec3Of<N> b_w = get(d, block.b_w, l);
  Vec3Of<N> t = get(d, block.b_v, l) - get(d, block.B, l) * b_w;
  Vec3Of<N> turn = b_w - get(d, block.stopped_C, l) * (get(d, block.C, l) * b_w);
  if (with_r) {
    const Vec3Of<N> r = get(d, block.r, l);
    t = t - get(d, block.A, l) * r;
    turn = turn - transposed_times(get(d, block.stopped_B, l), r);
  }
  hand_over(parent, e, t, turn);
}

/// Balls with limits that hold.
template <class D>
HWY_INLINE void factorise_stopped(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, bool with_sides) {
  using N = Num<D>;
  const Mat3Of<N> B = get(d, block.B, l);
  const Sym3Of<N> C = get(d, block.C, l), H = inverse(C + get(d, block.stop, l), number(d, 1));
  const Mat3Of<N> G = times(B, H), left_B = B - times(G, C);
  const Sym3Of<N> K = reduced(get(d, block.A, l), G, B);
  put(d, K, l, block.A), put(d, G, l, block.B), put(d, H, l, block.C);
  put(d, C, l, block.stopped_C), put(d, left_B, l, block.stopped_B);
  if (block.is_held) return;
  const ParentLanes<D> parent(d, blocks, block, l);
  const Vec3Of<N> e = shift(d, parent, block, l);
  const Mat3Of<N> rows_of_C{{C.xx, C.xy, C.xz}, {C.xy, C.yy, C.yz}, {C.xz, C.yz, C.zz}};
  hand_matrix_over(parent, e, K, left_B, reduced(C, times(rows_of_C, H), rows_of_C));
  if (with_sides) hand_stopped_over(d, parent, e, block, l, true);
}

/// Balls and roots: ω is free.
template <class D>
HWY_INLINE void factorise_free(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, bool with_sides) {
  using N = Num<D>;
  const N one = number(d, 1);
  const Mat3Of<N> B = get(d, block.B, l);
  const Sym3Of<N> inverse_C = inverse(get(d, block.C, l), one);
  const Mat3Of<N> G = times(B, inverse_C);
  const Sym3Of<N> K = reduced(get(d, block.A, l), G, B);
  const bool is_root = block.kind == TreeLink::Kind::root;
  put(d, is_root ? inverse(K, one) : K, l, block.A), put(d, G, l, block.B), put(d, inverse_C, l, block.C);
  if (is_root || block.is_held) return;
  const ParentLanes<D> parent(d, blocks, block, l);
  const Vec3Of<N> e = shift(d, parent, block, l);
  const Mat3Of<N> Ke = times_skew(K, e);
  parent.add(K, &TreeBlock::A);
  parent.add(number(d, -1) * Ke, &TreeBlock::B);
  parent.add(number(d, -1) * upper(skew_times(e, Ke)), &TreeBlock::C);
  if (!with_sides) return;
  const Vec3Of<N> t = get(d, block.b_v, l) - G * get(d, block.b_w, l) - K * get(d, block.r, l);
  parent.add(t, &TreeBlock::b_v), parent.add(cross(e, t), &TreeBlock::b_w);
}

/// Takes the turn about the axis out of M and the right side.
template <class D> HWY_INLINE void eliminate_axis(D d, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const Vec3Of<N> s = get(d, block.axis, l);
  const Vec3Of<N> U_v = get(d, block.B, l) * s, U_w = get(d, block.C, l) * s;
  N D_s = dot(s, U_w);
  if (block.has_stops) D_s += dot(s, get(d, block.stop, l) * s);
  const N inverse_D = number(d, 1) / D_s;
  put(d, U_v, l, block.U_v), put(d, U_w, l, block.U_w), put(d, inverse_D, l, block.inverse_D);
  put(d, get(d, block.A, l) - square(U_v, inverse_D), l, block.A);
  put(d, get(d, block.C, l) - square(U_w, inverse_D), l, block.C);
  put(d, get(d, block.B, l) - outer(inverse_D * U_v, U_w), l, block.B);
}

template <class D> HWY_INLINE void eliminate_right_side(D d, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const N beta = dot(get(d, block.axis, l), get(d, block.b_w, l)), q = beta * get(d, block.inverse_D, l);
  put(d, beta, l, block.beta);
  put(d, get(d, block.b_v, l) - q * get(d, block.U_v, l), l, block.b_v);
  put(d, get(d, block.b_w, l) - q * get(d, block.U_w, l), l, block.b_w);
}

/// t and the turn that a hinge or a fixed link hands over.
template <class D>
HWY_INLINE void hand_over_all(D d, const ParentLanes<D>& parent, const Vec3Of<Num<D>>& e, const TreeBlock& block,
                              std::size_t l, bool with_r) {
  using N = Num<D>;
  Vec3Of<N> t = get(d, block.b_v, l), turn = get(d, block.b_w, l);
  if (with_r) {
    const Mat3Of<N> B = get(d, block.B, l);
    const Vec3Of<N> r = get(d, block.r, l), r_w = get(d, block.r_w, l);
    t = t - get(d, block.A, l) * r - B * r_w;
    turn = turn - transposed_times(B, r) - get(d, block.C, l) * r_w;
  }
  hand_over(parent, e, t, turn);
}

/// Hinges and fixed links.
template <class D>
HWY_INLINE void factorise_stiff(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, bool with_sides) {
  using N = Num<D>;
  if (block.kind == TreeLink::Kind::hinge) {
    eliminate_axis(d, block, l);
    if (with_sides) eliminate_right_side(d, block, l);
  }
  if (block.is_held) return;
  const ParentLanes<D> parent(d, blocks, block, l);
  const Vec3Of<N> e = shift(d, parent, block, l);
  hand_matrix_over(parent, e, get(d, block.A, l), get(d, block.B, l), get(d, block.C, l));
  if (with_sides) hand_over_all(d, parent, e, block, l, true);
}

/// The right side alone, from the leaves to the roots.
template <class D> HWY_INLINE void eliminate(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, bool with_r) {
  using N = Num<D>;
  if (block.kind == TreeLink::Kind::root) return;
  if (block.kind == TreeLink::Kind::hinge) eliminate_right_side(d, block, l);
  if (block.is_held) return;
  const ParentLanes<D> parent(d, blocks, block, l);
  const Vec3Of<N> e = shift(d, parent, block, l);
  if (block.kind != TreeLink::Kind::ball) return hand_over_all(d, parent, e, block, l, with_r);
  if (block.has_stops) return hand_stopped_over(d, parent, e, block, l, with_r);
  Vec3Of<N> t = get(d, block.b_v, l) - get(d, block.B, l) * get(d, block.b_w, l);
  if (with_r) t = t - get(d, block.A, l) * get(d, block.r, l);
  parent.add(t, &TreeBlock::b_v), parent.add(cross(e, t), &TreeBlock::b_w);
}

/// The solution, from the roots to the leaves.
template <class D> HWY_INLINE void substitute(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, bool with_r) {
  using N = Num<D>;
  const N zero = number(d, 0);
  const Sym3Of<N> C = get(d, block.C, l);
  const Mat3Of<N> B = get(d, block.B, l);
  const Vec3Of<N> b_w = get(d, block.b_w, l);
  if (block.kind == TreeLink::Kind::root) {
    const Vec3Of<N> v = get(d, block.A, l) * (get(d, block.b_v, l) - B * b_w);
    put(d, v, l, block.delta_v), put(d, C * b_w - transposed_times(B, v), l, block.delta_w);
    return;
  }
  Vec3Of<N> a{zero, zero, zero}, w{zero, zero, zero};
  if (with_r) a = get(d, block.r, l);
  if (with_r && block.kind != TreeLink::Kind::ball) w = get(d, block.r_w, l);
  if (!block.is_held) {
    const ParentLanes<D> parent(d, blocks, block, l);
    const Vec3Of<N> parent_w = parent.get(&TreeBlock::delta_w);
    a = a + parent.get(&TreeBlock::delta_v) + cross(parent_w, get(d, block.at_parent, l));
    w = w + parent_w;
  }
  if (block.kind == TreeLink::Kind::ball) {
    // Before this, w is the parent's.
    if (block.has_stops)
      w = w + C * (b_w - get(d, block.stopped_C, l) * w) - transposed_times(B, a);
    else
      w = C * b_w - transposed_times(B, a);
  } else if (block.kind == TreeLink::Kind::hinge) {
    const N missing = get(d, block.beta, l) - dot(get(d, block.U_v, l), a) - dot(get(d, block.U_w, l), w);
    w = w + (missing * get(d, block.inverse_D, l)) * get(d, block.axis, l);
  }
  put(d, a + cross(get(d, block.own, l), w), l, block.delta_v), put(d, w, l, block.delta_w);
}

/// `with_sides`: the right side is eliminated along with the matrix.
template <class D> HWY_INLINE void factorise(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, bool with_sides) {
  const bool turns_freely = block.kind == TreeLink::Kind::root || block.kind == TreeLink::Kind::ball;
  if (block.has_stops && turns_freely)
    factorise_stopped(d, blocks, block, l, with_sides);
  else if (turns_freely)
    factorise_free(d, blocks, block, l, with_sides);
  else
    factorise_stiff(d, blocks, block, l, with_sides);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
