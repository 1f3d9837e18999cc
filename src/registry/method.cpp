// Changing and checking a Method by the keys of its slots.
#include "rigor/method.h"

#include "registry/entry.h"
#include "rigor/error.h"

namespace rigor {

namespace {

/// The slots that hold one method each, by the key that the command line and scene files use.
struct Slot {
  const char* key;
  Kind kind;
  Choice Method::*member;
};
constexpr Slot kSlots[] = {
    {"stepping", Kind::stepping, &Method::stepping},
    {"integrator", Kind::integrator, &Method::integrator},
};

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const Slot& s : kSlots) keys.emplace_back(s.key);
  keys.emplace_back("gyroscopic");
  return keys;
}

/// Configures a throw-away instance: the method's own fields know their ranges.
void check_choice(Kind kind, const Choice& choice, const std::string& place) {
  create<Configurable>(kind, choice, place);
}

void set_gyroscopic(Method& method, const Value& value) {
  const bool* flag = std::get_if<bool>(&value);
  if (!flag) throw Error("gyroscopic", "true or false is wanted");
  method.gyroscopic = *flag;
}

}  // namespace

void set(Method& method, const std::string& key, const Value& value) {
  if (key == "gyroscopic") return set_gyroscopic(method, value);
  for (const Slot& slot : kSlots) {
    Choice& choice = method.*slot.member;
    const std::string prefix = std::string(slot.key) + ".";
    if (key == slot.key) {
      const std::string* name = std::get_if<std::string>(&value);
      if (!name) throw Error(key, "the name of a method is wanted");
      entry(slot.kind, *name, key);
      choice = {*name, {}};
      return;
    }
    if (key.starts_with(prefix)) {
      Choice changed = choice;
      changed.settings[key.substr(prefix.size())] = value;
      check_choice(slot.kind, changed, slot.key);
      choice = std::move(changed);
      return;
    }
  }
  throw Error(unknown_name("key", key, all_keys()));
}

void check(const Method& method) {
  for (const Slot& slot : kSlots) check_choice(slot.kind, method.*slot.member, slot.key);
  for (std::size_t i = 0; i < method.validators.size(); ++i)
    check_choice(Kind::validator, method.validators[i], "validators[" + std::to_string(i) + "]");
}

}  // namespace rigor
