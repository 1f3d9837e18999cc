// The plainest step (3.8.1): everything is computed from the state at its start.
//
// `max_step` is the maximum simulation step of 7.5.7: a longer one is taken in equal parts, each of them a whole step with collision
// detection. Few sweeps of an iterative solver leave a velocity error of about g h times the depth of the heap or chain in each
// step, so contacts sink in by g h² and joints open by as much: shorter steps help more than as many sweeps (Macklin et al. 2019).
#include "registry/entry.h"
#include "stepping/max_step.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class ExplicitStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    options_.fields(v), keep_.fields(v);
    max_step_.fields(v);
  }

  void step(StepContext& c, double h) override {
    const int parts = max_step_.parts(h);
    const double start = c.time;
    for (int i = 0; i < parts; ++i) {
      keep_.find_contacts(c);
      solve_and_move(c, h / parts, options_.options());
      if (parts > 1) c.time = start + h * (i + 1) / parts;
    }
  }

 private:
  MaxStepField max_step_;
  StepOptionFields options_;
  KeepField keep_;
};

}  // namespace

Entry register_explicit_step() {
  return {Kind::stepping,
          "explicit",
          "contacts, collisions, forces, constraints, then velocities and positions",
          "Garstenauer 2006, 3.8.1",
          {},
          make_default<ExplicitStep>,
          {}};
}

}  // namespace rigor
