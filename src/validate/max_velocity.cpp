// Clamps velocities: v ← v · min(1, v_max / |v|), ω alike. A safety net for games; it removes energy and momentum.
#include "registry/entry.h"
#include "validate/validator.h"

namespace rigor {

namespace {

/// True if the vector was too long.
bool clamp_length(Vec3& v, double most) {
  const double n = length(v);
  if (!(n > most)) return false;
  v = v * (most / n);
  return true;
}

class MaxVelocity final : public Validator {
 public:
  void fields(FieldVisitor& v) override {
    v.number("speed", speed_, {"m/s", kPositive, kUnbounded, "largest speed of a center of mass"});
    v.number("spin", spin_, {"rad/s", kPositive, kUnbounded, "largest angular speed"});
  }

  /// Bodies in the order of their ids; one sentence per step, because a body that is too fast mostly stays too fast.
  void validate(ValidatorContext& c) override {
    BodyState& s = c.world.state();
    BodyId first;
    int count = 0;
    double was = 0;
    const char* unit = "";
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      const double speed = length(s.velocity[i]), spin = length(s.angular_velocity[i]);
      const bool slowed = clamp_length(s.velocity[i], speed_);
      if (!clamp_length(s.angular_velocity[i], spin_) && !slowed) continue;
      ++count;
      if (first && c.world.id_at(i) > first) continue;
      first = c.world.id_at(i);
      was = slowed ? speed : spin;
      unit = slowed ? " m/s" : " rad/s";
    }
    if (count == 0) return;
    std::string text = "body '" + c.world.name(first) + "' was slowed down from " + report_number(was) + unit;
    if (count > 1) text += ", " + std::to_string(count - 1) + " more with it,";
    c.reports.push_back(text + " at t = " + report_number(c.time) + " s");
  }

 private:
  double speed_ = 1000, spin_ = 1000;
};

}  // namespace

Entry register_max_velocity() {
  return {Kind::validator,
          "max-velocity",
          "clamps speeds and angular speeds, and reports the bodies",
          "Garstenauer 2006, 7.5.6",
          {},
          make_default<MaxVelocity>,
          {}};
}

}  // namespace rigor
