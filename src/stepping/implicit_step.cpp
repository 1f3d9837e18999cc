// The implicit step (3.8.1): like the semi-implicit one, with the velocities that forces alone would give at the end of the step.
#include "registry/entry.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class ImplicitStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override { options_.fields(v); }

  void step(StepContext& c, double h) override {
    find_contacts_ahead(c, h, /*with_forces=*/true);
    solve_and_move(c, h, options_.options());
  }

 private:
  StepOptionFields options_;
};

}  // namespace

Entry register_implicit_step() {
  return {Kind::stepping,
          "implicit",
          "contacts at the positions predicted with the forces, then as explicit",
          "Garstenauer 2006, 3.8.1",
          {},
          make_default<ImplicitStep>,
          {}};
}

}  // namespace rigor
