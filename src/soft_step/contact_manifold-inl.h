// A group of manifolds in lanes and their bodies: read, relative motion, wrench applied, written back. Shared by the kernels
// of contact_kernels.cpp. Compiled once for every instruction set, hence the toggling guard.
#if defined(RIGOR_CONTACT_MANIFOLD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGOR_CONTACT_MANIFOLD_INL_H
#undef RIGOR_CONTACT_MANIFOLD_INL_H
#else
#define RIGOR_CONTACT_MANIFOLD_INL_H
#endif

#include "math/lane_numbers-inl.h"
#include "math/lane_vectors-inl.h"
#include "soft_step/contact_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

template <class D> using LaneVec = Vec3Of<Num<D>>;

/// A symmetric 3×3 matrix: xx xy xz yy yz zz.
template <class D> struct Sym { Num<D> e[6]; };

template <class D> HWY_INLINE LaneVec<D> operator*(const Sym<D>& m, const LaneVec<D>& v) {
  return {m.e[0] * v.x + m.e[1] * v.y + m.e[2] * v.z, m.e[1] * v.x + m.e[3] * v.y + m.e[4] * v.z,
          m.e[2] * v.x + m.e[4] * v.y + m.e[5] * v.z};
}

template <class D, class T> HWY_INLINE Sym<D> load_sym(D d, const LaneArray<T>* m, int lane) {
  return {{load(d, m[0] + lane), load(d, m[1] + lane), load(d, m[2] + lane), load(d, m[3] + lane), load(d, m[4] + lane),
           load(d, m[5] + lane)}};
}
template <class D, class T> HWY_INLINE void store_sym(D d, const Sym<D>& x, LaneArray<T>* m, int lane) {
  for (int k = 0; k < 6; ++k) store(d, x.e[k], m[k] + lane);
}
template <class D, class T> HWY_INLINE LaneVec<D> load_vec(D d, const LaneArray<T>* v, int lane) {
  return {load(d, v[0] + lane), load(d, v[1] + lane), load(d, v[2] + lane)};
}
template <class D, class T> HWY_INLINE void store_vec(D d, const LaneVec<D>& x, LaneArray<T>* v, int lane) {
  store(d, x.x, v[0] + lane), store(d, x.y, v[1] + lane), store(d, x.z, v[2] + lane);
}

/// Records of bodies, kScale times as long as those of velocities.
template <int kScale> struct BodyRecords {
  const char* first;
  const std::int32_t* offset;  // by lane

  HWY_INLINE const double* operator[](std::size_t lane) const {
    return reinterpret_cast<const double*>(first + std::ptrdiff_t{kScale} * offset[lane]);
  }
};

/// One of the two bodies of each manifold.
template <class D> struct Side {
  LaneVec<D> v, w, moved, turned;
  Num<D> stale, inverse_radius;
  LaneVec<D> arm;  // m, from the center of mass to that of the contact
  Sym<D> inverse_inertia;
  Num<D> inverse_mass;

  HWY_INLINE void read_velocity(D d, const std::int32_t* offset, const LaneBodies& bodies) {
    const BodyRecords<1> u{reinterpret_cast<const char*>(bodies.velocity), offset};
    load_pairs(d, u, 0, v.x, v.y), load_pairs(d, u, 2, v.z, w.x), load_pairs(d, u, 4, w.y, w.z);
  }
  HWY_INLINE void read_pose(D d, const std::int32_t* offset, const LaneBodies& bodies) {
    const BodyRecords<2> pose{reinterpret_cast<const char*>(bodies.body), offset};
    load_pairs(d, pose, 0, moved.x, moved.y), load_pairs(d, pose, 2, moved.z, turned.x);
    load_pairs(d, pose, 4, turned.y, turned.z), load_pairs(d, pose, 6, stale, inverse_radius);
  }
  HWY_INLINE void read_mass(D d, const std::int32_t* offset, const LaneBodies& bodies) {
    const BodyRecords<2> mass{reinterpret_cast<const char*>(bodies.body->inverse_inertia), offset};
    Num<D>* I = inverse_inertia.e;
    load_pairs(d, mass, 0, I[0], I[1]), load_pairs(d, mass, 2, I[2], I[3]), load_pairs(d, mass, 4, I[4], I[5]);
    Num<D> skew;
    load_pairs(d, mass, 6, inverse_mass, skew);
  }
  /// Bodies that do not move are not written: other threads may read them. `lanes` has a bit for each that has changed.
  HWY_INLINE void write(D d, const std::int32_t* offset, unsigned lanes, const LaneBodies& bodies) const {
    const hn::Rebind<std::int64_t, D> wide;
    const std::uint8_t bits[8] = {static_cast<std::uint8_t>(lanes)};
    alignas(64) double nowhere[6];
    const auto first = reinterpret_cast<std::intptr_t>(bodies.velocity);
    const auto at = hn::PromoteTo(wide, hn::LoadU(hn::Rebind<std::int32_t, D>(), offset));
    const auto is_free = hn::Lt(at, hn::Set(wide, std::int64_t{kVelocitySize} * bodies.awake));
    const auto to = hn::IfThenElse(hn::And(hn::LoadMaskBits(wide, bits), is_free), hn::Add(at, hn::Set(wide, first)),
                                   hn::Set(wide, reinterpret_cast<std::intptr_t>(nowhere)));
    alignas(64) double* u[hn::MaxLanes(D())];
    hn::StoreU(to, wide, reinterpret_cast<std::int64_t*>(u));
    store_pairs(d, v.x, v.y, u, 0), store_pairs(d, v.z, w.x, u, 2), store_pairs(d, w.y, w.z, u, 4);
  }
  HWY_INLINE LaneVec<D> velocity_at_arm() const { return v + cross(w, arm); }
};

/// As many doubles as a register holds for the lanes of F, and how many such parts F has: one or two.
template <class F>
inline constexpr std::size_t kPartLanes = HWY_MIN(hn::MaxLanes(F()), hn::MaxLanes(hn::ScalableTag<double>()));
template <class F> using DoublesOf = hn::CappedTag<double, kPartLanes<F>>;
template <class F> inline constexpr int kParts = static_cast<int>(hn::MaxLanes(F()) / kPartLanes<F>);

/// Vectors of floats of all lanes from those of the parts.
template <class F> HWY_INLINE Num<F> joined(F f, const Num<Floats<DoublesOf<F>>>* part) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kParts<F> == 2) return {hn::Combine(f, part[1].v, part[0].v)};
#endif
  if constexpr (kParts<F> == 1) return (void)f, Num<F>{part[0].v};
}
template <class F> struct VecParts {
  using H = Floats<DoublesOf<F>>;
  Num<H> x[kParts<F>], y[kParts<F>], z[kParts<F>];

  HWY_INLINE void set(int part, const LaneVec<H>& v) { x[part] = v.x, y[part] = v.y, z[part] = v.z; }
  HWY_INLINE LaneVec<F> all(F f) const { return {joined(f, x), joined(f, y), joined(f, z)}; }
};
/// And back, as doubles.
template <class F> HWY_INLINE Num<DoublesOf<F>> widened_part(F, const Num<F>& x, int part) {
  const DoublesOf<F> d;
  const Floats<DoublesOf<F>> half;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kParts<F> == 2)
    return {hn::PromoteTo(d, part == 0 ? hn::LowerHalf(half, x.v) : hn::UpperHalf(half, x.v))};
#endif
  if constexpr (kParts<F> == 1) return (void)half, (void)part, Num<DoublesOf<F>>{hn::PromoteTo(d, x.v)};
}
template <class F> HWY_INLINE LaneVec<DoublesOf<F>> widened_part(F f, const LaneVec<F>& v, int part) {
  return {widened_part(f, v.x, part), widened_part(f, v.y, part), widened_part(f, v.z, part)};
}

template <class F> HWY_INLINE unsigned bits_of(F f, hn::Mask<F> mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(f, mask, bits);
  return bits[0] | unsigned{bits[1]} << 8;
}

/// The lanes [lane, lane + width of F) that are active.
template <class F> HWY_INLINE hn::Mask<F> active_lanes(F f, const LaneBlock& block, int lane) {
  const std::uint32_t some = block.active >> lane;
  const std::uint8_t bits[8] = {static_cast<std::uint8_t>(some), static_cast<std::uint8_t>(some >> 8)};
  return hn::LoadMaskBits(f, bits);
}

template <class D> HWY_INLINE LaneVec<Floats<D>> narrowed(D d, const LaneVec<D>& v) {
  return {narrowed(d, v.x), narrowed(d, v.y), narrowed(d, v.z)};
}
/// Clamps motions so that single precision holds them and their squares, far above all realistic values.
template <class F> HWY_INLINE LaneVec<F> cut(F f, const LaneVec<F>& v) {
  const Num<F> most = number(f, 1e12), least = number(f, -1e12);
  return {min(max(v.x, least), most), min(max(v.y, least), most), min(max(v.z, least), most)};
}

/// While it is solved. The two parts of its motion are normal = (Vₙ, Ω₁, Ω₂) and friction = (V₁, V₂, Ωₙ).
///
/// What is double precision is what the conservation of momentum rests on: velocities, arms, inertias. Along the axes of the
/// contact everything is single precision; an impulse that is rounded is the same one for both bodies. A register holds twice
/// as many floats as doubles, hence the parts.
template <class F> struct Manifold {
  using D = DoublesOf<F>;
  LaneVec<F> n, t, s;  // s = n × t
  Side<D> a[kParts<F>], b[kParts<F>];
  LaneVec<F> V, spin;  // m/s and rad/s, of b against a at the center

  HWY_INLINE void read_motion(F f, const LaneBlock& block, int lane, const LaneBodies& bodies) {
    VecParts<F> Vs, spins;
    HWY_UNROLL(2)
    for (int k = 0; k < kParts<F>; ++k) {
      read_side_velocities(block, lane, k, bodies);
      Vs.set(k, narrowed(D(), b[k].velocity_at_arm() - a[k].velocity_at_arm()));
      spins.set(k, narrowed(D(), b[k].w - a[k].w));
    }
    read_axes(f, block, lane);
    V = cut(f, Vs.all(f)), spin = cut(f, spins.all(f));
  }
  /// The same without spins.
  HWY_INLINE void read_velocity(F f, const LaneBlock& block, int lane, const LaneBodies& bodies) {
    VecParts<F> Vs;
    HWY_UNROLL(2)
    for (int k = 0; k < kParts<F>; ++k) {
      read_side_velocities(block, lane, k, bodies);
      Vs.set(k, narrowed(D(), b[k].velocity_at_arm() - a[k].velocity_at_arm()));
    }
    read_axes(f, block, lane);
    V = cut(f, Vs.all(f));
  }
  /// Arms now; returns by how much the bodies have come apart since arms were placed last, along the normal and about t₁, t₂.
  HWY_INLINE LaneVec<F> place(F f, LaneBlock& block, int lane, const LaneBodies& bodies) {
    VecParts<F> ways, turns;
    HWY_UNROLL(2)
    for (int k = 0; k < kParts<F>; ++k) {
      const D d;
      const int at = lane + k * static_cast<int>(kPartLanes<F>);
      Side<D>&x = a[k], &y = b[k];
      x.read_pose(d, block.a + at, bodies), y.read_pose(d, block.b + at, bodies);
      // The center of the contact moves along with the bodies but does not turn with them, as the contact of a wheel does.
      // It is one point for both bodies, so the total angular momentum stays.
      const LaneVec<D> moved = load(d, block.follow_a + at) * x.moved + load(d, block.follow_b + at) * y.moved;
      const LaneVec<D> arm_a = load_vec(d, block.arm_a, at), arm_b = load_vec(d, block.arm_b, at);
      const LaneVec<D> shift_a = moved - x.moved, shift_b = moved - y.moved;
      store_vec(d, arm_a + shift_a, block.arm_a, at), store_vec(d, arm_b + shift_b, block.arm_b, at);
      const Num<D> stale = x.stale + y.stale + sqrt(dot(shift_a, shift_a)) * x.inverse_radius +
                           sqrt(dot(shift_b, shift_b)) * y.inverse_radius;
      store(d, min(load(d, block.stale + at) + stale, number(d, 1e30)), block.stale + at);
      const auto turned_a = narrowed(d, x.turned), turned_b = narrowed(d, y.turned);
      ways.set(k, narrowed(d, y.moved - x.moved) + cross(turned_b, narrowed(d, arm_b)) -
                      cross(turned_a, narrowed(d, arm_a)));
      turns.set(k, turned_b - turned_a);
    }
    read_axes(f, block, lane);
    const LaneVec<F> way = cut(f, ways.all(f)), turn = turns.all(f);
    return {dot(n, way), dot(t, turn), dot(s, turn)};
  }
  HWY_INLINE void read_masses(const LaneBlock& block, int lane, const LaneBodies& bodies) {
    HWY_UNROLL(2)
    for (int k = 0; k < kParts<F>; ++k) {
      const int at = lane + k * static_cast<int>(kPartLanes<F>);
      a[k].read_mass(D(), block.a + at, bodies), b[k].read_mass(D(), block.b + at, bodies);
    }
  }
  /// `lanes` has a bit for each that has changed.
  HWY_INLINE void write(const LaneBlock& block, int lane, unsigned lanes, const LaneBodies& bodies) const {
    HWY_UNROLL(2)
    for (int k = 0; k < kParts<F>; ++k) {
      const int at = k * static_cast<int>(kPartLanes<F>);
      a[k].write(D(), block.a + lane + at, lanes >> at, bodies);
      b[k].write(D(), block.b + lane + at, lanes >> at, bodies);
    }
  }
  HWY_INLINE void relative_motion(LaneVec<F>& normal, LaneVec<F>& friction) const {
    normal = {dot(n, V), dot(t, spin), dot(s, spin)};
    friction = {dot(t, V), dot(s, V), dot(n, spin)};
  }
  /// normal = (Pₙ, M₁, M₂), friction = (P₁, P₂, Mₙ), on b.
  HWY_INLINE void apply(F f, const LaneVec<F>& normal, const LaneVec<F>& friction) {
    const LaneVec<F> force = normal.x * n + friction.x * t + friction.y * s;
    const LaneVec<F> torque = friction.z * n + normal.y * t + normal.z * s;
    HWY_UNROLL(2)
    for (int k = 0; k < kParts<F>; ++k) {
      const LaneVec<D> P = widened_part(f, force, k), M = widened_part(f, torque, k);
      Side<D>&x = a[k], &y = b[k];
      x.v = x.v - x.inverse_mass * P, x.w = x.w - x.inverse_inertia * (M + cross(x.arm, P));
      y.v = y.v + y.inverse_mass * P, y.w = y.w + y.inverse_inertia * (M + cross(y.arm, P));
    }
  }
  /// A force at the center, on b.
  HWY_INLINE void push(F f, const LaneVec<F>& force) {
    HWY_UNROLL(2)
    for (int k = 0; k < kParts<F>; ++k) {
      const LaneVec<D> P = widened_part(f, force, k);
      Side<D>&x = a[k], &y = b[k];
      x.v = x.v - x.inverse_mass * P, x.w = x.w - x.inverse_inertia * cross(x.arm, P);
      y.v = y.v + y.inverse_mass * P, y.w = y.w + y.inverse_inertia * cross(y.arm, P);
    }
  }

 private:
  HWY_INLINE void read_side_velocities(const LaneBlock& block, int lane, int part, const LaneBodies& bodies) {
    const D d;
    const int at = lane + part * static_cast<int>(kPartLanes<F>);
    a[part].read_velocity(d, block.a + at, bodies), b[part].read_velocity(d, block.b + at, bodies);
    a[part].arm = load_vec(d, block.arm_a, at), b[part].arm = load_vec(d, block.arm_b, at);
  }
  HWY_INLINE void read_axes(F f, const LaneBlock& block, int lane) {
    n = load_vec(f, block.normal, lane), t = load_vec(f, block.tangent, lane);
    s = cross(n, t);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#endif
