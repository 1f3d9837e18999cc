// The registry as JSON, for `rigor methods --json` and for the panels of the viewer.
#pragma once

#include "io/json_text.h"
#include "rigor/registry.h"

namespace rigor {

/// name, type, unit, default, min and max where they are finite, choices, description.
Json to_json(const Parameter& parameter);
/// kind, name, description, reference, parameters, capabilities, limitations.
Json to_json(const MethodInfo& info);

}  // namespace rigor
