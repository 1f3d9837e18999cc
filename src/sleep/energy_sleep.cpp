// A body is idle when its kinetic energy per mass, ½ v² + ½ ω · I ω / m, is small (7.5.5; Schmidl 2002; Erleben 2004): one
// number for moving and turning, and a heavy roller that could still push something stays awake.
#include "registry/entry.h"
#include "sleep/sleep_rule.h"

namespace rigor {

namespace {

class EnergySleep final : public SleepRule {
 public:
  void fields(FieldVisitor& v) override {
    v.number("energy", energy_, {"J/kg", 0, 1e6, "bodies with less are idle"});
    visit(settings_, v);
  }
  SleepSettings settings() const override { return settings_; }
  void find_idle(const BodyState& s, std::vector<std::uint8_t>& idle) const override {
    idle.resize(s.awake());
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      const double turning = dot(s.angular_velocity[i], angular_momentum(s, i)) * s.inverse_mass[i];
      idle[i] = 0.5 * (length_squared(s.velocity[i]) + turning) < energy_;
    }
  }

 private:
  double energy_ = 1e-3;
  SleepSettings settings_;
};

}  // namespace

Entry register_energy_sleep() {
  return {Kind::sleep,
          "energy",
          "islands sleep if their bodies have little kinetic energy per mass",
          "Schmidl 2002; Garstenauer 2006, 7.5.5",
          {},
          make_default<EnergySleep>,
          {}};
}

}  // namespace rigor
