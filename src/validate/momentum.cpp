// Reports when momentum or angular momentum (about the world's origin) of all bodies differ from what they were at first by
// more than the tolerance times Σ m |v|, or Σ (|x| m |v| + |I ω|). Only a closed system keeps them: no fixed body that is
// touched or joined, no force from outside.
#include "registry/entry.h"
#include "validate/validator.h"

namespace rigor {

namespace {

class MomentumDrift final : public Validator {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_,
             {"1", 0, kUnbounded, "relative to the sum of the magnitudes of all bodies' momenta"});
  }

  void validate(ValidatorContext& c) override {
    const Vec3 p = c.world.momentum(), l = c.world.angular_momentum();
    const double bodies = c.world.body_count();
    auto& m = c.memory.numbers;  // bodies, p, L, whether it was reported
    // A body that was added or removed changed the momentum: the reference is taken again.
    if (m[0] != bodies) {
      m = {bodies, p.x, p.y, p.z, l.x, l.y, l.z, 0};
      return;
    }
    const auto [linear, angular] = scales(c.world.state());
    const double dp = length(p - Vec3{m[1], m[2], m[3]}), dl = length(l - Vec3{m[4], m[5], m[6]});
    const bool drifted = dp > tolerance_ * linear || dl > tolerance_ * angular;
    if (drifted && m[7] == 0)
      c.reports.push_back("the momentum is off by " + report_number(dp) + " kg m/s, the angular momentum by " +
                          report_number(dl) + " kg m²/s at t = " + report_number(c.time) + " s");
    m[7] = drifted ? 1 : 0;
  }

 private:
  static std::pair<double, double> scales(const BodyState& s) {
    double linear = 0, angular = 0;
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      const double momentum = length(s.velocity[i]) / s.inverse_mass[i];
      linear += momentum;
      angular += length(s.position[i]) * momentum + length(angular_momentum(s, i));
    }
    return {linear, angular};
  }

  double tolerance_ = 1e-6;
};

}  // namespace

Entry register_momentum_drift() {
  return {Kind::validator,
          "momentum",
          "reports if the momentum of a closed system drifts",
          "Garstenauer 2006, 7.5.6",
          {},
          make_default<MomentumDrift>,
          {}};
}

}  // namespace rigor
