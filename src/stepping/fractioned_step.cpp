// The fractioned step (3.8.3; Erleben 2004): two steps of any kind, one after the other.
//
//   f·h by `first`, without error correction;   (1 − f)·h by `second`, with it
//
// As Erleben has it, the first part is a plain explicit step and the second one has shock propagation: the moving part of a scene
// sees mostly the first, stacks the second. Both use the solvers of the method. Cost: that of both, each with collision detection.
// A method that steps back to the time of an impact does so within its own part.
#include "registry/entry.h"
#include "stepping/step_field.h"

namespace rigor {

namespace {

class FractionedStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.number("fraction", fraction_, {"1", 0.01, 0.99, "part of the step that is the first one's"});
    v.flag("correct_first", correct_first_, "the first part corrects errors, too");
    first_.fields(v, "first", "how the first part is made");
    second_.fields(v, "second", "how the second part is made");
  }

  void step(StepContext& c, double h) override {
    const double start = c.time;
    const StepSettings settings = c.settings;
    c.corrects_errors = correct_first_;
    first_.step().step(c, fraction_ * h);
    c.corrects_errors = true;
    c.settings = settings;
    c.time = start + fraction_ * h;
    second_.step().step(c, (1 - fraction_) * h);
  }

 private:
  double fraction_ = 0.5;
  bool correct_first_ = false;
  StepField first_{"explicit", {}};
  StepField second_{"explicit", {{"shock_propagation", true}}};
};

}  // namespace

Entry register_fractioned_step() {
  return {Kind::stepping,
          "fractioned",
          "two steps of any kind: a plain part, then one with shock propagation and error correction",
          "Erleben 2004; Garstenauer 2006, 3.8.3",
          {"contains-steps"},
          make_default<FractionedStep>,
          {}};
}

}  // namespace rigor
