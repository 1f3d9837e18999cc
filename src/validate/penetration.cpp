// Reports the deepest contact of a step when it is deeper than allowed: once when it happens, and again whenever it has grown
// by a tenth. Contacts are those that the step found, at its start with the explicit step.
#include "registry/entry.h"
#include "validate/validator.h"

namespace rigor {

namespace {

constexpr double kMuchDeeper = 1.1;  // chosen: a sinking pile is reported a few times, not in every step

class Penetration final : public Validator {
 public:
  void fields(FieldVisitor& v) override {
    v.number("depth", depth_, {"m", 0, kUnbounded, "deeper contacts are reported"});
  }

  void validate(ValidatorContext& c) override {
    const Contact* deepest = nullptr;
    double depth = depth_;
    for (const Contact& contact : c.contacts)
      for (int i = 0; i < contact.count; ++i) {
        const double d = -contact.points[static_cast<std::size_t>(i)].separation;
        if (d > depth) {
          depth = d;
          deepest = &contact;
        }
      }
    double& reported = c.memory.numbers[0];
    if (!deepest) return void(reported = 0);
    if (reported > 0 && depth <= kMuchDeeper * reported) return;
    reported = depth;
    c.reports.push_back(name(c.world, deepest->a) + " and " + name(c.world, deepest->b) + " are " +
                        report_number(depth) + " m deep in each other at t = " + report_number(c.time) + " s");
  }

 private:
  static std::string name(const World& world, BodyId id) {
    return world.contains(id) ? "'" + world.name(id) + "'" : "a removed body";
  }

  double depth_ = 0.01;
};

}  // namespace

Entry register_penetration() {
  return {Kind::validator,
          "penetration",
          "reports contacts that are too deep",
          "Garstenauer 2006, 7.5.6",
          {},
          make_default<Penetration>,
          {}};
}

}  // namespace rigor
