// A method as the page's panels show it: every stage with its choices and parameters, all from the registry.
#pragma once

#include "io/json_text.h"
#include "rigor/method.h"

namespace rigor::viewer {

/// {"preset", "label", "slots": [{"key", "kind", "name", "options", "parameters"}], "plain": [parameters], "validators"}.
/// An option that cannot be combined with the rest of the method has "refused", the reason in a sentence. A parameter's
/// "value" is the present one.
Json describe_method(const Method& method);
/// The parameters of `now` with their "value", beside the defaults of `usual`. The two may differ in more than values: a solver that
/// names another one has the parameters of that one, too.
Json describe_parameters(const Configurable& now, const Configurable& usual);
/// What does not depend on the method: {"presets": […], "methods": […]}, as `rigor methods --json` prints them.
Json describe_registry();

}  // namespace rigor::viewer
