// Validators look at the world at the end of each step and repair or report what is wrong (7.5.6).
#pragma once

#include <string>
#include <vector>

#include "rigor/fields.h"
#include "rigor/world.h"

namespace rigor {

class Validator : public Configurable {
 public:
  /// Appends a sentence to `reports` for everything that it changed or found.
  virtual void validate(World& world, double time, std::vector<std::string>& reports) = 0;
};

}  // namespace rigor
