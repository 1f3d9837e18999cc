// The plainest step (3.8.1): everything is computed from the state at its start. Contacts are found;
// velocities and positions are the integrator's work.
#include "registry/entry.h"
#include "stepping/stepping.h"

namespace rigor {

namespace {

class ExplicitStep final : public Stepping {
 public:
  void step(StepContext& context, double h) override {
    find_contacts(context);
    context.integrator.integrate(context.dynamics, context.time, h);
  }
};

}  // namespace

Entry register_explicit_step() {
  return {Kind::stepping,
          "explicit",
          "forces, then velocity and position update",
          "Garstenauer 2006, 3.8.1",
          {},
          make_default<ExplicitStep>,
          {}};
}

}  // namespace rigor
