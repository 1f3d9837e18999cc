// The classical Runge–Kutta method for forces F and torques τ that are constant during the step: all four stages of a body at once,
// because they need only its own numbers.
//
//   kᵢ = (vᵢ, F/m, τ, ½ ωᵢ qᵢ),   ωᵢ = R I⁻¹ Rᵀ Lᵢ with R of qᵢ at unit length            (integrator.h)
//
// The same operations in the same order as runge_kutta.cpp and motion.cpp, hence the same bits, in a tenth of the time.
#include "integrators/rk4_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "integrators/rk4_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "integrators/body_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

template <class T> HWY_INLINE QuatOf<T> operator+(const QuatOf<T>& a, const QuatOf<T>& b) {
  return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class L> HWY_INLINE QuatOf<typename L::Type> unit(const QuatOf<typename L::Type>& q) {
  return L::divide(L::set(1), L::sqrt(dot(q, q))) * q;
}

/// R I⁻¹ Rᵀ L.
template <class T>
HWY_INLINE Vec3Of<T> spin(const QuatOf<T>& unit_q, const Vec3Of<T>& inverse_inertia, const Vec3Of<T>& momentum) {
  return rotate(unit_q, scale(inverse_inertia, rotate_inverse(unit_q, momentum)));
}

/// ½ ω q.
template <class L>
HWY_INLINE QuatOf<typename L::Type> turning(const Vec3Of<typename L::Type>& w, const QuatOf<typename L::Type>& q) {
  const QuatOf<typename L::Type> as_quaternion{L::set(0), w.x, w.y, w.z};
  return L::set(0.5) * (as_quaternion * q);
}

template <class L> HWY_INLINE void rotate_body(BodyState& s, std::uint32_t i, double h) {
  using T = typename L::Type;
  const QuatOf<T> q = L::load(&s.orientation[i]);
  const Vec3Of<T> inertia = L::load(&s.inertia[i]), inverse = L::load(&s.inverse_inertia[i]);
  const Vec3Of<T> tau = L::load(&s.torque[i]);
  const Vec3Of<T> L_1 = rotate(q, scale(inertia, rotate_inverse(q, L::load(&s.angular_velocity[i]))));
  const T half = L::set(h * 0.5), whole = L::set(h), w_1 = L::set(h * (1.0 / 6)), w_2 = L::set(h * (1.0 / 3));
  const Vec3Of<T> L_2 = L_1 + half * tau, L_4 = L_1 + whole * tau;
  const auto rate = [&](const QuatOf<T>& at, const Vec3Of<T>& momentum) {
    return turning<L>(spin(unit<L>(at), inverse, momentum), at);
  };
  const QuatOf<T> k_1 = rate(q, L_1);
  const QuatOf<T> k_2 = rate(q + half * k_1, L_2);
  const QuatOf<T> k_3 = rate(q + half * k_2, L_2);
  const QuatOf<T> k_4 = rate(q + whole * k_3, L_4);
  const QuatOf<T> end = unit<L>((((q + w_1 * k_1) + w_2 * k_2) + w_2 * k_3) + w_1 * k_4);
  const Vec3Of<T> L_end = (((L_1 + w_1 * tau) + w_2 * tau) + w_2 * tau) + w_1 * tau;
  // As set_angular_momentum().
  const Vec3Of<T> w = spin(end, inverse, L_end);
  const Vec3Of<T> missing = L_end - rotate(end, scale(inertia, rotate_inverse(end, w)));
  L::store(&s.orientation[i], end);
  L::store(&s.angular_velocity[i], w + spin(end, inverse, missing));
}

template <class L> HWY_INLINE void move_body(BodyState& s, std::uint32_t i, double h) {
  using T = typename L::Type;
  const Vec3Of<T> x = L::load(&s.position[i]), v = L::load(&s.velocity[i]);
  const Vec3Of<T> a = L::load(&s.inverse_mass[i]) * L::load(&s.force[i]);
  const T w_1 = L::set(h * (1.0 / 6)), w_2 = L::set(h * (1.0 / 3));
  const Vec3Of<T> v_2 = v + L::set(h * 0.5) * a, v_4 = v + L::set(h) * a;
  L::store(&s.position[i], (((x + w_1 * v) + w_2 * v_2) + w_2 * v_2) + w_1 * v_4);
  L::store(&s.velocity[i], (((v + w_1 * a) + w_2 * a) + w_2 * a) + w_1 * a);
}

void advance_rk4(BodyState& s, double h) {
  const auto width = static_cast<std::uint32_t>(hn::Lanes(Lanes::D()));
  const std::uint32_t n = s.awake();
  std::uint32_t i = 0;
  for (; i + width <= n; i += width) move_body<Lanes>(s, i, h), rotate_body<Lanes>(s, i, h);
  for (; i < n; ++i) move_body<One>(s, i, h), rotate_body<One>(s, i, h);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(advance_rk4);

void rk4_constant_forces(BodyState& state, double h) { HWY_DYNAMIC_DISPATCH(advance_rk4)(state, h); }

}  // namespace rigor
#endif
