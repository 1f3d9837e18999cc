// Thrown by fields() for a value that its range cannot tell to be wrong; configure() adds the place.
#pragma once

#include <stdexcept>
#include <string>

namespace rigor {

struct FieldError : std::runtime_error {
  FieldError(std::string field, const std::string& reason) : std::runtime_error(reason), name(std::move(field)) {}
  std::string name;
};

}  // namespace rigor
