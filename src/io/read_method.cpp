// The method of a scene file: a preset's name, or an object that overrides parts of one. Every key but "preset" and
// "validators" goes through set(), which knows the slots.
#include "io/scene_parts.h"
#include "registry/key_order.h"
#include "registry/plain_fields.h"
#include "rigor/error.h"
#include "rigor/method.h"

namespace rigor {

namespace {

/// The place in the messages of set() and check() is relative to the method.
[[noreturn]] void fail_in_method(const JsonReader& method, std::string_view key, const Error& error) {
  const std::string_view text = error.what();
  const bool has_place = text.starts_with(key) && text.size() > key.size() &&
                         (text[key.size()] == ':' || text[key.size()] == '.' || text[key.size()] == '[');
  throw Error(method.path() + (has_place ? "." : ": ") + std::string(text));
}

void set_part(const JsonReader& method, const std::string& slot, Method& result, const std::string& key,
              const Value& value) {
  try {
    set(result, key, value);
  } catch (const Error& error) {
    fail_in_method(method, slot, error);
  }
}

/// {"name": …, parameter: …}; without a name the preset's method is kept with other parameters.
void read_slot(const JsonReader& method, const JsonReader& slot, Method& result) {
  const std::string key = short_text(slot.key());
  if (!slot.is_object()) return set_part(method, key, result, key, slot.parameter());
  PartReader parts(slot);
  if (const auto name = slot.find("name"))
    if (!parts.read([&] { set_part(method, key, result, key, name->name()); })) slot.give_up();
  std::vector<JsonReader> parameters = slot.members();
  names_before_parameters(parameters, [](const JsonReader& parameter) { return parameter.key(); });
  for (const JsonReader& parameter : parameters)
    if (parameter.key() != "name")
      parts.read(
          [&] { set_part(method, key, result, key + "." + short_text(parameter.key()), parameter.parameter()); });
  parts.finish();
}

/// Parameters are inside their method's object, so the keys are those of the slots and plain fields only.
void refuse_unknown_keys(const JsonReader& r) {
  std::vector<std::string> known = {"preset", "validators"};
  for (const MethodSlot& slot : method_slots()) known.emplace_back(slot.key);
  for (const auto& [key, value] : settings_of(PlainMethodFields(default_method()))) known.push_back(key);
  r.only(known);
}

Choice read_choice(const JsonReader& r) {
  if (!r.is_object()) return {r.name(), {}};
  Choice choice;
  choice.name = r.at("name").name();
  for (const JsonReader& parameter : r.members())
    if (parameter.key() != "name") choice.settings[std::string(parameter.key())] = parameter.parameter();
  return choice;
}

Method read_preset(const JsonReader& r) {
  const std::string name = r.name();
  return located(r, [&] { return preset(short_text(name)); });
}

}  // namespace

Method read_method(const JsonReader& r) {
  if (r.is_text()) return read_preset(r);
  if (!r.is_object()) r.fail_expected("the name of a preset or an object");
  refuse_unknown_keys(r);
  Method method = default_method();
  PartReader parts(r);
  if (const auto name = r.find("preset"))
    if (!parts.read([&] { method = read_preset(*name); })) r.give_up();
  for (const JsonReader& slot : r.members()) {
    if (slot.key() == "preset") continue;
    if (slot.key() == "validators") {
      method.validators.clear();
      parts.read([&] {
        for (std::size_t i = 0; i < slot.size(); ++i) method.validators.push_back(read_choice(slot.item(i)));
      });
    } else {
      parts.read([&] { read_slot(r, slot, method); });
    }
  }
  parts.finish();
  try {
    check(method);
  } catch (const Error& error) {
    fail_in_method(r, "validators", error);
  }
  return method;
}

}  // namespace rigor
