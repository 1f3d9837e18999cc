// Changing and checking a Method by the keys of its parts.
#include "rigor/method.h"

#include <algorithm>

#include "registry/entry.h"
#include "registry/plain_fields.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr MethodSlot kSlots[] = {
    {"stepping", Kind::stepping, &Method::stepping},
    {"integrator", Kind::integrator, &Method::integrator},
    {"broadphase", Kind::broadphase, &Method::broadphase},
    {"narrowphase", Kind::narrowphase, &Method::narrowphase},
    {"sleep", Kind::sleep, &Method::sleep},
    {"solver.collision", Kind::solver, &Method::collision_solver},
    {"solver.contact", Kind::solver, &Method::contact_solver},
    {"solver.joint", Kind::solver, &Method::joint_solver},
    {"solver.correction", Kind::solver, &Method::correction},
};

/// The key that stands for the solvers of collisions, contacts and joints.
constexpr std::string_view kAllTasks = "solver.*";

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const MethodSlot& s : kSlots) keys.emplace_back(s.key);
  for (const auto& [key, value] : settings_of(PlainMethodFields(Method{}))) keys.push_back(key);
  keys.emplace_back("validators");
  return keys;
}

/// Configures a temporary instance, because the ranges are in the method's own fields.
void check_choice(Kind kind, const Choice& choice, const std::string& place) {
  create<Configurable>(kind, choice, place);
}

void set_name(Choice& choice, Kind kind, const Value& value, const std::string& key) {
  const std::string* name = std::get_if<std::string>(&value);
  if (!name) throw Error(key, "expected the name of a method");
  entry(kind, *name, key);
  choice = {*name, {}};
}

/// Parameters below `name`, as "lcp.iterations" is below "lcp", belong to the method that it names: the new one keeps those
/// that it knows.
void drop_what_it_does_not_know(Choice& choice, Kind kind, const std::string& slot, const std::string& name) {
  const auto is_below = [&](const auto& setting) { return setting.first.starts_with(name + "."); };
  Choice bare = choice;
  if (std::erase_if(bare.settings, is_below) == 0) return;
  const Settings known = settings_of(*create<Configurable>(kind, bare, slot));
  std::erase_if(choice.settings,
                [&](const auto& setting) { return is_below(setting) && !known.contains(setting.first); });
}

void set_parameter(Choice& choice, Kind kind, const Value& value, const std::string& slot, const std::string& name) {
  Choice changed = choice;
  changed.settings[name] = value;
  drop_what_it_does_not_know(changed, kind, slot, name);
  check_choice(kind, changed, slot);
  choice = std::move(changed);
}

/// "finite, max-velocity": names with commas between them, or "none".
void set_validators(Method& method, const Value& value) {
  const std::string* text = std::get_if<std::string>(&value);
  if (!text) throw Error("validators", "expected names of validators, separated by commas, or 'none'");
  std::vector<Choice> validators;
  for (std::size_t begin = 0; *text != "none" && begin <= text->size();) {
    const std::size_t end = std::min(text->find(',', begin), text->size());
    std::string name = text->substr(begin, end - begin);
    std::erase(name, ' ');
    entry(Kind::validator, name, "validators");
    validators.push_back({name, {}});
    begin = end + 1;
  }
  method.validators = std::move(validators);
}

/// Sets "max-velocity.speed" of the validator "max-velocity", which is added if the method does not have it.
void set_validator_parameter(Method& method, const std::string& key, const Value& value) {
  const std::size_t dot = std::min(key.find('.'), key.size());
  const std::string name = key.substr(0, dot), place = "validators." + name;
  entry(Kind::validator, name, "validators");
  if (dot == key.size()) throw Error(place, "expected " + place + ".PARAMETER");
  auto& all = method.validators;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Choice& c) { return c.name == name; });
  Choice choice = found != all.end() ? *found : Choice{name, {}};
  set_parameter(choice, Kind::validator, value, place, key.substr(dot + 1));
  if (found != all.end())
    *found = std::move(choice);
  else
    all.push_back(std::move(choice));
}

/// The task of a slot's solver, as it reads after "cannot".
std::string_view task_text(std::string_view task) {
  if (task == "correction") return "correct errors";
  if (task == "collision") return "solve collisions";
  return task == "contact" ? "solve contacts" : "solve joints";
}

std::string solvers_for(std::string_view task) {
  std::string names;
  for (const Entry& e : entries())
    if (e.kind == Kind::solver && has_capability(e, task)) names += (names.empty() ? "" : ", ") + e.name;
  return "one of " + names;
}

bool has_level(const Choice& solver, std::string_view level) {
  return has_capability(entry(Kind::solver, solver.name, "solver"), "level:" + std::string(level));
}

/// Refuses a bias that no solver reads, because all solvers that could correct errors themselves.
void check_own_correction(const Method& m) {
  if (!has_level(m.correction, "bias")) return;
  const Choice* owner = nullptr;
  for (const Choice* c : {&m.collision_solver, &m.contact_solver, &m.joint_solver}) {
    if (!has_level(*c, "velocity")) continue;
    if (!has_capability(entry(Kind::solver, c->name, "solver"), "corrects-errors")) return;
    owner = c;
  }
  if (owner)
    throw Error("solver.correction", "'" + owner->name + "' corrects errors by itself and would not read '" +
                                         m.correction.name + "'; choose 'none' here");
}

/// Refuses solvers that can do their tasks alone, but not together.
void check_teamwork(const Method& m) {
  const Choice* tasks[] = {&m.collision_solver, &m.contact_solver, &m.joint_solver};
  const auto any = [&](std::string_view level) {
    return std::any_of(std::begin(tasks), std::end(tasks), [&](const Choice* c) { return has_level(*c, level); });
  };
  if (has_capability(entry(Kind::solver, m.contact_solver.name, "solver.contact"), "needs:collision") &&
      !has_level(m.collision_solver, "velocity"))
    throw Error("solver.collision", "'" + m.contact_solver.name +
                                        "' finds forces at rest and stops no impact; choose '" +
                                        "sequential-impulse' or another solver of velocity level here, not '" +
                                        m.collision_solver.name + "'");
  // A pass of its own follows the solvers of contacts and joints; a bias is read by that of collisions, too.
  const bool none_follows = has_level(m.correction, "velocity") && !has_level(m.contact_solver, "velocity") &&
                            !has_level(m.joint_solver, "velocity");
  if (any("force") && (none_follows || (has_level(m.correction, "bias") && !any("velocity"))))
    throw Error("solver.correction", "'" + m.correction.name +
                                         "' works through solvers of velocity level, and there is none; choose 'none' "
                                         "and the force-level solver's own stabilisation");
  check_own_correction(m);
}

/// Whether the step, or one of those that it contains, has the capability.
bool step_has(const Method& m, std::string_view capability) {
  const Entry& step = entry(Kind::stepping, m.stepping.name, "stepping");
  if (has_capability(step, capability)) return true;
  if (!has_capability(step, "contains-steps")) return false;
  for (const auto& [key, value] : m.stepping.settings)
    if (const auto* name = std::get_if<std::string>(&value))
      if (const MethodInfo* inner = find_method(Kind::stepping, *name); inner && has_capability(*inner, capability))
        return true;
  return false;
}

/// "solver.contact" takes only what can solve contacts.
void check_solvers(const Method& method) {
  constexpr std::string_view kPrefix = "solver.";
  const bool solves_itself = step_has(method, "solves-constraints");
  const bool impulses_only = step_has(method, "impulses-only");
  for (const MethodSlot& slot : kSlots) {
    if (slot.kind != Kind::solver) continue;
    const Choice& choice = method.*slot.member;
    const std::string_view task = std::string_view(slot.key).substr(kPrefix.size());
    if (!has_capability(entry(Kind::solver, choice.name, slot.key), task))
      throw Error(slot.key,
                  "'" + choice.name + "' cannot " + std::string(task_text(task)) + "; choose " + solvers_for(task));
    if (solves_itself && choice.name != "none")
      throw Error("stepping", "the step '" + method.stepping.name + "' solves constraints itself, and " + slot.key +
                                  " is '" + choice.name +
                                  "'; set solver.* and solver.correction to 'none', or choose another step");
    if (impulses_only && has_capability(entry(Kind::solver, choice.name, slot.key), "level:force"))
      throw Error(slot.key, "the step '" + method.stepping.name + "' works with impulses, and '" + choice.name +
                                "' finds forces; choose another step or solver");
  }
  check_teamwork(method);
}

/// A step with coordinates of its own needs an integrator that can move them.
void check_coordinates(const Method& m) {
  if (!has_capability(entry(Kind::stepping, m.stepping.name, "stepping"), "joint-coordinates")) return;
  if (has_capability(entry(Kind::integrator, m.integrator.name, "integrator"), "any-coordinates")) return;
  std::string names;
  for (const Entry& e : entries())
    if (e.kind == Kind::integrator && has_capability(e, "any-coordinates"))
      names += (names.empty() ? "" : ", ") + e.name;
  throw Error("integrator", "the step '" + m.stepping.name + "' moves joint coordinates, and '" + m.integrator.name +
                                "' moves bodies; choose one of " + names);
}

}  // namespace

std::span<const MethodSlot> method_slots() { return kSlots; }

void visit_plain_fields(Method& method, FieldVisitor& v) {
  v.flag("gyroscopic", method.gyroscopic, "false drops the term ω × Iω, as many engines do");
  v.number("contact_envelope", method.contact_envelope,
           {"m", 0, 1000, "contacts are found this far before shapes touch"});
  v.number("restitution_threshold", method.restitution_threshold,
           {"m/s", 0, 1000, "contacts that close slower do not bounce"});
  v.number("stick_speed", method.stick_speed, {"m/s", 0, 1000, "surfaces that slide slower have static friction"});
}

void set(Method& method, const std::string& key, const Value& value) {
  if (key.starts_with(kAllTasks)) {
    Method changed = method;
    for (const char* slot : {"solver.collision", "solver.contact", "solver.joint"})
      set(changed, slot + key.substr(kAllTasks.size()), value);
    method = std::move(changed);
    return;
  }
  for (const MethodSlot& slot : kSlots) {
    const std::string prefix = std::string(slot.key) + ".";
    if (key == slot.key) return set_name(method.*slot.member, slot.kind, value, key);
    if (key.starts_with(prefix))
      return set_parameter(method.*slot.member, slot.kind, value, slot.key, key.substr(prefix.size()));
  }
  constexpr std::string_view kValidators = "validators";
  if (key == kValidators) return set_validators(method, value);
  if (key.starts_with("validators.")) return set_validator_parameter(method, key.substr(kValidators.size() + 1), value);
  const std::vector<std::string> keys = all_keys();
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) throw Error(unknown_name("key", key, keys));
  PlainMethodFields fields(method);
  configure(fields, {{key, value}}, "");
  method = fields.method();
}

void check(const Method& method) {
  for (const MethodSlot& slot : kSlots) check_choice(slot.kind, method.*slot.member, slot.key);
  for (std::size_t i = 0; i < method.validators.size(); ++i)
    check_choice(Kind::validator, method.validators[i], "validators[" + std::to_string(i) + "]");
  check_solvers(method);
  check_coordinates(method);
  PlainMethodFields fields(method);
  configure(fields, settings_of(fields), "");
}

}  // namespace rigor
