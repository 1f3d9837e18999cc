// The Dormand–Prince pair of orders 5 and 4 with step-size control: a step is divided into inner steps whose
// estimated error stays below the tolerance.
//
//   error  e = h Σ (bᵢ - b̂ᵢ) kᵢ,   norm = max |eᵢ| / (absolute + relative |yᵢ|)  over all bodies
//   next   h ← h · clamp(0.9 norm^(-1/5), 0.2, 5)
//
// Seven stages; the last one of an inner step is the first one of the next (FSAL). Fifth order. Coefficients: Dormand and
// Prince 1980, table 2. It fails, at the smallest inner step, only for discontinuous forces, and then continues with that step.
// Stiff forces take thousands of inner steps; `give_up` ends them with an error.
//
// In joint coordinates (stepping `reduced`) a step is one inner step of order five, whatever its error: six stages, without the seventh,
// which serves the estimate only. An undamped oscillation with ω h < 0.95 is damped, by less than 3e-5 per step.
#include <algorithm>
#include <array>
#include <cstdio>

#include "integrators/runge_kutta.h"
#include "registry/entry.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr double kC[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double kA[] = {1.0 / 5,
                         3.0 / 40,
                         9.0 / 40,
                         44.0 / 45,
                         -56.0 / 15,
                         32.0 / 9,
                         19372.0 / 6561,
                         -25360.0 / 2187,
                         64448.0 / 6561,
                         -212.0 / 729,
                         9017.0 / 3168,
                         -355.0 / 33,
                         46732.0 / 5247,
                         49.0 / 176,
                         -5103.0 / 18656,
                         35.0 / 384,
                         0,
                         500.0 / 1113,
                         125.0 / 192,
                         -2187.0 / 6784,
                         11.0 / 84};
constexpr double kB5[] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0};
constexpr double kB4[] = {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40};

constexpr double kNotFinite = 1e300;  // norm of an error that is not finite

class DormandPrince final : public Integrator {
 public:
  std::optional<CoordinateRule> coordinate_rule() const override {
    return CoordinateRule{std::span(kC).first<6>(), std::span(kA).first<15>(), std::span(kB5).first<6>()};
  }
  void fields(FieldVisitor& v) override {
    v.number("relative_tolerance", relative_,
             {"1", 1e-15, 1e9, "error allowed in an inner step, relative to the state"});
    v.number("absolute_tolerance", absolute_, {"SI", 0, 1e9, "error allowed in an inner step, in m, m/s, kg m²/s"});
    v.integer("max_inner_steps", max_inner_steps_, {"1", 1, 1e6, "most inner steps in one step"});
    v.integer(
        "give_up", give_up_,
        {"1", 0, 1e6, "gives up with an error after this many inner steps in each of two successive steps; 0: never"});
  }

  void integrate(Dynamics& dynamics, double time, double h) override {
    Motion start, now, next, at;
    std::array<MotionRate, 7> rates;
    capture(dynamics.state(), start);
    now = start;
    double inner = dynamics.memory().step_size > 0 ? std::min(dynamics.memory().step_size, h) : h;
    const double smallest = h / max_inner_steps_;
    double elapsed = 0;
    bool first_is_known = false;
    // An impact shortens inner steps temporarily; only forces that were as fast in the step before will stay so.
    const bool was_short = give_up_ > 0 && inner * give_up_ < h;
    int tried = 0;
    while (elapsed < h) {
      if (was_short && tried++ == give_up_) throw_hopeless(time, elapsed, h);
      // A last inner step that is only rounding is merged into the one before it.
      const bool last = elapsed + inner >= h * (1 - 1e-12);
      const double size = last ? h - elapsed : inner;
      // `now` carries the kinematic bodies' start poses, from which stages place them.
      runge_kutta_stages({kC, kA}, dynamics, now, time + elapsed, elapsed, size, first_is_known, rates, at);
      combine(now, size, kB5, rates, next);
      const double error = error_norm(now, next, size, rates);
      // With a margin: the last inner step is a difference, and rounding could keep it above the smallest for ever.
      const bool at_floor = size <= smallest * (1 + 1e-6);
      const bool hopeless = error == kNotFinite && at_floor;
      const bool accepted = error <= 1 || at_floor;
      const double wanted = size * growth(error);
      if (accepted) {
        elapsed = last || hopeless ? h : elapsed + size;
        std::swap(now, next);
        std::swap(rates[0], rates[6]);
      }
      first_is_known = true;
      // The shortened last inner step is no measure of the step size that the motion allows.
      if (!accepted || !last || wanted < inner) inner = std::max(wanted, smallest);
    }
    dynamics.memory().step_size = inner;
    restore(now, dynamics.state());
    place_kinematic(start, h, dynamics.state());
  }

 private:
  double relative_ = 1e-9, absolute_ = 1e-12;
  int max_inner_steps_ = 10000, give_up_ = 0;

  [[noreturn]] void throw_hopeless(double time, double elapsed, double h) const {
    char text[256];
    std::snprintf(text, sizeof text,
                  "%d inner steps cover %.2g s of a step of %.2g s at t = %.4g s: the forces change too fast for this "
                  "integrator; choose an impulse-based method, such as bender-schmitt or soft-step",
                  give_up_, elapsed, h, time);
    throw Error("dormand-prince", text);
  }

  static double pow5(double x) { return x * x * x * x * x; }

  /// A lower bound of 0.9 norm^(-1/5) without pow(), whose last bit differs between machines.
  static double growth(double error) {
    if (!(error < 1e12)) return 0.2;
    double factor = 5;
    while (factor > 0.2 && error * pow5(factor / 0.9) > 1) factor *= 0.95;
    return factor;
  }

  double error_norm(const Motion& from, const Motion& to, double h, std::span<const MotionRate> rates) const {
    double worst = 0;
    // max() would drop a NaN.
    const auto note = [&worst](double e) { worst = e < kNotFinite ? std::max(worst, e) : kNotFinite; };
    const auto compare = [&](const Vec3& error, const Vec3& a, const Vec3& b) {
      const double size = std::sqrt(std::max(length_squared(a), length_squared(b)));
      note(length(error) / (absolute_ + relative_ * size));
    };
    for (std::size_t i = 0; i < rates[0].dx.size(); ++i) {
      Vec3 ex, ev, eL;
      Quat eq{0, 0, 0, 0};
      for (std::size_t k = 0; k < rates.size(); ++k) {
        const double w = h * (kB5[k] - kB4[k]);
        ex += rates[k].dx[i] * w, ev += rates[k].dv[i] * w, eL += rates[k].dL[i] * w;
        eq = eq + rates[k].dq[i] * w;
      }
      compare(ex, from.x[i], to.x[i]);
      compare(ev, from.v[i], to.v[i]);
      compare(eL, from.L[i], to.L[i]);
      note(std::sqrt(dot(eq, eq)) / (absolute_ + relative_));
      if (worst == kNotFinite) return kNotFinite;
    }
    return worst;
  }
};

}  // namespace

Entry register_dormand_prince() {
  return {Kind::integrator,
          "dormand-prince",
          "adaptive Runge–Kutta pair 5(4), inner steps to a tolerance",
          "Dormand, Prince 1980, A family of embedded Runge–Kutta formulae",
          {"order:5", "adaptive", "any-coordinates"},
          make_default<DormandPrince>,
          {}};
}

}  // namespace rigor
