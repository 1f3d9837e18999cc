// Heun's method: the mean of the rates at the start and at a trial end (Heun 1900). Order 2, two evaluations a step.
//
//   x₁ = x₀ + h/2 (v₀ + v*),  v₁ = v₀ + h/2 (F₀ + F*)/m,  L₁ = L₀ + h/2 (τ₀ + τ*)        with * at the end of an Euler step
//   q₁ = exp(h/2 (ω₀ + ω*)) q₀
#include <vector>

#include "rigor/extend/plugin.h"

namespace {

using rigor::Quat;
using rigor::Vec3;

class Heun final : public rigor::extend::Integrator {
 public:
  void integrate(rigor::extend::Motion& motion, double time, double h) override {
    motion.evaluate(time);
    const rigor::extend::Bodies& b = motion.bodies();
    start_.clear();
    for (std::size_t i = 0; i < b.size(); ++i) {
      const Vec3 v = b.velocity[i], w = b.angular_velocity[i], L = angular_momentum(b, i);
      const Vec3 dv = b.inverse_mass[i] * b.force[i], dL = torque(motion, i, L);
      start_.push_back({b.position[i], b.orientation[i], v, w, L, dv, dL});
      move(b, i, start_[i], h, v, w, dv, dL);
    }
    motion.evaluate(time + h);
    for (std::size_t i = 0; i < b.size(); ++i) {
      const Start& s = start_[i];
      const Vec3 dv = b.inverse_mass[i] * b.force[i], dL = torque(motion, i, angular_momentum(b, i));
      move(b, i, s, h, 0.5 * (s.v + b.velocity[i]), 0.5 * (s.w + b.angular_velocity[i]), 0.5 * (s.dv + dv),
           0.5 * (s.dL + dL));
    }
  }

 private:
  struct Start {
    Vec3 x;
    Quat q;
    Vec3 v, w, L, dv, dL;
  };

  /// L̇, which without the gyroscopic term is τ + ω × L.
  static Vec3 torque(rigor::extend::Motion& motion, std::size_t i, const Vec3& L) {
    const rigor::extend::Bodies& b = motion.bodies();
    return motion.gyroscopic() ? b.torque[i] : b.torque[i] + cross(b.angular_velocity[i], L);
  }
  /// From the start for the time h with the given rates.
  static void move(const rigor::extend::Bodies& b, std::size_t i, const Start& s, double h, const Vec3& v,
                   const Vec3& w, const Vec3& dv, const Vec3& dL) {
    b.position[i] = s.x + h * v;
    b.orientation[i] = rigor::turned(s.q, w, h);
    b.velocity[i] = s.v + h * dv;
    b.angular_velocity[i] = rigor::extend::angular_velocity_of(b.orientation[i], b.inverse_inertia[i], s.L + h * dL);
  }

  std::vector<Start> start_;  // scratch
};

}  // namespace

RIGOR_PLUGIN(registrar) {
  registrar.add<Heun>({"heun", "Heun's method, order 2, two evaluations", "Heun 1900", {"order:2"}});
}
