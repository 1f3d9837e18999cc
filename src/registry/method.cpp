// Changing and checking a Method by the keys of its slots.
#include "rigor/method.h"

#include "registry/entry.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr double kLargestEnvelope = 1000;  // m

/// The slots that hold one method each, by the key that the command line and scene files use.
struct Slot {
  const char* key;
  Kind kind;
  Choice Method::*member;
};
constexpr Slot kSlots[] = {
    {"stepping", Kind::stepping, &Method::stepping},
    {"integrator", Kind::integrator, &Method::integrator},
    {"broadphase", Kind::broadphase, &Method::broadphase},
    {"narrowphase", Kind::narrowphase, &Method::narrowphase},
};

/// What a method holds besides.
struct PlainField {
  const char* key;
  void (*set)(Method& method, const Value& value, const char* key);
};

void set_gyroscopic(Method& method, const Value& value, const char* key) {
  const bool* flag = std::get_if<bool>(&value);
  if (!flag) throw Error(key, "true or false is wanted");
  method.gyroscopic = *flag;
}

void set_contact_envelope(Method& method, const Value& value, const char* key) {
  const double* number = std::get_if<double>(&value);
  const std::int64_t* whole = std::get_if<std::int64_t>(&value);
  const double v = number ? *number : whole ? static_cast<double>(*whole) : -1;
  if (!(v >= 0 && v <= kLargestEnvelope)) throw Error(key, "a number of metres from 0 to 1000 is wanted");
  method.contact_envelope = v;
}

constexpr PlainField kPlainFields[] = {
    {"gyroscopic", set_gyroscopic},
    {"contact_envelope", set_contact_envelope},
};

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const Slot& s : kSlots) keys.emplace_back(s.key);
  for (const PlainField& f : kPlainFields) keys.emplace_back(f.key);
  return keys;
}

/// Configures a throw-away instance: the method's own fields know their ranges.
void check_choice(Kind kind, const Choice& choice, const std::string& place) {
  create<Configurable>(kind, choice, place);
}

}  // namespace

void set(Method& method, const std::string& key, const Value& value) {
  for (const PlainField& f : kPlainFields)
    if (key == f.key) return f.set(method, value, f.key);
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
  Method copy = method;
  set_contact_envelope(copy, method.contact_envelope, "contact_envelope");
}

}  // namespace rigor
