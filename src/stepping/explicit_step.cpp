// The plainest step (3.8.1): everything is computed from the state at its start.
//
// `max_step` is the maximum simulation step of 7.5.7: a longer one is taken in equal parts, each of them a whole step with collision
// detection. Few sweeps of an iterative solver leave a velocity error of about g h times the depth of the heap or chain in each
// step, so contacts penetrate by g h² and joints open by as much: shorter steps help more than as many sweeps (Macklin et al. 2019).
#include <algorithm>
#include <cmath>

#include "registry/entry.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class ExplicitStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    options_.fields(v);
    keep_.fields(v);
    v.number("max_step", max_step_, {"s", kPositive, 1e6, "longer steps are taken in equal parts, 1000 at most"});
  }

  void step(StepContext& c, double h) override {
    // A step that is a multiple of the largest one up to rounding gets no additional part.
    constexpr double kRounding = 1e-9, kMostParts = 1000;
    const int parts = static_cast<int>(std::clamp(std::ceil(h / max_step_ - kRounding), 1.0, kMostParts));
    const double start = c.time;
    for (int i = 0; i < parts; ++i) {
      keep_.find_contacts(c);
      solve_and_move(c, h / parts, options_.options());
      if (parts > 1) c.time = start + h * (i + 1) / parts;
    }
  }

 private:
  double max_step_ = 1e6;  // s
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
