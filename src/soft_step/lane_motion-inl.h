// The motion of joint trees in a part of a sub-step, for blocks of links in SIMD lanes: the free motion, how far the
// joints are open at its end, and the change to the next part. The kernels of tree_lanes.h share these functions; if
// nothing has to happen in between, they call them within a sweep of their linear solver, which saves a pass over the
// blocks.
//
// Compiled once for every instruction set, hence the toggling guard (Highway's way for such headers).
#if defined(RIGOR_LANE_MOTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_LANE_MOTION_INL_H
#undef RIGOR_LANE_MOTION_INL_H
#else
#define RIGOR_LANE_MOTION_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "integrators/asymmetric_turn-inl.h"
#include "integrators/energy_momentum.h"
#include "integrators/symmetric_turn-inl.h"
#include "soft_step/lane_joints-inl.h"
#include "soft_step/tree_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// Rotates the links freely for the time of the part, as energy_momentum.cpp does for single bodies.
template <class D>
HWY_INLINE void turn_freely(D d, const TreeBlock& block, std::size_t l, QuatOf<Num<D>>& q, Vec3Of<Num<D>>& w) {
  constexpr std::size_t kWidth = hn::MaxLanes(D());
  const Num<D> eta = get(d, block.eta, l);
  const Vec3Of<Num<D>> moments = get(d, block.moments, l), inverse = get(d, block.inverse_moments, l);
  q = get(d, block.q, l), w = get(d, block.u_w, l);
  const auto done = turn_symmetric(d, eta, moments, inverse, q, w);
  if (hn::AllTrue(d, done)) return;
  QuatOf<Num<D>> other_q = get(d, block.q, l);
  Vec3Of<Num<D>> other_w = get(d, block.u_w, l);
  const auto others = turn_asymmetric(d, eta, moments, inverse, other_q, other_w);
  q = {choose(done, q.w, other_q.w), choose(done, q.x, other_q.x), choose(done, q.y, other_q.y),
       choose(done, q.z, other_q.z)};
  w = choose3<D>(done, w, other_w);
  const auto all = hn::Or(done, others);
  if (hn::AllTrue(d, all)) return;
  LaneQuat q_by_one;
  Lane3 w_by_one;
  double is_done[kWidth];
  put(d, q, l, q_by_one), put(d, w, l, w_by_one);
  hn::StoreU(hn::IfThenElseZero(all, hn::Set(d, 1.0)), d, is_done);
  for (std::size_t k = l; k < l + kWidth; ++k) {
    if (is_done[k - l] != 0) continue;
    const Quat start = block.q.get(k);
    const Vec3 I = block.moments.get(k), j = block.inverse_moments.get(k);
    Spin spin{start, rotate(start, scale(I, rotate_inverse(start, block.u_w.get(k))))};
    drift_briefly(spin, I, j, block.eta[k]);
    q_by_one.set(k, spin.q), w_by_one.set(k, rotate(spin.q, scale(j, rotate_inverse(spin.q, spin.L))));
  }
  q = get(d, q_by_one, l), w = get(d, w_by_one, l);
}

/// Square of the gap of a joint beyond its goal, m². Tilts (rad) count as gaps at the longest arm.
template <class D> HWY_INLINE Num<D> openness(D d, const JointPlace<D>& joint, const TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const Vec3Of<N> gap = joint.gap - get(d, block.goal, l);
  const N squared = dot(gap, gap), size = get(d, block.size, l), scale = size * size;
  if (block.kind == TreeLink::Kind::hinge) {
    const Vec3Of<N> left = get(d, block.goal_w, l), turn = tilt(d, joint, block, l) - left;
    const N cosine =
        dot(rotate(joint.q, get(d, block.axis_own, l)), rotate(joint.parent_q, get(d, block.axis_parent, l)));
    // `turn` is a sine, which cannot distinguish a tilt beyond a right angle from a small one; the cosine can.
    const auto counts = above(cosine + dot(left, left), number(d, 0));
    return worse(squared, scale * choose(counts, dot(turn, turn), number(d, 4)));
  }
  if (block.kind != TreeLink::Kind::fixed) return squared;
  const Vec3Of<N> turn = twist(d, joint, block, l) - get(d, block.goal_w, l);
  return worse(squared, scale * dot(turn, turn));
}

/// Finds the largest value of each tree while blocks are visited one after the other. A NaN is kept.
template <class D> class WorstOfTrees {
 public:
  HWY_INLINE explicit WorstOfTrees(D d) : d_(d), lanes_(number(d, 0)) {}

  HWY_INLINE void take(const Num<D>& value, const TreeBlock& block, std::size_t l) {
    std::uint32_t trees = 0;
    std::memcpy(&trees, block.tree.data() + l, kWidth);
    if (trees != trees_) flush(), trees_ = trees;
    lanes_ = worse(lanes_, block.is_full ? value : where_present(d_, value, block, l));
  }
  HWY_INLINE TreeNumbers result() {
    flush();
    return worst_;
  }

 private:
  static constexpr std::size_t kWidth = hn::MaxLanes(D());

  HWY_INLINE void flush() {
    double lanes[kWidth];
    store(d_, lanes_, lanes);
    for (std::size_t k = 0; k < kWidth; ++k) {
      double& of_tree = worst_[trees_ >> (8 * k) & 255U];
      if (!(lanes[k] <= of_tree)) of_tree = of_tree != of_tree ? of_tree : lanes[k];
    }
    lanes_ = number(d_, 0);
  }

  D d_;
  Num<D> lanes_;
  std::uint32_t trees_ = 0;  // the trees of lanes_, one byte for each lane
  TreeNumbers worst_{};
};

/// Where the free motion leads to with u, and the r that closes the joint there; in a sweep down.
template <class D>
HWY_INLINE void drift_block(D d, TreeBlock* blocks, TreeBlock& block, std::size_t l, bool gyroscopic,
                            WorstOfTrees<D>& worst) {
  const auto where = moving(d, block, l);
  const Num<D> eta = get(d, block.eta, l);
  QuatOf<Num<D>> q;
  Vec3Of<Num<D>> w = get(d, block.u_w, l);
  if (gyroscopic)
    turn_freely(d, block, l, q, w);
  else
    q = turned(d, get(d, block.q, l), w, eta);
  put_where(d, where, get(d, block.x, l) + eta * get(d, block.u_v, l), l, block.end_x);
  put_where(d, where, q, l, block.end_q), put_where(d, where, w, l, block.end_w);
  if (block.kind == TreeLink::Kind::root) return;
  const JointPlace<D> joint(d, blocks, block, l, get(d, block.end_x, l), get(d, block.end_q, l));
  want_closed(d, joint, block, l, number(d, 1) / eta);
  worst.take(openness(d, joint, block, l), block, l);
}

/// For trees that move, makes the end of this part the start of the next one.
template <class D> HWY_INLINE void close_block(D d, TreeBlock& block, std::size_t l) {
  using N = Num<D>;
  const auto where = moving(d, block, l);
  const N pushed = get(d, block.pushed, l), zero = number(d, 0);
  const Vec3Of<N> none{zero, zero, zero};
  const Vec3Of<N> p = get(d, block.mass, l) * (get(d, block.u_v, l) - get(d, block.start_v, l)),
                  L = get(d, block.inertia, l) * (get(d, block.u_w, l) - get(d, block.start_w, l));
  put(d, choose3<D>(where, p - pushed * get(d, block.outer_v, l), none), l, block.gain_v);
  put(d, choose3<D>(where, L - pushed * get(d, block.outer_w, l), none), l, block.gain_w);
  put_where(d, where, get(d, block.end_x, l), l, block.x), put_where(d, where, get(d, block.end_q, l), l, block.q);
  put_where(d, where, get(d, block.end_w, l), l, block.u_w);
  put(d, rotated_diagonal(get(d, block.q, l), get(d, block.moments, l), number(d, 1)), l, block.inertia);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
