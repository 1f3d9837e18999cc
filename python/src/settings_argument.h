// Parameters by name as Python keywords.
#pragma once

#include "casters.h"
#include "rigor/error.h"
#include "rigor/fields.h"

namespace rigor::python {

inline Settings settings_from(const pybind11::kwargs& parameters) {
  Settings out;
  for (const auto& [name, value] : parameters) {
    try {
      out[name.cast<std::string>()] = value.cast<Value>();
    } catch (const pybind11::cast_error&) {
      throw Error(name.cast<std::string>(), "a number, a flag, a word or three numbers");
    }
  }
  return out;
}

}  // namespace rigor::python
