// Thrown by fields() for a value that its range cannot tell to be wrong; configure() adds the place.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "rigor/error.h"

namespace rigor {

struct FieldError : std::runtime_error {
  FieldError(std::string field, const std::string& reason) : std::runtime_error(reason), name(std::move(field)) {}
  std::string name;
};

/// Of a choice that is none of those offered; `value` is what was given.
struct UnknownChoice : Error {
  UnknownChoice(const std::string& place, const std::string& reason, std::string given)
      : Error(place, reason), value(std::move(given)) {}
  std::string value;
};

}  // namespace rigor
