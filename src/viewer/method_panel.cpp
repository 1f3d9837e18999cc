#include "viewer/method_panel.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/method_text.h"
#include "io/registry_json.h"
#include "io/write_parts.h"
#include "registry/entry.h"
#include "registry/parameters.h"
#include "registry/plain_fields.h"
#include "rigor/error.h"

namespace rigor::viewer {

namespace {

/// The sentence that refuses a method; empty when it can work.
std::string refusal(const Method& method) {
  try {
    check(method);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

Json options(const Method& method, const MethodSlot& slot) {
  Json list = Json::array();
  for (const MethodInfo& info : methods()) {
    if (info.kind != slot.kind) continue;
    Json option = {{"name", info.name}, {"description", info.description}, {"reference", info.reference}};
    if (info.name != (method.*slot.member).name) {
      Method changed = method;
      changed.*slot.member = {info.name, {}};
      if (const std::string reason = refusal(changed); !reason.empty()) option["refused"] = reason;
    }
    list.push_back(std::move(option));
  }
  return list;
}

Json describe_slot(const Method& method, const MethodSlot& slot) {
  const Choice& choice = method.*slot.member;
  Json json = {{"key", slot.key}, {"kind", std::string(to_string(slot.kind))}, {"name", choice.name}};
  json["options"] = options(method, slot);
  if (choice.name.empty()) return json;
  const auto now = create<Configurable>(slot.kind, choice, slot.key);
  const auto usual = create<Configurable>(slot.kind, {choice.name, {}}, slot.key);
  json["parameters"] = describe_parameters(*now, *usual);
  return json;
}

}  // namespace

Json describe_parameters(const Configurable& now, const Configurable& usual) {
  const std::vector<Parameter> defaults = parameters_of(usual);
  Json list = Json::array();
  for (const Parameter& present : parameters_of(now)) {
    const auto same = [&](const Parameter& p) { return p.name == present.name && p.type == present.type; };
    const auto found = std::find_if(defaults.begin(), defaults.end(), same);
    const Json value = to_json(present);
    Json parameter = found == defaults.end() ? value : to_json(*found);
    parameter["value"] = value["default"];
    list.push_back(std::move(parameter));
  }
  return list;
}

Json describe_method(const Method& method) {
  Json json = {{"preset", method.preset}, {"label", method_text(method)}, {"slots", Json::array()}};
  for (const MethodSlot& slot : method_slots()) json["slots"].push_back(describe_slot(method, slot));
  json["plain"] = describe_parameters(PlainMethodFields(method), PlainMethodFields(Method{}));
  json["text"] = write_method(method);
  json["validators"] = Json::array();
  for (const Choice& choice : method.validators) json["validators"].push_back(choice.name);
  return json;
}

Json describe_registry() {
  Json json = {{"presets", Json::array()}, {"methods", Json::array()}};
  for (const MethodInfo& info : methods())
    json[info.kind == Kind::preset ? "presets" : "methods"].push_back(to_json(info));
  return json;
}

}  // namespace rigor::viewer
