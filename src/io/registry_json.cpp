#include "io/registry_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/write_parts.h"

namespace rigor {

namespace {

/// Only numbers have bounds, and only finite bounds are written.
bool has_bounds(const Parameter& p) { return p.type == "number" || p.type == "integer" || p.type == "vector"; }

}  // namespace

Json to_json(const Parameter& p) {
  Json json = {{"name", p.name}, {"type", p.type}, {"unit", p.unit}};
  // JSON has no infinity: a bound that does not exist is written as a string.
  const double* number = std::get_if<double>(&p.default_value);
  if (number && std::isinf(*number))
    json["default"] = *number > 0 ? "infinity" : "-infinity";
  else
    json["default"] = to_json(p.default_value);
  if (has_bounds(p) && std::isfinite(p.min)) json["min"] = p.min;
  if (has_bounds(p) && std::isfinite(p.max)) json["max"] = p.max;
  if (!p.choices.empty()) json["choices"] = p.choices;
  json["description"] = p.description;
  return json;
}

Json to_json(const MethodInfo& info) {
  Json parameters = Json::array();
  for (const Parameter& p : info.parameters) parameters.push_back(to_json(p));
  return {{"kind", std::string(to_string(info.kind))},
          {"name", info.name},
          {"description", info.description},
          {"reference", info.reference},
          {"parameters", parameters},
          {"capabilities", info.capabilities},
          {"limitations", info.limitations}};
}

}  // namespace rigor
