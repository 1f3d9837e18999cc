// Finds joints that stay open and limits that stay exceeded.
//
// open: the error of a rigid equation of a joint, or of a rope or rod, is larger at every step during 0.25 s than
//
//   linear    1 mm + 0.02 L + g h² + ½ (|r_a| ω_a² + |r_b| ω_b²) h²       m
//   angular   0.02 rad + min(0.1, g h² / L) + ½ (ω_a² + ω_b²) h²          rad
//
// L is the size of the smaller body, r the arm from a body's center of mass to the joint, ω its angular velocity at that moment:
// within a step an arm turns by ω h and its end leaves the tangent by ½ r (ω h)²; a free body falls by ½ g h².
//
// The two angles of a gear are followed over full turns by the watch itself, from one step to the next.
//
// limit: the same for limits of joint axes, swing and twist, with 0.05 rad instead of 0.02 rad.
#pragma once

#include <map>
#include <vector>

#include "lab/torture/pinch_watch.h"
#include "lab/torture/verdict.h"
#include "rigor/world.h"

namespace rigor {

class JointWatch {
 public:
  JointWatch(const World& world, double h, double g);

  void step_done(const World& world, const PinchWatch& pinch, double time, Judgement& judgement);

 private:
  struct Tolerance {
    double linear = 0, angular = 0;  // m, rad
  };
  struct Gear {
    double first = 0, second = 0;  // m or rad, continued over full turns
  };
  double gear_error(const World& world, JointId id, const GearJoint& gear);
  void judge_row(const World& world, JointId id, bool is_limit, bool is_angular, double error, double time,
                 std::map<std::pair<JointId, bool>, double>& still, Judgement& judgement) const;
  Tolerance tolerance(const World& world, const JointDef& def) const;

  using Key = std::pair<JointId, bool>;  // whether it is a limit
  std::map<Key, double> since_;          // s
  std::map<JointId, Gear> gears_;
  double h_, g_;
};

}  // namespace rigor
