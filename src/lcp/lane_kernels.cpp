// The sweep of lane_contacts.h: per point the relative velocity, three steps of Gauss–Seidel with the point's own 3×3 matrix, and
// the sum of the three impulses to the bodies, whose velocities stay in registers for all points of the pair.
#include "lcp/lane_contacts.h"
#include "math/lane_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lcp/lane_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "math/lane_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

using Wide = hn::CappedTag<double, kSweepLanes>;
template <class D> struct LaneVec { Num<D> x, y, z; };

template <class D> HWY_INLINE LaneVec<D> load_vec(D d, const SweepLanes<double>* v, int lane) {
  return {load(d, v[0] + lane), load(d, v[1] + lane), load(d, v[2] + lane)};
}
template <class D> HWY_INLINE Num<D> along(const LaneVec<D>& a, const LaneVec<D>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class D> HWY_INLINE LaneVec<D> across(const LaneVec<D>& a, const LaneVec<D>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class D> HWY_INLINE Num<D> size_of(const Num<D>& x) { return {hn::Abs(x.v)}; }

/// One of the two bodies of each pair.
template <class D> struct Side {
  static constexpr std::size_t kWidth = hn::MaxLanes(D());
  double* record[kWidth];
  LaneVec<D> v, w;

  HWY_INLINE void read(D d, const std::int32_t* place, PackedBody* bodies) {
    for (std::size_t i = 0; i < kWidth; ++i) record[i] = reinterpret_cast<double*>(&bodies[place[i]]);
    load_pairs(d, record, 0, v.x, v.y), load_pairs(d, record, 2, v.z, w.z), load_pairs(d, record, 4, w.x, w.y);
  }
  HWY_INLINE void write(D d) const {
    store_pairs(d, v.x, v.y, record, 0), store_pairs(d, v.z, w.z, record, 2), store_pairs(d, w.x, w.y, record, 4);
  }
  /// An impulse at the arm r.
  HWY_INLINE void push(D d, const LaneVec<D>& impulse, const LaneVec<D>& r, const double* mass,
                       const SweepLanes<double>* inertia, int lane) {
    const Num<D> m = load(d, mass + lane);
    v.x += m * impulse.x, v.y += m * impulse.y, v.z += m * impulse.z;
    const LaneVec<D> L = across(r, impulse);
    const Num<D> xy = load(d, inertia[3] + lane), xz = load(d, inertia[4] + lane), yz = load(d, inertia[5] + lane);
    w.x += load(d, inertia[0] + lane) * L.x + xy * L.y + xz * L.z;
    w.y += xy * L.x + load(d, inertia[1] + lane) * L.y + yz * L.z;
    w.z += xz * L.x + yz * L.y + load(d, inertia[2] + lane) * L.z;
  }
};

/// The bodies of a group while it is visited.
template <class D> struct Bodies {
  Side<D> a, b;

  HWY_INLINE void read(D d, const SweepPair& pair, int lane, PackedBody* bodies) {
    a.read(d, pair.a + lane, bodies), b.read(d, pair.b + lane, bodies);
  }
  HWY_INLINE void write(D d) const { a.write(d), b.write(d); }
  HWY_INLINE LaneVec<D> relative_velocity(const LaneVec<D>& r_a, const LaneVec<D>& r_b) const {
    const LaneVec<D> u_a = across(a.w, r_a), u_b = across(b.w, r_b);
    return {(b.v.x + u_b.x) - (a.v.x + u_a.x), (b.v.y + u_b.y) - (a.v.y + u_a.y), (b.v.z + u_b.z) - (a.v.z + u_a.z)};
  }
  HWY_INLINE void push(D d, const SweepPair& pair, int lane, const LaneVec<D>& impulse, const LaneVec<D>& r_a,
                       const LaneVec<D>& r_b) {
    const Num<D> zero = number(d, 0);
    const LaneVec<D> opposite{zero - impulse.x, zero - impulse.y, zero - impulse.z};
    a.push(d, opposite, r_a, pair.mass_a, pair.inertia_a, lane),
        b.push(d, impulse, r_b, pair.mass_b, pair.inertia_b, lane);
  }
};

template <class D>
HWY_INLINE LaneVec<D> sum_along(const LaneVec<D>& n, const Num<D>& x, const LaneVec<D>& t, const Num<D>& y,
                                const LaneVec<D>& s, const Num<D>& z) {
  return {n.x * x + t.x * y + s.x * z, n.y * x + t.y * y + s.y * z, n.z * x + t.z * y + s.z * z};
}

template <class D> void push_group(const SweepPair& pair, const SweepPoint* points, PackedBody* all, int lane) {
  const D d;
  Bodies<D> bodies;
  bodies.read(d, pair, lane, all);
  const LaneVec<D> n = load_vec(d, pair.n, lane), t = load_vec(d, pair.t, lane), s = across(n, t);
  for (int i = 0; i < pair.points; ++i) {
    const SweepPoint& p = points[pair.first + i];
    const LaneVec<D> x = load_vec(d, p.x, lane);
    bodies.push(d, pair, lane, sum_along(n, x.x, t, x.y, s, x.z), load_vec(d, p.r_a, lane), load_vec(d, p.r_b, lane));
  }
  bodies.write(d);
}

/// Largest change and multiplier of all visits, and a sum of changes that is not finite when one of them is not.
template <class D> struct Notes {
  Num<D> change, scale, sum;

  HWY_INLINE void take(const Num<D>& d_i, const Num<D>& now, const Num<D>& delta) {
    const Num<D> moved = d_i * size_of(delta);
    scale = max(scale, d_i * size_of(now)), change = max(change, moved), sum += moved;
  }
};

template <class D>
HWY_INLINE bool visit(D d, const SweepPair& pair, SweepPoint& p, int lane, const LaneVec<D>& n, const LaneVec<D>& t,
                      const LaneVec<D>& s, const Num<D>& omega, Bodies<D>& bodies, Notes<D>& notes) {
  const Num<D> zero = number(d, 0), gamma = load(d, pair.gamma + lane);
  const LaneVec<D> r_a = load_vec(d, p.r_a, lane), r_b = load_vec(d, p.r_b, lane), x = load_vec(d, p.x, lane);
  const LaneVec<D> v = bodies.relative_velocity(r_a, r_b);
  const Num<D> w_n = (load(d, p.constant[0] + lane) + gamma * x.x) + along(n, v);
  const Num<D> x_n = max(x.x - w_n * (omega * load(d, p.inverse[0] + lane)), zero), d_n = x_n - x.x;
  const auto nonzero =
      hn::Or(hn::Or(x_n.v, x.x.v), hn::Or(x.y.v, x.z.v));  // bits; −0 costs a visit and changes nothing
  if (hn::AllTrue(d, hn::Eq(nonzero, zero.v))) return false;
  const Num<D> k_nt = load(d, p.k_nt + lane), k_ns = load(d, p.k_ns + lane), k_ts = load(d, p.k_ts + lane);
  const auto limited = [&](const Num<D>& old, const Num<D>& w, int k, const double* mu) {
    const Num<D> most = load(d, mu + lane) * x_n;
    return min(max(old - w * (omega * load(d, p.inverse[k] + lane)), zero - most), most);
  };
  const Num<D> w_t = (load(d, p.constant[1] + lane) + gamma * x.y) + along(t, v) + k_nt * d_n;
  const Num<D> x_t = limited(x.y, w_t, 1, pair.mu_t), d_t = x_t - x.y;
  const Num<D> w_s = (load(d, p.constant[2] + lane) + gamma * x.z) + along(s, v) + (k_ns * d_n + k_ts * d_t);
  const Num<D> x_s = limited(x.z, w_s, 2, pair.mu_s), d_s = x_s - x.z;
  notes.take(load(d, p.scale[0] + lane), x_n, d_n);
  notes.take(load(d, p.scale[1] + lane), x_t, d_t);
  notes.take(load(d, p.scale[2] + lane), x_s, d_s);
  store(d, x_n, p.x[0] + lane), store(d, x_t, p.x[1] + lane), store(d, x_s, p.x[2] + lane);
  bodies.push(d, pair, lane, sum_along(n, d_n, t, d_t, s, d_s), r_a, r_b);
  return true;
}

template <class D>
void sweep_all(const SweepPair* pairs, std::size_t count, SweepPoint* points, PackedBody* all, double relaxation,
               bool backwards, Sweep& sweep) {
  const D d;
  constexpr int kWidth = static_cast<int>(hn::MaxLanes(D()));
  const Num<D> omega = number(d, relaxation), zero = number(d, 0);
  Notes<D> notes{zero, zero, zero};
  for (std::size_t k = 0; k < count; ++k) {
    const SweepPair& pair = pairs[k];
    for (int lane = 0; lane < pair.lanes; lane += kWidth) {
      Bodies<D> bodies;
      bodies.read(d, pair, lane, all);
      const LaneVec<D> n = load_vec(d, pair.n, lane), t = load_vec(d, pair.t, lane), s = across(n, t);
      bool moved = false;
      for (int i = 0; i < pair.points; ++i) {
        SweepPoint& p = points[pair.first + (backwards ? pair.points - 1 - i : i)];
        moved = visit(d, pair, p, lane, n, t, s, omega, bodies, notes) || moved;
      }
      if (moved) bodies.write(d);
    }
  }
  SweepLanes<double> change{}, scale{}, sum{};
  store(d, notes.change, change), store(d, notes.scale, scale), store(d, notes.sum, sum);
  for (int i = 0; i < kWidth; ++i) {
    sweep.change = worse(sweep.change, std::isfinite(sum[i]) ? change[i] : sum[i]);
    sweep.scale = std::max(sweep.scale, scale[i]);
  }
}

template <class D>
void residual_all(const SweepPair* pairs, std::size_t count, const SweepPoint* points, PackedBody* all, double& worst,
                  double& scale) {
  const D d;
  constexpr int kWidth = static_cast<int>(hn::MaxLanes(D()));
  const Num<D> zero = number(d, 0), one = number(d, 1), infinite = number(d, kUnbounded);
  Num<D> error = zero, largest = zero, sum = zero;
  for (std::size_t k = 0; k < count; ++k) {
    const SweepPair& pair = pairs[k];
    for (int lane = 0; lane < pair.lanes; lane += kWidth) {
      Bodies<D> bodies;
      bodies.read(d, pair, lane, all);
      const LaneVec<D> n = load_vec(d, pair.n, lane), t = load_vec(d, pair.t, lane), axes[3] = {n, t, across(n, t)};
      const Num<D> gamma = load(d, pair.gamma + lane);
      for (int i = 0; i < pair.points; ++i) {
        const SweepPoint& p = points[pair.first + i];
        const LaneVec<D> v = bodies.relative_velocity(load_vec(d, p.r_a, lane), load_vec(d, p.r_b, lane));
        const Num<D> load_of_point = size_of(load(d, p.x[0] + lane));
        const Num<D> most[3] = {infinite, load(d, pair.mu_t + lane) * load_of_point,
                                load(d, pair.mu_s + lane) * load_of_point};
        for (int a = 0; a < 3; ++a) {
          const Num<D> x = load(d, p.x[a] + lane), inverse = load(d, p.inverse[a] + lane);
          const Num<D> w = load(d, p.constant[a] + lane) + gamma * x + along(axes[a], v);
          const Num<D> least = a == 0 ? zero : zero - most[a];
          const Num<D> moved = x - min(max(x - w * inverse, least), most[a]);
          // Lanes without a pair have no diagonal.
          const Num<D> diagonal = choose(above(inverse, zero), one / inverse, zero);
          const Num<D> of_row = diagonal * size_of(moved);
          error = max(error, of_row), sum += of_row + (w - w);  // 0 of finite numbers
          largest = max(largest, diagonal * size_of(x));
        }
      }
    }
  }
  SweepLanes<double> errors{}, scales{}, sums{};
  store(d, error, errors), store(d, largest, scales), store(d, sum, sums);
  for (int i = 0; i < kWidth; ++i) {
    worst = worse(worst, std::isfinite(sums[i]) ? errors[i] : sums[i]);
    scale = std::max(scale, kRounding * scales[i]);
  }
}

void push_wide(const SweepPair* pairs, std::size_t count, const SweepPoint* points, PackedBody* bodies) {
  for (std::size_t k = 0; k < count; ++k)
    for (int lane = 0; lane < pairs[k].lanes; lane += static_cast<int>(hn::MaxLanes(Wide())))
      push_group<Wide>(pairs[k], points, bodies, lane);
}
void sweep_wide(const SweepPair* pairs, std::size_t count, SweepPoint* points, PackedBody* bodies, double omega,
                bool backwards, Sweep& sweep) {
  sweep_all<Wide>(pairs, count, points, bodies, omega, backwards, sweep);
}
void residual_wide(const SweepPair* pairs, std::size_t count, const SweepPoint* points, PackedBody* bodies,
                   double& worst, double& scale) {
  residual_all<Wide>(pairs, count, points, bodies, worst, scale);
}
#if HWY_ONCE
constexpr auto kSweepSingle = sweep_all<hn::CappedTag<double, 1>>;  // the twin: one lane, one instruction set
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(push_wide);
HWY_EXPORT(sweep_wide);
HWY_EXPORT(residual_wide);

void push_in_lanes(const SweepPair* pairs, std::size_t count, const SweepPoint* points, PackedBody* bodies) {
  HWY_DYNAMIC_DISPATCH(push_wide)(pairs, count, points, bodies);
}
void sweep_in_lanes(const SweepPair* pairs, std::size_t count, SweepPoint* points, PackedBody* bodies, double omega,
                    bool backwards, SweepWidth width, Sweep& sweep) {
  if (width == SweepWidth::one)
    return HWY_NAMESPACE::kSweepSingle(pairs, count, points, bodies, omega, backwards, sweep);
  HWY_DYNAMIC_DISPATCH(sweep_wide)(pairs, count, points, bodies, omega, backwards, sweep);
}
void residual_in_lanes(const SweepPair* pairs, std::size_t count, const SweepPoint* points, const PackedBody* bodies,
                       double& worst, double& scale) {
  // Read only; the records of bodies have one kind of pointer.
  HWY_DYNAMIC_DISPATCH(residual_wide)(pairs, count, points, const_cast<PackedBody*>(bodies), worst, scale);
}

}  // namespace rigor
#endif
