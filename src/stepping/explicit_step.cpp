// The plainest step (3.8.1): everything is computed from the state at its start. Without contacts and joints that is the
// integrator's work alone.
#include "registry/entry.h"
#include "stepping/stepping.h"

namespace rigor {

namespace {

class ExplicitStep final : public Stepping {
 public:
  void step(StepContext& context, double h) override {
    context.integrator.integrate(context.dynamics, context.time, h);
  }
};

}  // namespace

Entry register_explicit_step() {
  return {Kind::stepping, "explicit", "forces, then velocity and position update", "Garstenauer 2006, 3.8.1", {},
          make_default<ExplicitStep>, {}};
}

}  // namespace rigor
