// The fractioned step (3.8.3; Erleben 2004): the first part f·h as an explicit step without error correction, the rest
// (1 − f)·h with shock propagation and error correction. Moving bodies are dominated by the first part, stacks by the second.
#include "registry/entry.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class FractionedStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.number("fraction", fraction_, {"1", 0.01, 0.99, "fraction of the step without shock propagation"});
  }

  void step(StepContext& c, double h) override {
    StepOptions plain, shocks;
    plain.correct_errors = false;
    shocks.shock_propagation = true;
    const double start = c.time;
    find_contacts(c);
    solve_and_move(c, fraction_ * h, plain);
    c.time = start + fraction_ * h;
    find_contacts(c);
    solve_and_move(c, (1 - fraction_) * h, shocks);
  }

 private:
  double fraction_ = 0.5;
};

}  // namespace

Entry register_fractioned_step() {
  return {Kind::stepping,
          "fractioned",
          "a plain part, then a part with shock propagation and error correction",
          "Erleben 2004; Garstenauer 2006, 3.8.3",
          {},
          make_default<FractionedStep>,
          {}};
}

}  // namespace rigor
