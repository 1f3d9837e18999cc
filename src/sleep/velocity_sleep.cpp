// A body is idle if |v| and |ω| are below their thresholds (7.5.5).
#include "registry/entry.h"
#include "sleep/sleep_rule.h"

namespace rigor {

namespace {

class VelocitySleep final : public SleepRule {
 public:
  void fields(FieldVisitor& v) override {
    v.number("linear", linear_, {"m/s", 0, 1e6, "slower bodies are idle"});
    v.number("angular", angular_, {"rad/s", 0, 1e6, "slower bodies are idle"});
    visit(settings_, v);
  }
  SleepSettings settings() const override { return settings_; }
  void find_idle(const BodyState& s, std::vector<std::uint8_t>& idle) const override {
    idle.resize(s.awake());
    for (std::uint32_t i = 0; i < s.awake(); ++i)
      idle[i] = length_squared(s.velocity[i]) < linear_ * linear_ &&
                length_squared(s.angular_velocity[i]) < angular_ * angular_;
  }

 private:
  double linear_ = 0.05, angular_ = 0.1;
  SleepSettings settings_;
};

}  // namespace

Entry register_velocity_sleep() {
  return {Kind::sleep,
          "velocity",
          "islands sleep if their bodies are slower than two thresholds",
          "Garstenauer 2006, 7.5.5",
          {},
          make_default<VelocitySleep>,
          {}};
}

}  // namespace rigor
