// Free rotation by its exact solution in Jacobi's elliptic functions (free_rotation_exact.h), forces by kick_drift_kick.h.
//
// The motion of a free body is exact to rounding at any step size; with forces the method is a splitting of second order.
#include "integrators/free_rotation_exact.h"
#include "integrators/kick_drift_kick.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class ExactRotation final : public Integrator {
 public:
  void integrate(Dynamics& dynamics, double time, double h) override {
    kick_drift_kick(dynamics, time, h, [](Spin& s, const Vec3& inertia, const Vec3&, double dt) {
      // A norm that is always off by a bit to the same side would accumulate over many steps.
      s.q = renormalized(renormalized(rotate_freely_exact(s.q, s.L, inertia, dt)));
    });
  }
};

}  // namespace

Entry register_exact_rotation() {
  return {Kind::integrator,
          "exact-rotation",
          "free rotation by elliptic functions, exact; forces at order 2",
          "Jacobi 1850; van Zon, Schofield 2007",
          {"order:2", "conserves-energy", "exact-free-motion"},
          make_default<ExactRotation>,
          {}};
}

}  // namespace rigor
