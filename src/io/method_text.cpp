#include "io/method_text.h"

#include <fmt/format.h>

#include "registry/plain_fields.h"

namespace rigor {

namespace {

void append_choice(std::string& text, const std::string& key, const Choice& now, const Choice& before) {
  if (now.name != before.name) text += " " + key + "=" + now.name;
  for (const auto& [name, value] : now.settings) {
    const auto it = before.settings.find(name);
    const bool same = now.name == before.name && it != before.settings.end() && it->second == value;
    if (!same) text += " " + key + "." + name + "=" + to_text(value);
  }
}

}  // namespace

std::string to_text(const Value& value) {
  struct Printer {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const Vec3& v) const { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }
  };
  return std::visit(Printer{}, value);
}

std::string method_text(const Method& method) {
  const Method before = method.preset.empty() ? Method{} : preset(method.preset);
  std::string text = method.preset.empty() ? "custom" : method.preset;
  for (const MethodSlot& slot : method_slots()) append_choice(text, slot.key, method.*slot.member, before.*slot.member);
  const Settings plain_before = settings_of(PlainMethodFields(before));
  for (const auto& [key, value] : settings_of(PlainMethodFields(method)))
    if (plain_before.at(key) != value) text += " " + key + "=" + to_text(value);
  if (method.validators != before.validators) {
    text += " validators=";
    for (std::size_t i = 0; i < method.validators.size(); ++i) text += (i ? "," : "") + method.validators[i].name;
    if (method.validators.empty()) text += "none";
  }
  return text;
}

}  // namespace rigor
