// The plainest step (3.8.1): everything is computed from the state at its start.
#include "registry/entry.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class ExplicitStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override { options_.fields(v), keep_.fields(v); }

  void step(StepContext& c, double h) override {
    keep_.find_contacts(c);
    solve_and_move(c, h, options_.options());
  }

 private:
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
