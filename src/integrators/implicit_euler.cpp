// Implicit (backward) Euler: everything with the derivatives at the end of the step (3.6). For stiff forces.
//
// Unknown u = (v₁, ω₁) of all awake bodies; x₁ = x₀ + h v₁, q₁ = exp(h ω₁) q₀, forces at that state:
//
//   r(u) = ( v₁ - v₀ - h F₁/m ,  ω₁ - R₁ I⁻¹ R₁ᵀ (L₀ + h τ₁) ) = 0
//
// Newton's method; the linear systems by GMRES with products J d ≈ (r(u + ε d) - r(u))/ε, so that any force works without
// giving its derivatives (Knoll, Keyes 2004). First order, stable on springs of any stiffness; it damps motions that the step cannot resolve.
// Cost: two or three Newton iterations of a few evaluations each. If the last iteration does not reach the tolerance, the
// best state found is used: the method damps and does not blow up.
#include <algorithm>

#include "integrators/motion.h"
#include "integrators/rotation.h"
#include "lcp/gmres.h"
#include "registry/entry.h"

namespace rigor {

namespace {

using Vector = std::vector<double>;

void put(Vector& out, std::size_t at, const Vec3& v) { out[at] = v.x, out[at + 1] = v.y, out[at + 2] = v.z; }
Vec3 get(const Vector& in, std::size_t at) { return {in[at], in[at + 1], in[at + 2]}; }
double norm(const Vector& a) {
  double sum = 0;
  for (double v : a) sum += v * v;
  return std::sqrt(sum);
}

/// The residual of the step as a function of the end velocities.
class EndOfStep {
 public:
  EndOfStep(Dynamics& dynamics, double time, double h) : dynamics_(dynamics), time_(time), h_(h) {
    capture(dynamics.state(), start_);
    start_angular_velocity_ = dynamics.state().angular_velocity;
  }

  std::size_t size() const { return 6 * std::size_t{dynamics_.state().awake()}; }

  Vector start_velocities() const {
    Vector u(size());
    for (std::size_t i = 0; 6 * i < u.size(); ++i)
      put(u, 6 * i, start_.v[i]), put(u, 6 * i + 3, start_angular_velocity_[i]);
    return u;
  }

  /// Leaves the arrays at the end of step that belongs to u.
  void place(const Vector& u) {
    BodyState& s = dynamics_.state();
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      s.velocity[i] = get(u, 6 * i);
      s.angular_velocity[i] = get(u, 6 * i + 3);
      s.position[i] = start_.x[i] + h_ * s.velocity[i];
      s.orientation[i] = turned(start_.q[i], s.angular_velocity[i], h_);
    }
    place_kinematic(start_, h_, s);
  }

  void residual(const Vector& u, Vector& r) {
    place(u);
    dynamics_.evaluate(time_ + h_);
    const BodyState& s = dynamics_.state();
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      put(r, 6 * i, s.velocity[i] - start_.v[i] - (h_ * s.inverse_mass[i]) * s.force[i]);
      put(r, 6 * i + 3, s.angular_velocity[i] - implied_angular_velocity(s, i));
    }
  }

 private:
  Vec3 implied_angular_velocity(const BodyState& s, std::uint32_t i) const {
    if (dynamics_.gyroscopic())
      return angular_velocity_of(s.orientation[i], s.inverse_inertia[i], start_.L[i] + h_ * s.torque[i]);
    return start_angular_velocity_[i] + angular_velocity_of(s.orientation[i], s.inverse_inertia[i], h_ * s.torque[i]);
  }

  Dynamics& dynamics_;
  double time_, h_;
  Motion start_;
  std::vector<Vec3> start_angular_velocity_;
};

class ImplicitEuler final : public Integrator {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"1", 1e-15, 1e-2, "residual relative to the velocities"});
    v.integer("max_newton", max_newton_, {"1", 1, 1000, "most Newton iterations"});
    v.integer("max_krylov", max_krylov_, {"1", 1, 100000, "most GMRES iterations in one of them"});
  }

  double velocity_lag() const override { return 0.5; }

  void integrate(Dynamics& dynamics, double time, double h) override {
    EndOfStep system(dynamics, time, h);
    Vector u = system.start_velocities(), r(u.size()), trial(u.size()), trial_r(u.size());
    system.residual(u, r);
    double size = norm(r);
    for (int k = 0; k < max_newton_ && size > tolerance_ * (norm(u) + 1e-6) && std::isfinite(size); ++k) {
      const Vector step = newton_step(system, u, r, size);
      if (!line_search(system, step, u, r, size, trial, trial_r)) break;
    }
    system.place(u);
  }

 private:
  double tolerance_ = 1e-14;
  int max_newton_ = 20, max_krylov_ = 200;

  /// Solves J d = -r.
  Vector newton_step(EndOfStep& system, const Vector& u, const Vector& r, double size) const {
    Vector shifted(u.size()), minus_r(r.size()), d(u.size());
    for (std::size_t i = 0; i < r.size(); ++i) minus_r[i] = -r[i];
    const double scale_of_u = norm(u) + 1;
    const auto multiply = [&](const Vector& in, Vector& out) {
      const double length = norm(in);
      if (length == 0) return void(std::fill(out.begin(), out.end(), 0.0));
      const double epsilon =
          1e-8 * scale_of_u / length;  // about the root of the rounding unit: truncation equals rounding
      for (std::size_t i = 0; i < u.size(); ++i) shifted[i] = u[i] + epsilon * in[i];
      system.residual(shifted, out);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = (out[i] - r[i]) / epsilon;
    };
    gmres(multiply, minus_r, 1e-3 * size, 60, max_krylov_, d);
    return d;
  }

  /// Halves the step until the residual falls; false if it does not.
  static bool line_search(EndOfStep& system, const Vector& step, Vector& u, Vector& r, double& size, Vector& trial,
                          Vector& trial_r) {
    for (double fraction = 1; fraction > 1e-4; fraction *= 0.5) {
      for (std::size_t i = 0; i < u.size(); ++i) trial[i] = u[i] + fraction * step[i];
      system.residual(trial, trial_r);
      const double trial_size = norm(trial_r);
      if (!(trial_size < size)) continue;
      u.swap(trial), r.swap(trial_r), size = trial_size;
      return true;
    }
    return false;
  }
};

}  // namespace

Entry register_implicit_euler() {
  return {Kind::integrator,
          "implicit-euler",
          "backward Euler, order 1; stable on springs of any stiffness, damps",
          "Garstenauer 2006, eq. 3.6; Knoll, Keyes 2004",
          {"order:1", "stiff"},
          make_default<ImplicitEuler>,
          {}};
}

}  // namespace rigor
