// A body is idle while its kinetic energy is small and does not grow (7.5.5; Erleben 2004):
//
//   E(t) < energy   and   E(t) ≤ E(t − h),     E = ½ v² + ½ ω · I ω / m per mass, or m times that per body
//
// The relative test keeps awake what is about to move: a slope that hardly beats friction, a pendulum at its turning point. Energies
// below a tenth of the threshold count as none, or what solvers leave of motion would keep everything awake. With `per_mass`
// off the threshold is in joules of each body (Schmidl 2002): light bodies then sleep at higher speeds than heavy ones. Cost: one
// sum per body.
#include <cmath>

#include "registry/entry.h"
#include "sleep/sleep_rule.h"

namespace rigor {

namespace {

class EnergyDecaySleep final : public SleepRule {
 public:
  void fields(FieldVisitor& v) override {
    v.number("energy", energy_, {"J/kg", 0, 1e6, "bodies with less are idle; in J without per_mass"});
    v.flag("per_mass", per_mass_, "the energy of a kilogram of the body counts, not that of the whole body");
    visit(settings_, v);
  }
  SleepSettings settings() const override { return settings_; }
  bool wants_no_rise() const override { return true; }
  void find_idle(const BodyState& s, std::vector<std::uint8_t>& idle) const override {
    idle.resize(s.awake());
    for (std::uint32_t i = 0; i < s.awake(); ++i) idle[i] = energy_per_mass(s, i) < threshold(s, i);
  }
  void find_speeds(const BodyState& s, std::vector<double>& speeds) const override {
    speeds.resize(s.awake());
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      const double energy = energy_per_mass(s, i);
      speeds[i] = energy > kNoise * threshold(s, i) ? std::sqrt(2 * energy) : 0;
    }
  }

 private:
  static constexpr double kNoise =
      0.1;  // of the threshold; chosen: ten sweeps from zero leave boxes at rest with 1e-5 J/kg and more

  double threshold(const BodyState& s, std::uint32_t i) const {
    return per_mass_ ? energy_ : energy_ * s.inverse_mass[i];
  }
  static double energy_per_mass(const BodyState& s, std::uint32_t i) {
    const double turning = dot(s.angular_velocity[i], angular_momentum(s, i)) * s.inverse_mass[i];
    return 0.5 * (length_squared(s.velocity[i]) + turning);
  }

  double energy_ = 1e-3;
  bool per_mass_ = true;
  SleepSettings settings_;
};

}  // namespace

Entry register_energy_decay_sleep() {
  return {Kind::sleep,
          "energy-decay",
          "islands sleep whose bodies have little kinetic energy that does not grow",
          "Erleben 2004; Schmidl 2002; Garstenauer 2006, 7.5.5",
          {},
          make_default<EnergyDecaySleep>,
          {}};
}

}  // namespace rigor
