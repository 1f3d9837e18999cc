// Thrown by fields() for a value that is wrong although it is in range; configure() adds the place.
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

/// Thrown for an unknown choice; `value` is the one given.
struct UnknownChoice : Error {
  UnknownChoice(const std::string& place, const std::string& reason, std::string given)
      : Error(place, reason), value(std::move(given)) {}
  std::string value;
};

}  // namespace rigor
