#include "sleep/sleep_rule.h"

#include <cmath>

namespace rigor {

void SleepRule::find_speeds(const BodyState& s, std::vector<double>& speeds) const {
  speeds.resize(s.awake());
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    speeds[i] = std::sqrt(length_squared(s.velocity[i]) + length_squared(s.angular_velocity[i]));
}

void visit(SleepSettings& s, FieldVisitor& v) {
  v.number("min_wake_time", s.min_wake_time, {"s", 0, 1e6, "a body has to be idle for so long"});
  v.number("few_contacts_factor", s.few_contacts_factor,
           {"1", 1, 1e6, "times that for a body with fewer than three contacts, which may be about to tip over"});
  v.number("wake_acceleration", s.wake_acceleration, {"m/s²", 0, 1e6, "change of the outer force per mass that wakes"});
  v.number("wake_speed", s.wake_speed, {"m/s", 0, 1e6, "speed of a joined body that wakes"});
}

}  // namespace rigor
