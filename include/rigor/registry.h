// The list of everything that can be chosen by name. The command line, scene files, the documentation and the conformance
// tests all use it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/fields.h"

namespace rigor {

enum class Kind {
  integrator,
  broadphase,
  narrowphase,
  solver,
  lcp,
  cone,
  stepping,
  sleep,
  validator,
  force,
  joint,
  shape,
  preset
};
std::string_view to_string(Kind kind);

struct Parameter {
  std::string name;
  std::string type;  // "number", "integer", "flag", "choice", "vector"
  std::string unit;
  Value default_value;
  double min = -kUnbounded, max = kUnbounded;
  std::vector<std::string> choices;
  std::string description;
};

struct MethodInfo {
  Kind kind;
  std::string name;
  std::string description;  // one line
  std::string reference;    // the paper or chapter
  std::vector<Parameter> parameters;
  std::vector<std::string> capabilities;
  std::vector<std::string> limitations = {};  // what it does not simulate, a phrase each
};

/// T has capabilities: a MethodInfo, or the registry's own entry.
template <class Described> bool has_capability(const Described& method, std::string_view capability) {
  return std::find(method.capabilities.begin(), method.capabilities.end(), capability) != method.capabilities.end();
}

/// Every registered method, by kind and then in the order of registration. Registration at run time (rigor/extend/registrar.h) makes
/// pointers into the list invalid.
const std::vector<MethodInfo>& methods();
const MethodInfo* find_method(Kind kind, std::string_view name);
/// "unknown integrator 'rk5'; did you mean 'rk4'?", or the list of all names if none is similar.
std::string unknown_name(std::string_view what, std::string_view name, const std::vector<std::string>& known);

}  // namespace rigor
