// Targets of motors over time: key frames, a sine, or a coordinate of another joint.
//
//   Drive wave{.joint = "elbow", .amplitude = 0.5, .frequency = 1};
//   simulation.set_before_step(driven_by({wave}, simulation.world()));
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rigor/simulation.h"

namespace rigor {

/// The target of a motor or servo of one joint over time: m/s, rad/s, m or rad, as its `motor_target`.
struct Drive {
  struct Key {
    double time = 0, target = 0;  // s; m, rad or a speed

    bool operator==(const Key&) const = default;
  };
  /// The coordinate q of the driven axis follows one of another joint: q = offset + ratio · leader. The driven motor gets the speed of the leader and a
  /// fifth of the present error per step; a servo gets the coordinate for the end of the step. The leader does not feel it.
  struct Follow {
    std::string joint;
    int axis = -1;                 // coordinate of the leader; -1: its first one that is not locked
    double ratio = 1, offset = 0;  // 1, m or 1/m; m or rad

    bool operator==(const Follow&) const = default;
  };
  std::string joint;
  int axis = -1;                      // coordinate of the joint; -1: the first one with a motor
  std::vector<Key> keys = {};         // times ascend; the target is constant before the first and after the last key
  bool smooth = true;                 // between keys: a cubic with zero slope at both ends; false: a straight line
  bool repeat = false;                // starts over at the first key after the last one
  std::optional<Follow> follow = {};  // in place of keys
  // Without keys and leader: offset + amplitude sin(2π frequency t + phase).
  double offset = 0, amplitude = 0, frequency = 0, phase = 0;  // target, target, 1/s, rad

  bool operator==(const Drive&) const = default;
};

/// The target of a drive by keys or a sine.
double target_at(const Drive& drive, double time);

/// A callback for Simulation::set_before_step() that sets the targets for the end of the step. Error if a joint does not exist, has
/// no such axis or no motor on it, or if times do not ascend.
Simulation::StepCallback driven_by(std::vector<Drive> drives, const World& world);

}  // namespace rigor
