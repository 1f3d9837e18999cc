// A custom validator: it checks the bodies after each step, reports what is wrong, and may slow bodies down.
//
// Rules. begin() and validate() are called by one thread per simulation. What has to survive from step to step belongs in memory(),
// which is part of snapshots; members of the class are not. If one throws, or sets a velocity that is not finite, Simulation::step()
// throws an Error that names the validator.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "rigor/contacts.h"
#include "rigor/extend/bodies.h"
#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor::extend {

/// The part of a step that a validator can access.
class Inspection {
 public:
  virtual ~Inspection() = default;
  virtual double time() const = 0;  // s, at the end of the step; in begin(): at its start
  virtual double h() const = 0;     // s, of the step
  virtual const ConstBodies& bodies() const = 0;
  virtual const ContactList& contacts() const = 0;
  virtual std::string name(std::size_t body) const = 0;
  /// Eight numbers, zero at first.
  virtual std::span<double> memory() = 0;
  virtual void set_velocity(std::size_t body, const Vec3& velocity, const Vec3& angular_velocity) = 0;
  /// Reports one sentence to the user.
  virtual void report(const std::string& sentence) = 0;
};

class Validator : public Configurable {
 public:
  static constexpr Kind kKind = Kind::validator;
  /// Before a step, after everything that a user changed.
  virtual void begin(Inspection&) {}
  /// After a step.
  virtual void validate(Inspection& inspection) = 0;
};

}  // namespace rigor::extend
