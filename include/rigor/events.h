// What happened in a step, for applications. Events are collected while a step is made and handed over after it, in an order
// that does not depend on threads: joints, sleep, removals, contacts by the bodies' ids, then sensors by theirs.
#pragma once

#include <cstdint>

#include "rigor/ids.h"
#include "rigor/math.h"

namespace rigor {

struct Event {
  enum class Kind : std::uint8_t {
    joint_broken,
    body_asleep,
    body_awake,
    body_removed,  // by a validator, or by the user since the step before
    contact_begin,
    contact_stay,
    contact_end,
    sensor_begin,  // a body began to overlap a sensor
    sensor_end,    // it no longer overlaps the sensor, or one of the two was removed
  };

  Kind kind;
  double time = 0;  // s, at the end of the step
  // A contact names both bodies, a body event names `a`, a joint names the bodies it connected. A sensor event names the sensor `a`
  // and the body `b` inside it.
  BodyId a, b;
  JointId joint;       // of a joint
  double impulse = 0;  // N s, along the normal, of all points of a contact in this step
  double speed = 0;    // m/s, of the fastest approach of a contact when the step began; negative: separating
  Vec3 point, normal;  // world; of the contact's first manifold, from a to b
};

/// "contact-begin", …
const char* to_string(Event::Kind kind);

/// A body that overlaps a sensor.
struct SensorOverlap {
  BodyId sensor, body;

  auto operator<=>(const SensorOverlap&) const = default;
};

/// Which events are collected. Events of persisting contacts are off by default because they are many.
struct EventSettings {
  bool contact_begin_and_end = true;
  bool contact_stay = false;
};

}  // namespace rigor
