// Values and methods in words.
#pragma once

#include <string>

#include "rigor/method.h"

namespace rigor {

std::string to_text(const Value& value);
/// The preset's name followed by what differs from it, as --set takes it: "free-flight integrator=rk4".
std::string method_text(const Method& method);

}  // namespace rigor
