// Fixed-point iteration (3.8.3; Sauer, Schömer 1998): like the semi-implicit step, but repeated with the resulting positions
// as the next estimate for contact detection, until they no longer change.
#include "registry/entry.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

/// The largest distance between two sets of positions of the first n bodies.
double largest_change(const std::vector<Vec3>& a, const std::vector<Vec3>& b, std::uint32_t n) {
  double largest = 0;
  for (std::uint32_t i = 0; i < n; ++i) largest = std::max(largest, length(a[i] - b[i]));
  return largest;
}

class FixedPointStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("iterations", iterations_, {"1", 1, 100, "largest number of iterations"});
    v.number("tolerance", tolerance_, {"m", 0, 1, "the iteration ends when positions change by less"});
    options_.fields(v);
  }

  void step(StepContext& c, double h) override {
    BodyState& s = c.world.state();
    find_contacts(c);  // wakes touched bodies before the step may be repeated
    const StepSave start(c);
    find_contacts_ahead(c, h, /*with_forces=*/false);
    solve_and_move(c, h, options_.options());
    for (int i = 1; i < iterations_; ++i) {
      const std::vector<Vec3> position = s.position;
      const std::vector<Quat> orientation = s.orientation;
      start.restore(c);
      find_contacts_at(c, position, orientation);
      solve_and_move(c, h, options_.options());
      if (largest_change(position, s.position, s.awake()) <= tolerance_) break;
    }
  }

 private:
  int iterations_ = 5;
  double tolerance_ = 1e-5;
  StepOptionFields options_;
};

}  // namespace

Entry register_fixed_point_step() {
  return {Kind::stepping,
          "fixed-point",
          "the semi-implicit step repeated until the positions do not change",
          "Sauer, Schömer 1998; Garstenauer 2006, 3.8.3",
          {},
          make_default<FixedPointStep>,
          {}};
}

}  // namespace rigor
