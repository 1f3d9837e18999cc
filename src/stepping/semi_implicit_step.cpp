// The semi-implicit step (3.8.1): contacts are found at the positions that the bodies will have at their present velocities, so that
// contacts that close in this step are solved in this step. Solvers see the gaps of the present positions.
#include "registry/entry.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class SemiImplicitStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override { options_.fields(v); }

  void step(StepContext& c, double h) override {
    find_contacts_ahead(c, h, /*with_forces=*/false);
    solve_and_move(c, h, options_.options());
  }

 private:
  StepOptionFields options_;
};

}  // namespace

Entry register_semi_implicit_step() {
  return {Kind::stepping,
          "semi-implicit",
          "contacts at the positions predicted with the present velocities, then as explicit",
          "Garstenauer 2006, 3.8.1",
          {},
          make_default<SemiImplicitStep>,
          {}};
}

}  // namespace rigor
