// One visit to a manifold (contact_blocks.h has the coordinates):
//
//   1. normal impulses of all points at once where there are three or more and none of them has to pull, as
//        Δλ = Jᵀ y,  y = H e,  e = J (wanted − J x),  H = (J Jᵀ)⁻¹ W⁻¹ (J Jᵀ)⁻¹
//      which spreads the load evenly; point by point, projected to λ ≥ 0, elsewhere
//   2. friction of all points at once where all stick; point by point within Coulomb's ellipse elsewhere
//   3. rolling and spinning friction
//   4. the sum of all changes as one wrench on the two bodies
//
// Overlaps are soft (soft_settings.h of stepping/): λ ← λ + s_m Δλ − s_λ λ.
//
// Bodies are read and written in double precision (lanes of D), what happens within a manifold is in single precision (F).
#include "solvers/contact_kernels.h"
#include "math/lane_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/contact_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "solvers/contact_manifold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

using Wide = hn::CappedTag<double, kBlockLanes>;

/// The points of a group of manifolds while it is visited.
template <class D> struct Points {
  Num<D> u[kBlockPoints], v[kBlockPoints];
  Num<D> impulse[3][kBlockPoints];  // normal, t₁, t₂
  int count;

  HWY_INLINE void read(D d, const LanePoint* points, int number_of_points, int lane) {
    count = number_of_points;
    for (int i = 0; i < count; ++i) {
      u[i] = load(d, points[i].u + lane), v[i] = load(d, points[i].v + lane);
      for (int k = 0; k < 3; ++k) impulse[k][i] = load(d, points[i].impulse[k] + lane);
    }
  }
  HWY_INLINE void write(D d, LanePoint* points, int lane) const {
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < 3; ++k) store(d, impulse[k][i], points[i].impulse[k] + lane);
  }
  HWY_INLINE LaneVec<D> normal_wrench(D d) const {
    LaneVec<D> f{number(d, 0), number(d, 0), number(d, 0)};
    for (int i = 0; i < count; ++i) {
      const Num<D>& p = impulse[0][i];
      f.x += p, f.y += v[i] * p, f.z -= u[i] * p;
    }
    return f;
  }
  HWY_INLINE LaneVec<D> friction_wrench(D d) const {
    LaneVec<D> f{number(d, 0), number(d, 0), number(d, 0)};
    for (int i = 0; i < count; ++i) {
      f.x += impulse[1][i], f.y += impulse[2][i];
      f.z += u[i] * impulse[2][i] - v[i] * impulse[1][i];
    }
    return f;
  }
};

/// What a normal row is to reach, and how softly.
template <class D> struct Target { Num<D> speed, mass, keep; };

template <bool kCorrect, class D> HWY_INLINE Target<D> target_of(D d, const Num<D>& gap, const LaneStep& step) {
  const Num<D> zero = number(d, 0), one = number(d, 1);
  const hn::Mask<D> apart = above(gap, zero);
  const Num<D> approach = (zero - gap) * number(d, step.inverse_step);
  if (!kCorrect) return {choose(apart, approach, zero), one, zero};
  const Num<D> push = min((zero - gap) * number(d, step.rate), number(d, step.max_push));
  return {choose(apart, approach, push), choose(apart, one, number(d, step.mass)),
          choose(apart, zero, number(d, step.impulse))};
}

/// 1. of the head of this file. x = (Vₙ, Ω₁, Ω₂) of the start of the visit.
template <bool kCorrect, class D>
HWY_INLINE void solve_normals(D d, const LaneBlock& block, const LanePoint* data, int lane, const LaneVec<D>& moved,
                              const LaneVec<D>& x, const LaneStep& step, Points<D>& points) {
  Target<D> target[kBlockPoints];
  Num<D> mass[kBlockPoints], together[kBlockPoints];
  const Num<D> zero = number(d, 0);
  for (int i = 0; i < points.count; ++i) {
    const Num<D> gap = load(d, data[i].gap + lane) + moved.x + points.v[i] * moved.y - points.u[i] * moved.z;
    target[i] = target_of<kCorrect>(d, gap, step);
    mass[i] = load(d, data[i].mass + lane);
  }
  hn::Mask<D> pulls = above(zero, zero);  // none
  if (block.has_joint_mass) {
    LaneVec<D> e{zero, zero, zero};
    for (int i = 0; i < points.count; ++i) {
      const Num<D> missing = target[i].speed - (x.x + points.v[i] * x.y - points.u[i] * x.z);
      const Num<D> counted = choose(above(mass[i], zero), missing, zero);
      e.x += counted, e.y += points.v[i] * counted, e.z -= points.u[i] * counted;
    }
    const Sym<D> H = load_sym(d, block.joint_mass, lane);
    const LaneVec<D> y = H * e;
    pulls = hn::AndNot(above(H.e[0], zero), above(mass[0], zero));  // lanes that are not used never do
    for (int i = 0; i < points.count; ++i) {
      const Num<D> change = y.x + points.v[i] * y.y - points.u[i] * y.z, old = points.impulse[0][i];
      const Num<D> now = old + target[i].mass * change - target[i].keep * old;
      together[i] = choose(above(mass[i], zero), now, zero);
      pulls = hn::Or(pulls, above(zero, together[i]));
    }
    if (hn::AllFalse(d, pulls)) {
      for (int i = 0; i < points.count; ++i) points.impulse[0][i] = together[i];
      return;
    }
  } else {
    pulls = hn::Not(pulls);
  }
  const Sym<D> W = load_sym(d, block.W_nn, lane);
  LaneVec<D> now = x;
  for (int i = 0; i < points.count; ++i) {
    const Num<D> speed = now.x + points.v[i] * now.y - points.u[i] * now.z, old = points.impulse[0][i];
    const Num<D> step_of = target[i].mass * mass[i] * (target[i].speed - speed) - target[i].keep * old;
    const Num<D> alone = max(old + step_of, zero), change = alone - old;
    now = now + W * LaneVec<D>{change, points.v[i] * change, (zero - points.u[i]) * change};
    points.impulse[0][i] = block.has_joint_mass ? choose(pulls, alone, together[i]) : alone;
  }
}

/// 2. Returns through `slides` where it was not all at once.
template <class D>
HWY_INLINE void solve_friction(D d, const LaneBlock& block, const LanePoint* data, int lane, const LaneVec<D>& x,
                               Points<D>& points) {
  const Num<D> zero = number(d, 0), one = number(d, 1);
  const Num<D> mu = load(d, block.friction + lane), inverse_across = load(d, block.inverse_across + lane);
  const Num<D> slip_1 = load(d, block.slip[0] + lane), slip_2 = load(d, block.slip[1] + lane);
  Num<D> together[2][kBlockPoints];
  hn::Mask<D> slides = above(one, zero);  // all
  if (block.has_joint_friction) {
    LaneVec<D> e{zero, zero, zero};
    for (int i = 0; i < points.count; ++i) {
      const hn::Mask<D> is = above(load(d, data[i].mass + lane), zero);
      const Num<D> missing_1 = choose(is, slip_1 - (x.x - points.v[i] * x.z), zero);
      const Num<D> missing_2 = choose(is, slip_2 - (x.y + points.u[i] * x.z), zero);
      e.x += missing_1, e.y += missing_2, e.z += points.u[i] * missing_2 - points.v[i] * missing_1;
    }
    const Sym<D> H = load_sym(d, block.joint_friction, lane);
    const LaneVec<D> y = H * e;
    slides = hn::AndNot(above(H.e[0], zero), above(load(d, data[0].mass + lane), zero));
    for (int i = 0; i < points.count; ++i) {
      const hn::Mask<D> is = above(load(d, data[i].mass + lane), zero);
      together[0][i] = choose(is, points.impulse[1][i] + (y.x - points.v[i] * y.z), zero);
      together[1][i] = choose(is, points.impulse[2][i] + (y.y + points.u[i] * y.z), zero);
      const Num<D> limit = mu * points.impulse[0][i], across = together[1][i] * inverse_across;
      slides = hn::Or(slides, above(together[0][i] * together[0][i] + across * across, limit * limit));
    }
    if (hn::AllFalse(d, slides)) {
      for (int i = 0; i < points.count; ++i)
        points.impulse[1][i] = together[0][i], points.impulse[2][i] = together[1][i];
      return;
    }
  }
  const Sym<D> W = load_sym(d, block.W_ff, lane);
  LaneVec<D> now = x;
  for (int i = 0; i < points.count; ++i) {
    const Num<D> old_1 = points.impulse[1][i], old_2 = points.impulse[2][i];
    Num<D> p = old_1 + load(d, data[i].tangent_mass[0] + lane) * (slip_1 - (now.x - points.v[i] * now.z));
    Num<D> q = old_2 + load(d, data[i].tangent_mass[1] + lane) * (slip_2 - (now.y + points.u[i] * now.z));
    const Num<D> limit = mu * points.impulse[0][i], across = q * inverse_across;
    const Num<D> size = sqrt(p * p + across * across);
    const Num<D> part = choose(above(size, limit), limit / size, one);
    p = part * p, q = part * q;
    const Num<D> change_1 = p - old_1, change_2 = q - old_2;
    now = now + W * LaneVec<D>{change_1, change_2, points.u[i] * change_2 - points.v[i] * change_1};
    points.impulse[1][i] = block.has_joint_friction ? choose(slides, p, together[0][i]) : p;
    points.impulse[2][i] = block.has_joint_friction ? choose(slides, q, together[1][i]) : q;
  }
}

/// 3. Adds to the wrench.
template <class D>
HWY_INLINE void solve_turning(D d, LaneBlock& block, int lane, const LaneVec<D>& x_n, const LaneVec<D>& x_f,
                              const Num<D>& load_sum, LaneVec<D>& normal, LaneVec<D>& friction) {
  const Num<D> one = number(d, 1), zero = number(d, 0);
  const Sym<D> W_nn = load_sym(d, block.W_nn, lane), W_ff = load_sym(d, block.W_ff, lane);
  Num<D> C[9];
  for (int i = 0; i < 9; ++i) C[i] = load(d, block.W_fn[i] + lane);
  const LaneVec<D> from_friction{C[0] * friction.x + C[3] * friction.y + C[6] * friction.z,
                                 C[1] * friction.x + C[4] * friction.y + C[7] * friction.z,
                                 C[2] * friction.x + C[5] * friction.y + C[8] * friction.z};
  const LaneVec<D> now_n = x_n + W_nn * normal + from_friction, now_f = x_f + W_ff * friction;
  const Num<D> rolling = load(d, block.rolling + lane) * load_sum, spinning = load(d, block.spinning + lane) * load_sum;
  const Num<D> old_1 = load(d, block.turning_impulse[0] + lane), old_2 = load(d, block.turning_impulse[1] + lane),
               old_n = load(d, block.turning_impulse[2] + lane);
  Num<D> p = old_1 - now_n.y / W_nn.e[3], q = old_2 - now_n.z / W_nn.e[5];
  const Num<D> size = sqrt(p * p + q * q), part = choose(above(size, rolling), rolling / size, one);
  p = part * p, q = part * q;
  const Num<D> r = min(max(old_n - now_f.z / W_ff.e[5], zero - spinning), spinning);
  normal.y += p - old_1, normal.z += q - old_2, friction.z += r - old_n;
  store_vec(d, LaneVec<D>{p, q, r}, block.turning_impulse, lane);
}

template <bool kCorrect, class D>
HWY_INLINE void visit(D d, LaneBlock& block, LanePoint* data, int lane, const LaneBodies& bodies,
                      const LaneStep& step) {
  using F = Floats<D>;
  const F f;
  Manifold<D> m;
  m.read(d, block, lane, bodies);
  Points<F> points;
  points.read(f, data, block.points, lane);
  LaneVec<F> x_n, x_f;
  m.relative_motion(d, x_n, x_f);
  const LaneVec<F> old_normal = points.normal_wrench(f), old_friction = points.friction_wrench(f);

  solve_normals<kCorrect>(f, block, data, lane, m.displacement(), x_n, step, points);
  LaneVec<F> normal = points.normal_wrench(f) - old_normal;
  const LaneArray<float>* C = block.W_fn;
  const LaneVec<F> rows[3] = {load_vec(f, C, lane), load_vec(f, C + 3, lane), load_vec(f, C + 6, lane)};
  x_f = x_f + LaneVec<F>{dot(rows[0], normal), dot(rows[1], normal), dot(rows[2], normal)};
  solve_friction(f, block, data, lane, x_f, points);
  LaneVec<F> friction = points.friction_wrench(f) - old_friction;
  if (block.has_turning) solve_turning(f, block, lane, x_n, x_f, points.normal_wrench(f).x, normal, friction);

  if (block.has_impacts)
    for (int i = 0; i < points.count; ++i)
      store(f, max(load(f, data[i].peak + lane), points.impulse[0][i]), data[i].peak + lane);
  points.write(f, data, lane);
  m.apply(d, normal, friction);
  m.write(d, block, lane, bodies);
}

template <class D>
HWY_INLINE void warm_start(D d, const LaneBlock& block, LanePoint* data, int lane, const LaneBodies& bodies, bool sum) {
  using F = Floats<D>;
  const F f;
  Manifold<D> m;
  m.read(d, block, lane, bodies);
  Points<F> points;
  points.read(f, data, block.points, lane);
  if (sum)
    for (int i = 0; i < points.count; ++i)
      store(d, load(d, data[i].total + lane) + widened(d, points.impulse[0][i]), data[i].total + lane);
  LaneVec<F> normal = points.normal_wrench(f), friction = points.friction_wrench(f);
  if (block.has_turning) {
    normal.y += load(f, block.turning_impulse[0] + lane), normal.z += load(f, block.turning_impulse[1] + lane);
    friction.z += load(f, block.turning_impulse[2] + lane);
  }
  m.apply(d, normal, friction);
  m.write(d, block, lane, bodies);
}

template <class D>
void warm_start_all(const LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, bool sum) {
  const D d;
  for (int k = 0; k < count; ++k)
    for (int lane = 0; lane < blocks[k].lanes; lane += static_cast<int>(hn::MaxLanes(d)))
      warm_start(d, blocks[k], points + blocks[k].first_point, lane, bodies, sum);
}

template <bool kCorrect, class D>
void visit_all(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step) {
  const D d;
  for (int k = 0; k < count; ++k)
    for (int lane = 0; lane < blocks[k].lanes; lane += static_cast<int>(hn::MaxLanes(d)))
      visit<kCorrect>(d, blocks[k], points + blocks[k].first_point, lane, bodies, step);
}

void warm_start_wide(const LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, bool sum) {
  warm_start_all<Wide>(blocks, count, points, bodies, sum);
}
void correct_wide(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step) {
  visit_all<true, Wide>(blocks, count, points, bodies, step);
}
void relax_wide(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step) {
  visit_all<false, Wide>(blocks, count, points, bodies, step);
}
#if HWY_ONCE
using Single = hn::CappedTag<double, 1>;  // the twin: one lane, one instruction set
constexpr auto kWarmStartSingle = warm_start_all<Single>;
constexpr auto kCorrectSingle = visit_all<true, Single>;
constexpr auto kRelaxSingle = visit_all<false, Single>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(warm_start_wide);
HWY_EXPORT(correct_wide);
HWY_EXPORT(relax_wide);

void warm_start_lanes(const LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, bool sum,
                      LaneWidth width) {
  if (width == LaneWidth::one) return HWY_NAMESPACE::kWarmStartSingle(blocks, count, points, bodies, sum);
  HWY_DYNAMIC_DISPATCH(warm_start_wide)(blocks, count, points, bodies, sum);
}

void solve_lanes(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step,
                 bool correct, LaneWidth width) {
  if (width == LaneWidth::one) {
    const auto visit = correct ? HWY_NAMESPACE::kCorrectSingle : HWY_NAMESPACE::kRelaxSingle;
    return visit(blocks, count, points, bodies, step);
  }
  if (correct) return HWY_DYNAMIC_DISPATCH(correct_wide)(blocks, count, points, bodies, step);
  HWY_DYNAMIC_DISPATCH(relax_wide)(blocks, count, points, bodies, step);
}

}  // namespace rigor
#endif
