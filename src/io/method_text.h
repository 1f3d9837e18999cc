// Values and methods as text.
#pragma once

#include <string>

#include "rigor/method.h"

namespace rigor {

std::string to_text(const Value& value);
/// The preset's name followed by the differences from it, in the syntax of --set: "free-flight integrator=rk4".
std::string method_text(const Method& method);

}  // namespace rigor
