// The kernels of contacts in lanes: from contacts as they were found to blocks, and one visit to a block. See contact_blocks.h for the
// coordinates, contact_masses-inl.h for W and what follows from it.
//
// Preparation computes the center and the points of each manifold in its own plane, W and the masses of its rows, and what friction is to
// reach. The tangent is laid along the slip where surfaces slide, so that friction is exactly opposite to it.
//
// In a visit to a group of manifolds bodies are read, the manifolds solved in their own coordinates (contact_points-inl.h), and
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

#include "soft_step/contact_masses-inl.h"
#include "soft_step/contact_single-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

/// The N points of each contact.
template <class D, int N> struct Placed {
  LaneVec<D> between, center;      // from a's center of mass: to b's, to that of the contact
  LaneVec<D> middle[N], apart[N];  // midpoint, and from a's end to b's
  Num<D> gap[N];
};

/// Everything relative to a's center of mass.
template <int N, class D>
HWY_INLINE void place(D d, const LaneInput& in, int lane, const LaneVec<D>& n, Placed<D, N>& p) {
  const QuatOf<Num<D>> q_a = Records<D>(d, in.q_a + lane).quat(d), q_b = Records<D>(d, in.q_b + lane).quat(d);
  const Records<D> contact(d, in.contact + lane);
  const Num<D> half = number(d, 0.5), zero = number(d, 0);
  p.between = Records<D>(d, in.x_b + lane).vec(d, 0) - Records<D>(d, in.x_a + lane).vec(d, 0);
  p.center = {zero, zero, zero};
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    LaneVec<D> local_a, local_b;
    contact.vecs(d, point_at(i), local_a, local_b);
    const LaneVec<D> on_a = rotate(q_a, local_a), on_b = p.between + rotate(q_b, local_b);
    p.middle[i] = half * (on_a + on_b);
    p.apart[i] = on_b - on_a;
    p.gap[i] = dot(n, p.apart[i]);
    p.center = p.center + p.middle[i];
  }
  p.center = number(d, 1.0 / N) * p.center;
}

/// The impulses of the last step, for one sub-step. Without a normal impulse there is no friction.
template <int N, class D> HWY_INLINE void load_impulses(D d, const LaneInput& in, int lane, LanePoint* points) {
  const Records<D> contact(d, in.contact + lane);
  const Num<D> sub_steps = number(d, in.count), zero = number(d, 0);
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    const LaneVec<D> impulse = contact.vec(d, point_at(i) + kImpulse);
    const hn::Mask<D> pushes = above(impulse.x, zero);
    store(d, choose(pushes, impulse.x / sub_steps, zero), points[i].impulse[0] + lane);
    store(d, choose(pushes, impulse.y / sub_steps, zero), points[i].impulse[1] + lane);
    store(d, choose(pushes, impulse.z / sub_steps, zero), points[i].impulse[2] + lane);
  }
}

/// Lays the tangent along the slip and turns the impulses into it; chooses static or kinetic friction. Returns the lanes that stick.
template <int N, class D>
HWY_INLINE hn::Mask<D> prepare_friction(D d, const LaneInput& in, int lane, Found<D>& m, LaneBlock& block,
                                        LanePoint* points) {
  const Records<D> contact(d, in.contact + lane);
  const LaneVec<D> surface = load_vec(d, in.surface_velocity, lane);
  const LaneVec<D> velocity = m.b.velocity_at_arm() - m.a.velocity_at_arm() + surface;
  const LaneVec<D> slip_now = velocity - dot(m.n, velocity) * m.n;
  // The direction is that of the slip to come: what begins to slide has none yet.
  const LaneVec<D> ahead = velocity + m.b.moved + cross(m.b.turned, m.b.arm) - m.a.moved - cross(m.a.turned, m.a.arm);
  const LaneVec<D> slip = ahead - dot(m.n, ahead) * m.n;
  const Num<D> squared = dot(slip, slip), limit = number(d, in.stick_speed * in.stick_speed), zero = number(d, 0);
  const hn::Mask<D> slides = above(dot(slip_now, slip_now), limit);
  const hn::Mask<D> turns = hn::And(above(squared, limit), above(number(d, 0.5), load(d, in.keeps_tangent + lane)));
  const Num<D> per_speed = number(d, 1) / sqrt(choose(turns, squared, number(d, 1)));
  const LaneVec<D> t{choose(turns, per_speed * slip.x, m.t.x), choose(turns, per_speed * slip.y, m.t.y),
                     choose(turns, per_speed * slip.z, m.t.z)};
  const Num<D> cosine = choose(turns, dot(t, m.t), number(d, 1)), sine = choose(turns, dot(t, m.s), zero);
  m.t = t, m.s = cross(m.n, t);
  const auto turn = [&](float* along, float* across) HWY_ATTR {
    const Num<D> x = load(d, along), y = load(d, across);
    store(d, cosine * x + sine * y, along), store(d, cosine * y - sine * x, across);
  };
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) turn(points[i].impulse[1] + lane, points[i].impulse[2] + lane);
  LaneArray<float>* turning = block.couplings->turning_impulse;
  if (block.has_turning) turn(turning[0] + lane, turning[1] + lane);
  store_vec(d, m.t, block.tangent, lane);
  const Destinations<D> to(d, in.contact + lane);
  store_pairs(d, m.t.x, m.t.y, to.at, kTangent), store_pairs(d, m.t.y, m.t.z, to.at, kTangent + 1);
  const LaneVec<D> frictions = contact.vec(d, kFriction);  // kinetic, restitution, static
  const Num<D> across = load(d, in.across + lane);
  const hn::Mask<D> has_across = above(across, zero);
  m.has_across = choose(has_across, number(d, 1), zero);
  store(d, choose(has_across, number(d, 1) / choose(has_across, across, number(d, 1)), zero),
        block.inverse_across + lane);
  store(d, choose(slides, frictions.x, frictions.z), block.friction + lane);
  store(d, zero - dot(surface, m.t), block.slip[0] + lane), store(d, zero - dot(surface, m.s), block.slip[1] + lane);
  return hn::Not(hn::Or(slides, above(dot(surface, surface), zero)));
}

/// Creep below this distance is not undone, so that a heap that trembles needs no additional sweeps. Chosen.
constexpr double kCrept = 1e-4;  // m

/// Moves the two ends of every point to their middle along the surface. Their distance along the normal stays.
HWY_NOINLINE void anchor(Contact& c, const Quat& q_a, const Quat& q_b, const Vec3& between) {
  for (ContactPoint& p : std::span(c.points).first(static_cast<std::size_t>(c.count))) {
    const Vec3 apart = between + rotate(q_b, p.local_b) - rotate(q_a, p.local_a);
    const Vec3 half = 0.5 * (apart - dot(c.normal, apart) * c.normal);
    p.local_a += rotate_inverse(q_a, half), p.local_b -= rotate_inverse(q_b, half);
  }
}

/// The points of a contact that is reused from step to step show where the surfaces stuck. The bodies creep, because sweeps do not
/// converge; the creep is undone while positions are corrected. Points of surfaces that slide are moved to where the surfaces are now.
template <int N, class D>
HWY_INLINE void prepare_pull(D d, const LaneInput& in, int lane, hn::Mask<D> sticks, const Found<D>& m,
                             const Placed<D, N>& p, const Masses<D, true, N>& points, LaneBlock& block) {
  const Num<D> zero = number(d, 0);
  Num<D> along = zero, across = zero, twist = zero, spread = zero;
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    const Num<D> x = dot(m.t, p.apart[i]), y = dot(m.s, p.apart[i]), u = points.u[i], v = points.v[i];
    along += x, across += y, twist += u * y - v * x, spread += u * u + v * v;
  }
  const hn::Mask<D> has_anchor = above(load(d, in.has_anchor + lane), zero);
  const Num<D> count = number(d, N), none = number(d, kCrept), one = number(d, 1);
  const Num<D> rate = choose(hn::And(sticks, has_anchor), number(d, in.pull_rate), zero);
  const hn::Mask<D> is_wide = above(spread, zero);
  const Num<D> radius = sqrt(spread / count), angle = choose(is_wide, twist / choose(is_wide, spread, one), zero);
  const Num<D> crept = sqrt(along * along + across * across) / count, turned = max(angle, zero - angle) * radius;
  // Translation and rotation are undone separately, each down to kCrept.
  const Num<D> pull = rate * choose(above(crept, none), one - none / max(crept, none), zero) / count;
  const Num<D> turn = rate * choose(above(turned, none), one - none / max(turned, none), zero);
  store(d, load(d, block.slip[0] + lane) - pull * along, block.pull[0] + lane);
  store(d, load(d, block.slip[1] + lane) - pull * across, block.pull[1] + lane);
  store(d, zero - turn * angle, block.pull[2] + lane);
  const hn::Mask<D> is_off = above(along * along + across * across, number(d, 1e-18));  // m², beyond rounding
  const unsigned moved = bits_of(d, hn::And(has_anchor, hn::AndNot(sticks, is_off)));
  for (int i = 0; moved >> i != 0; ++i)
    if ((moved >> i & 1U) != 0) {
      const int at = lane + i;
      anchor(*in.contact[at], *in.q_a[at], *in.q_b[at], *in.x_b[at] - *in.x_a[at]);
    }
}

template <int N, class D>
HWY_INLINE void prepare_group(D d, LaneInput& in, const LaneBodies& bodies, int lane, LaneBlock& block,
                              LanePoint* points) {
  Found<D> m;
  Records<D>(d, in.contact + lane).vecs(d, kNormal, m.n, m.t);
  m.s = cross(m.n, m.t);
  m.a.read_velocity(d, block.a + lane, bodies), m.b.read_velocity(d, block.b + lane, bodies);
  m.a.read_pose(d, block.a + lane, bodies), m.b.read_pose(d, block.b + lane, bodies);
  m.a.read_mass(d, block.a + lane, bodies), m.b.read_mass(d, block.b + lane, bodies);
  Placed<D, N> p;
  place(d, in, lane, m.n, p);
  m.a.arm = p.center, m.b.arm = p.center - p.between;
  store_vec(d, m.n, block.normal, lane);
  store_vec(d, m.a.arm, block.arm_a, lane), store_vec(d, m.b.arm, block.arm_b, lane);
  load_impulses<N>(d, in, lane, points);
  const hn::Mask<D> sticks = prepare_friction<N>(d, in, lane, m, block, points);
  const LaneVec<D> x_n = m.normal_motion();
  const Destinations<D> to(d, in.contact + lane);
  const hn::Mask<D> is_used = above(load(d, in.is_used + lane), number(d, 0));
  Masses<D, /*kAll=*/true, N> masses(is_used);
  HWY_UNROLL(4)
  for (int i = 0; i < N; ++i) {
    const LaneVec<D> rho = p.middle[i] - p.center;
    masses.u[i] = dot(m.t, rho), masses.v[i] = dot(m.s, rho);
    const Num<D> closing = masses.u[i] * x_n.z - masses.v[i] * x_n.y - x_n.x;
    store_pairs(d, p.gap[i], closing, to.at, point_at(i) + kSeparation);
    store(d, p.gap[i], points[i].gap + lane);
    if (block.is_single()) continue;
    store(d, masses.u[i], points[i].u + lane);
    store(d, masses.v[i], points[i].v + lane);
  }
  prepare_pull<N>(d, in, lane, sticks, m, p, masses, block);
  store(d, number(d, 0), block.pushed + lane);
  store(d, number(d, 0), block.stale + lane);
  masses.store_all(d, m, lane, block, points);
}

/// Visits read as many lanes at once, also those that are not used.
constexpr int kVisitedLanes = static_cast<int>(hn::MaxLanes(hn::CappedTag<float, kBlockLanes>()));

template <int N, class D>
HWY_NOINLINE void prepare_block(D d, LaneInput& in, const LaneBodies& bodies, LaneBlock& block, LanePoint* points) {
  const int end = (block.lanes + kVisitedLanes - 1) / kVisitedLanes * kVisitedLanes;
  for (int lane = 0; lane < end; lane += static_cast<int>(hn::MaxLanes(d)))
    prepare_group<N>(d, in, bodies, lane, block, points);
}

template <class D> void prepare_all(LaneInput& in, const LaneBodies& bodies, LaneBlock& block, LanePoint* points) {
  const D d;
  switch (block.points) {
    case 1: return prepare_block<1>(d, in, bodies, block, points);
    case 2: return prepare_block<2>(d, in, bodies, block, points);
    case 3: return prepare_block<3>(d, in, bodies, block, points);
    default: prepare_block<4>(d, in, bodies, block, points);
  }
}

void prepare_wide(LaneInput& in, const LaneBodies& bodies, LaneBlock& block, LanePoint* points) {
  prepare_all<hn::CappedTag<double, kBlockLanes / 2>>(in, bodies, block, points);
}

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
constexpr auto kPrepareSingle = prepare_all<hn::CappedTag<double, 1>>;
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

HWY_EXPORT(prepare_wide);
HWY_EXPORT(warm_start_wide);
HWY_EXPORT(correct_wide);
HWY_EXPORT(relax_wide);
HWY_EXPORT(follow_wide);

void prepare_lanes(LaneInput& input, const LaneBodies& bodies, LaneBlock& block, LanePoint* points, LaneWidth width) {
  if (width == LaneWidth::one) return HWY_NAMESPACE::kPrepareSingle(input, bodies, block, points);
  HWY_DYNAMIC_DISPATCH(prepare_wide)(input, bodies, block, points);
}

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
