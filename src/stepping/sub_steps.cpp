// Several small steps in place of one: errors fall faster with the step size than with more iterations (Macklin et al. 2019).
#include "registry/entry.h"
#include "stepping/round_contacts.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class SubSteps final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("count", count_, {"1", 1, 1000, "steps in place of one"});
    v.flag("detect_once", detect_once_,
           "collision detection before the first of them only; points move with the bodies");
    options_.fields(v);
    keep_.fields(v);
  }

  void step(StepContext& c, double h) override {
    const double start = c.time;
    for (int i = 0; i < count_; ++i) {
      if (i == 0 || !detect_once_) {
        keep_.find_contacts(c);
        if (detect_once_) round_.begin(c.world, c.contacts.contacts());
      } else {
        round_.follow(c.world, c.contacts.contacts());
      }
      solve_and_move(c, h / count_, options_.options());
      c.time = start + h * (i + 1) / count_;
    }
  }

 private:
  int count_ = 4;
  bool detect_once_ = false;
  StepOptionFields options_;
  KeepField keep_;
  RoundContacts round_;
};

}  // namespace

Entry register_sub_steps() {
  return {Kind::stepping,         "sub-steps", "several explicit steps in place of one", "Macklin et al. 2019", {},
          make_default<SubSteps>, {}};
}

}  // namespace rigor
