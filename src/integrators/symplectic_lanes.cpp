// Semi-implicit Euler for many bodies at once. In body coordinates, π = Rᵀ L:
//
//   v₁ = v₀ + h F/m,   x₁ = x₀ + h v₁
//   π = I Rᵀ ω₀ + h Rᵀ τ,   Λ = exp(h I⁻¹ π),   R₁ = R₀ Λ,   ω₁ = R₁ I⁻¹ Λᵀ π
//
// One kernel, instantiated for double and for lanes; compiled for every instruction set and dispatched at run time (Highway).
// No fused multiply–add, hence the same bits for any width. A body that turns by more than half a radian in a step needs the
// full exponential map; its group of lanes then uses the scalar kernel.
#include "integrators/symplectic_lanes.h"
#include "integrators/rotation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "integrators/symplectic_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "integrators/body_lanes-inl.h"
#include "integrators/small_rotation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {
/// Returns false and writes nothing if a body turns too far for the series.
template <class L> bool advance_small(BodyState& s, std::uint32_t i, double step) {
  using T = typename L::Type;
  const T h = L::set(step);
  const QuatOf<T> q = L::load(&s.orientation[i]);
  const Vec3Of<T> inverse_inertia = L::load(&s.inverse_inertia[i]);
  const Vec3Of<T> pi = scale(L::load(&s.inertia[i]), rotate_inverse(q, L::load(&s.angular_velocity[i]))) +
                       h * rotate_inverse(q, L::load(&s.torque[i]));
  const Vec3Of<T> r = h * scale(inverse_inertia, pi);
  const T aa = L::set(0.25) * dot(r, r);
  if (L::any_above(aa, 0.0625)) return false;

  const QuatOf<T> increment = small_rotation(r, aa, L::set);
  const QuatOf<T> product = q * increment;
  const QuatOf<T> turned_q = (L::set(1.5) - L::set(0.5) * dot(product, product)) * product;
  L::store(&s.orientation[i], turned_q);
  L::store(&s.angular_velocity[i], rotate(turned_q, scale(inverse_inertia, rotate_inverse(increment, pi))));

  const Vec3Of<T> v = L::load(&s.velocity[i]) + (h * L::load(&s.inverse_mass[i])) * L::load(&s.force[i]);
  L::store(&s.velocity[i], v);
  L::store(&s.position[i], L::load(&s.position[i]) + h * v);
  return true;
}

void advance_large(BodyState& s, std::uint32_t i, double h) {
  const Quat q = s.orientation[i];
  const Vec3 pi = scale(s.inertia[i], rotate_inverse(q, s.angular_velocity[i])) + h * rotate_inverse(q, s.torque[i]);
  const Quat increment = quaternion_from_rotation_vector(h * scale(s.inverse_inertia[i], pi));
  s.orientation[i] = renormalized(q * increment);
  s.angular_velocity[i] = rotate(s.orientation[i], scale(s.inverse_inertia[i], rotate_inverse(increment, pi)));
  s.velocity[i] += (h * s.inverse_mass[i]) * s.force[i];
  s.position[i] += h * s.velocity[i];
}

void advance_one(BodyState& s, std::uint32_t i, double h) {
  if (!advance_small<One>(s, i, h)) advance_large(s, i, h);
}

void advance_in_lanes(BodyState& s, double h) {
  const std::uint32_t width = static_cast<std::uint32_t>(hn::Lanes(Lanes::D()));
  const std::uint32_t n = s.awake();
  std::uint32_t i = 0;
  for (; i + width <= n; i += width)
    if (!advance_small<Lanes>(s, i, h))
      for (std::uint32_t k = 0; k < width; ++k) advance_one(s, i + k, h);
  for (; i < n; ++i) advance_one(s, i, h);
}

void advance_one_by_one(BodyState& s, double h) {
  for (std::uint32_t i = 0; i < s.awake(); ++i) advance_one(s, i, h);
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(advance_in_lanes);
HWY_EXPORT(advance_one_by_one);

void symplectic_euler_lanes(BodyState& state, double h) { HWY_DYNAMIC_DISPATCH(advance_in_lanes)(state, h); }
void symplectic_euler_scalar(BodyState& state, double h) { HWY_DYNAMIC_DISPATCH(advance_one_by_one)(state, h); }

}  // namespace rigor
#endif
