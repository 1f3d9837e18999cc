// Validators check the world at the end of each step and repair or report errors (7.5.6).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/fields.h"
#include "rigor/world.h"

namespace rigor {

/// The state of a validator from step to step: plain numbers that are copied and saved with the simulation; initially zero.
struct ValidatorMemory {
  std::array<double, 8> numbers{};
};

struct ValidatorContext {
  World& world;
  const ContactList& contacts;  // as the step found them
  double time;                  // s, at the end of the step; of begin(): at its start
  double h;                     // s, of the step
  ValidatorMemory& memory;
  std::vector<std::string>& reports;  // one sentence for each change or finding
};

class Validator : public Configurable {
 public:
  /// Before a step, after everything that a user changed.
  virtual void begin(ValidatorContext&) {}
  /// After a step.
  virtual void validate(ValidatorContext& context) = 0;
};

/// "12.5": six digits are enough for a sentence.
std::string report_number(double value);

}  // namespace rigor
