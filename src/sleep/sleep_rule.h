// Rules for when a body is idle (3.9, 7.5.5). What follows from that (idle times, whole islands, waking) is the same for all rules and
// is in sleep_stage.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "rigor/fields.h"
#include "rigor/state.h"

namespace rigor {

struct SleepSettings {
  double min_wake_time = 0.5;       // s, idle for so long before a body may sleep
  double few_contacts_factor = 10;  // times min_wake_time for a body with fewer than three contacts
  double wake_acceleration = 0.05;  // m/s², change of the external force per mass that wakes a body
  double wake_speed = 0.05;         // m/s, of a body joined to a sleeping one
};
void visit(SleepSettings& settings, FieldVisitor& visitor);

class SleepRule : public Configurable {
 public:
  virtual bool is_off() const { return false; }
  virtual SleepSettings settings() const = 0;
  /// One flag per awake body.
  virtual void find_idle(const BodyState& state, std::vector<std::uint8_t>& idle) const = 0;
  /// One speed per awake body, m/s, to tell whether a body gathers speed. Unless a rule has its own measure: rotation counts as the
  /// motion of a point a metre away.
  virtual void find_speeds(const BodyState& state, std::vector<double>& speeds) const;
  /// Whether a body whose speed grows is not idle, however slow it is.
  virtual bool wants_no_rise() const { return false; }
};

}  // namespace rigor
