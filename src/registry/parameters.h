#pragma once

#include "rigor/registry.h"

namespace rigor {

/// The fields of an object with their ranges; `default_value` holds the present value.
std::vector<Parameter> parameters_of(const Configurable& object);

}  // namespace rigor
