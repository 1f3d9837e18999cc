// One visit to a group of manifolds: bodies are read, the manifolds solved in their own coordinates (contact_points-inl.h), and
// the sum of all changes applied to the two bodies of each as one wrench.
//
// Lanes in which no point pushes or is about to are left alone. Many are: boxes side by side touch without a load. As blocks
// hold contacts that pushed in the last step apart from those that did not (contact_layout.cpp), whole visits end early.
//
// Bodies are read and written in double precision (lanes of D), what happens within a manifold is in single precision (F).
#include "soft_step/contact_kernels.h"
#include "math/lane_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "soft_step/contact_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "soft_step/contact_single-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

using Wide = hn::CappedTag<float, kBlockLanes>;

template <LaneVisit kVisit, int N, class F>
HWY_INLINE void visit(F f, LaneBlock& block, LanePoint* data, int lane, const LaneBodies& bodies,
                      const LaneStep& step) {
  constexpr bool kCorrect = kVisit == LaneVisit::correct;
  Manifold<F> m;
  Points<F, N> points;
  points.read_normal(f, data, lane);
  if constexpr (kVisit == LaneVisit::follow) {
    points.follow(f, m.place(f, block, lane, bodies), data, lane);
    refresh_stale(f, block, data, lane, bodies);
  }
  m.read_motion(f, block, lane, bodies);
  LaneVec<F> x_n, x_f;
  m.relative_motion(x_n, x_f);
  Targets<F, N> targets;
  targets.template set<kCorrect>(f, points, data, lane, x_n, step);
  hn::Mask<F> quiet = targets.quiet(f, points);
  if (block.has_turning) quiet = above(number(f, 0), number(f, 0));  // none
  if (HWY_UNLIKELY(block.active != kAllLanes)) quiet = hn::Or(quiet, hn::Not(active_lanes(f, block, lane)));
  if (hn::AllTrue(f, quiet)) return;

  m.read_masses(block, lane, bodies);
  points.read_friction(f, data, lane);
  const LaneVec<F> old_normal = points.normal_wrench(f), old_friction = points.friction_wrench(f);
  solve_normals<kCorrect, N>(f, block, data, lane, quiet, x_n, targets, points);
  LaneVec<F> normal = points.normal_wrench(f) - old_normal;
  const LaneArray<float>* C = block.couplings->W_fn;
  const LaneVec<F> rows[3] = {load_vec(f, C, lane), load_vec(f, C + 3, lane), load_vec(f, C + 6, lane)};
  x_f = x_f + LaneVec<F>{dot(rows[0], normal), dot(rows[1], normal), dot(rows[2], normal)};
  const LaneVec<F> wanted = wanted_slip<kCorrect>(f, block, lane);
  solve_friction<N>(f, block, lane, quiet, x_f - wanted, points);
  LaneVec<F> friction = points.friction_wrench(f) - old_friction;
  const hn::Mask<F> changed = hn::Not(quiet);
  if (block.has_turning) solve_turning(f, block, lane, changed, x_n, x_f, points.normal_wrench(f).x, normal, friction);
  if (block.has_impacts)
    for (int i = 0; i < N; ++i)
      hn::BlendedStore(max(load(f, data[i].peak + lane), points.normal[i]).v, changed, f, data[i].peak + lane);
  points.write(f, changed, data, lane);
  m.apply(f, normal, friction);
  m.write(block, lane, bits_of(f, changed), bodies);
}

template <int N, class F>
HWY_INLINE void warm_start(F f, LaneBlock& block, const LanePoint* data, int lane, const LaneBodies& bodies, bool sum) {
  Points<F, N> points;
  points.read_normal(f, data, lane);
  hn::Mask<F> pushing = above(points.most_pushing(), number(f, 0));
  if (block.has_turning) pushing = above(number(f, 1), number(f, 0));  // all
  if (hn::AllFalse(f, pushing)) return;

  points.read_friction(f, data, lane);
  LaneVec<F> normal = points.normal_wrench(f), friction = points.friction_wrench(f);
  if (sum) store(f, load(f, block.pushed + lane) + normal.x, block.pushed + lane);
  if (block.has_turning) {
    normal.y += load(f, block.couplings->turning_impulse[0] + lane),
        normal.z += load(f, block.couplings->turning_impulse[1] + lane);
    friction.z += load(f, block.couplings->turning_impulse[2] + lane);
  }
  Manifold<F> m;
  m.read_motion(f, block, lane, bodies);
  m.read_masses(block, lane, bodies);
  m.apply(f, normal, friction);
  m.write(block, lane, bits_of(f, pushing), bodies);
}

template <int N, class F>
HWY_INLINE void warm_start_block(F f, LaneBlock& block, const LanePoint* data, const LaneBodies& bodies, bool sum) {
  for (int lane = 0; lane < block.lanes; lane += static_cast<int>(hn::MaxLanes(f))) {
    if (N == 1 && block.is_single())
      warm_start_single(f, block, *data, lane, bodies, sum);
    else
      warm_start<N>(f, block, data, lane, bodies, sum);
  }
}

template <class F>
void warm_start_all(LaneBlock* blocks, int count, const LanePoint* points, const LaneBodies& bodies, bool sum) {
  const F f;
  for (LaneBlock* block = blocks; block != blocks + count; ++block) {
    const LanePoint* data = points + block->first_point;
    switch (block->points) {
      case 1: warm_start_block<1>(f, *block, data, bodies, sum); break;
      case 2: warm_start_block<2>(f, *block, data, bodies, sum); break;
      case 3: warm_start_block<3>(f, *block, data, bodies, sum); break;
      default: warm_start_block<4>(f, *block, data, bodies, sum);
    }
  }
}

template <LaneVisit kVisit, class F>
HWY_NOINLINE void visit_single_block(F f, LaneBlock& block, LanePoint& data, const LaneBodies& bodies,
                                     const LaneStep& step) {
  for (int lane = 0; lane < block.lanes; lane += static_cast<int>(hn::MaxLanes(f)))
    visit_single<kVisit>(f, block, data, lane, bodies, step);
}

template <LaneVisit kVisit, int N, class F>
HWY_NOINLINE void visit_block(F f, LaneBlock& block, LanePoint* data, const LaneBodies& bodies, const LaneStep& step) {
  if (N == 1 && block.is_single()) return visit_single_block<kVisit>(f, block, *data, bodies, step);
  for (int lane = 0; lane < block.lanes; lane += static_cast<int>(hn::MaxLanes(f)))
    visit<kVisit, N>(f, block, data, lane, bodies, step);
}

template <LaneVisit kVisit, class F>
void visit_all(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step) {
  const F f;
  for (LaneBlock* block = blocks; block != blocks + count; ++block) {
    LanePoint* data = points + block->first_point;
    if (block->active == 0) continue;
    switch (block->points) {
      case 1:
        if (!step.skips_single) visit_block<kVisit, 1>(f, *block, data, bodies, step);
        break;
      case 2: visit_block<kVisit, 2>(f, *block, data, bodies, step); break;
      case 3: visit_block<kVisit, 3>(f, *block, data, bodies, step); break;
      default: visit_block<kVisit, 4>(f, *block, data, bodies, step);
    }
  }
}

void warm_start_wide(LaneBlock* blocks, int count, const LanePoint* points, const LaneBodies& bodies, bool sum) {
  warm_start_all<Wide>(blocks, count, points, bodies, sum);
}
void correct_wide(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step) {
  visit_all<LaneVisit::correct, Wide>(blocks, count, points, bodies, step);
}
void relax_wide(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step) {
  visit_all<LaneVisit::relax, Wide>(blocks, count, points, bodies, step);
}
void follow_wide(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step) {
  visit_all<LaneVisit::follow, Wide>(blocks, count, points, bodies, step);
}
#if HWY_ONCE
using Single = hn::CappedTag<float, 1>;  // the twin: one lane, one instruction set
constexpr auto kWarmStartSingle = warm_start_all<Single>;
constexpr auto kCorrectSingle = visit_all<LaneVisit::correct, Single>;
constexpr auto kRelaxSingle = visit_all<LaneVisit::relax, Single>;
constexpr auto kFollowSingle = visit_all<LaneVisit::follow, Single>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(warm_start_wide);
HWY_EXPORT(correct_wide);
HWY_EXPORT(relax_wide);
HWY_EXPORT(follow_wide);

void warm_start_lanes(LaneBlock* blocks, int count, const LanePoint* points, const LaneBodies& bodies, bool sum,
                      LaneWidth width) {
  if (width == LaneWidth::one) return HWY_NAMESPACE::kWarmStartSingle(blocks, count, points, bodies, sum);
  HWY_DYNAMIC_DISPATCH(warm_start_wide)(blocks, count, points, bodies, sum);
}

void solve_lanes(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step,
                 LaneVisit visit, LaneWidth width) {
  const bool one = width == LaneWidth::one;
  switch (visit) {
    case LaneVisit::correct:
      if (one) return HWY_NAMESPACE::kCorrectSingle(blocks, count, points, bodies, step);
      return HWY_DYNAMIC_DISPATCH(correct_wide)(blocks, count, points, bodies, step);
    case LaneVisit::relax:
      if (one) return HWY_NAMESPACE::kRelaxSingle(blocks, count, points, bodies, step);
      return HWY_DYNAMIC_DISPATCH(relax_wide)(blocks, count, points, bodies, step);
    case LaneVisit::follow:
      if (one) return HWY_NAMESPACE::kFollowSingle(blocks, count, points, bodies, step);
      return HWY_DYNAMIC_DISPATCH(follow_wide)(blocks, count, points, bodies, step);
  }
}

}  // namespace rigor
#endif
