// Reports a step in which the total energy E = K + P grew by more than
//
//   ΔE > tolerance + relative · max(K, K of the step before)
//
// P has no zero point of its own, hence the comparison with K. Friction and impacts cause losses, which count only on
// request. Motors, explosions and users may add energy: this validator is for scenes without them.
#include <algorithm>

#include "registry/entry.h"
#include "validate/validator.h"

namespace rigor {

namespace {

class EnergyJump final : public Validator {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"J", 0, kUnbounded, "a change up to this is never reported"});
    v.number("relative", relative_,
             {"1", 0, kUnbounded, "a change up to this fraction of the kinetic energy is never reported"});
    v.flag("losses", losses_, "also reports sudden losses");
  }

  void validate(ValidatorContext& c) override {
    const double kinetic = c.world.kinetic_energy(), total = kinetic + c.world.potential_energy(c.time);
    const double bodies = c.world.body_count();
    auto& [known_bodies, old_kinetic, old_total, a, b, d, e, f] = c.memory.numbers;
    const double change = total - old_total;
    const double allowed = tolerance_ + relative_ * std::max(kinetic, old_kinetic);
    // A body that was added or removed changed the energy.
    if (known_bodies == bodies && (losses_ ? std::abs(change) : change) > allowed)
      c.reports.push_back("the energy " + std::string(change > 0 ? "grew" : "fell") + " by " +
                          report_number(std::abs(change)) + " J to " + report_number(total) +
                          " J in the step to t = " + report_number(c.time) + " s");
    known_bodies = bodies;
    old_kinetic = kinetic;
    old_total = total;
  }

 private:
  double tolerance_ = 1e-3, relative_ = 0.05;
  bool losses_ = false;
};

}  // namespace

Entry register_energy_jump() {
  return {Kind::validator,          "energy", "reports steps in which the energy jumps", "Garstenauer 2006, 7.5.6", {},
          make_default<EnergyJump>, {}};
}

}  // namespace rigor
