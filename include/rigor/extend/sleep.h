// A custom sleep rule: it decides which bodies are idle. How long a body has to be idle, how islands fall asleep and what wakes them is the
// same for all rules; those parameters (min_wake_time, …) are added to the rule's own.
//
// Rules. find_idle() is const, called by one thread per simulation after each step, and has to be a pure function of the bodies and
// the parameters. If it throws, Simulation::step() throws an Error that names the rule.
#pragma once

#include <cstdint>
#include <span>

#include "rigor/extend/bodies.h"
#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor::extend {

class SleepRule : public Configurable {
 public:
  static constexpr Kind kKind = Kind::sleep;
  /// Sets one flag per awake body: not 0 if it is idle. All are 0 at first.
  virtual void find_idle(const ConstBodies& bodies, std::span<std::uint8_t> idle) const = 0;
};

}  // namespace rigor::extend
