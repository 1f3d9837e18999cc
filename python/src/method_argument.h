// A method as a Python argument: None for the default, the name of a preset, or a Method.
#pragma once

#include "casters.h"
#include "rigor/error.h"
#include "rigor/method.h"

namespace rigor::python {

inline Method method_of(const pybind11::object& argument) {
  if (argument.is_none()) return default_method();
  if (pybind11::isinstance<pybind11::str>(argument)) return preset(argument.cast<std::string>());
  try {
    return argument.cast<Method>();
  } catch (const pybind11::cast_error&) {
    throw Error("method", "expected the name of a preset or a Method");
  }
}

}  // namespace rigor::python
