// The registry: the only file that names every method.
#include "rigor/registry.h"

#include <algorithm>

#include "registry/entry.h"
#include "registry/parameters.h"
#include "registry/presets.h"
#include "registry/shape_entries.h"
#include "rigor/error.h"

namespace rigor {

#define RIGOR_METHOD(name) Entry register_##name();
#include "registry/all_methods.inc"
#undef RIGOR_METHOD

namespace {

/// Lists the fields of a default instance.
class Describer final : public FieldVisitor {
 public:
  std::vector<Parameter> parameters;

  void number(const std::string& name, double& value, const Field& f) override {
    parameters.push_back({name, "number", f.unit, value, f.min, f.max, {}, f.description});
  }
  void integer(const std::string& name, int& value, const Field& f) override {
    parameters.push_back({name, "integer", f.unit, std::int64_t{value}, f.min, f.max, {}, f.description});
  }
  void flag(const std::string& name, bool& value, const std::string& description) override {
    parameters.push_back({name, "flag", "", value, 0, 1, {}, description});
  }
  void choice(const std::string& name, std::string& value, const std::vector<std::string>& choices,
              const std::string& description) override {
    parameters.push_back({name, "choice", "", value, 0, 0, choices, description});
  }
  void vector(const std::string& name, Vec3& value, const Field& f) override {
    parameters.push_back({name, "vector", f.unit, value, f.min, f.max, {}, f.description});
  }
};

std::deque<Entry> collect_entries() {
  std::deque<Entry> all = {
#define RIGOR_METHOD(name) register_##name(),
#include "registry/all_methods.inc"
#undef RIGOR_METHOD
  };
  for (Entry& e : shape_entries()) all.push_back(std::move(e));
  for (Entry& e : preset_entries()) all.push_back(std::move(e));
  return all;
}

MethodInfo describe(const Entry& e) {
  MethodInfo info{e.kind, e.name, e.description, e.reference, e.parameters, e.capabilities, e.limitations};
  if (e.make) info.parameters = parameters_of(*e.make());
  return info;
}

std::vector<MethodInfo> describe_all() {
  std::vector<MethodInfo> infos;
  for (const Entry& e : entries()) infos.push_back(describe(e));
  std::stable_sort(infos.begin(), infos.end(),
                   [](const MethodInfo& a, const MethodInfo& b) { return a.kind < b.kind; });
  return infos;
}

/// The lists of entries; registration at run time appends to them.
std::deque<Entry>& all_entries() {
  static std::deque<Entry> all = collect_entries();
  return all;
}

std::vector<MethodInfo>& all_methods() {
  static std::vector<MethodInfo> all = describe_all();
  return all;
}

void refuse_taken_names(const std::vector<Entry>& added) {
  for (std::size_t i = 0; i < added.size(); ++i) {
    const auto is_same = [&](const Entry& e) { return e.kind == added[i].kind && e.name == added[i].name; };
    if (std::any_of(entries().begin(), entries().end(), is_same) ||
        std::any_of(added.begin(), added.begin() + static_cast<std::ptrdiff_t>(i), is_same))
      throw Error(std::string(to_string(added[i].kind)) + " '" + added[i].name + "'",
                  "there is already one of this name");
  }
}

}  // namespace

std::vector<Parameter> parameters_of(const Configurable& object) {
  Describer describer;
  const_cast<Configurable&>(object).fields(describer);  // which only reads
  return std::move(describer.parameters);
}

const std::deque<Entry>& entries() { return all_entries(); }
const std::vector<MethodInfo>& methods() { return all_methods(); }

void add_entries(std::vector<Entry> added) {
  refuse_taken_names(added);
  std::vector<MethodInfo> infos;
  for (const Entry& e : added) infos.push_back(describe(e));  // may throw: before anything is added
  std::vector<MethodInfo>& all = all_methods();
  for (MethodInfo& info : infos) {
    const auto behind = std::upper_bound(all.begin(), all.end(), info.kind,
                                         [](Kind kind, const MethodInfo& other) { return kind < other.kind; });
    all.insert(behind, std::move(info));
  }
  for (Entry& e : added) all_entries().push_back(std::move(e));
}

const MethodInfo* find_method(Kind kind, std::string_view name) {
  for (const MethodInfo& info : methods())
    if (info.kind == kind && info.name == name) return &info;
  return nullptr;
}

const Entry& entry(Kind kind, std::string_view name, const std::string& place) {
  std::vector<std::string> known;
  for (const Entry& e : entries()) {
    if (e.kind != kind) continue;
    if (e.name == name) return e;
    known.push_back(e.name);
  }
  throw Error(place, unknown_name(to_string(kind), name, known));
}

std::string_view to_string(Kind kind) {
  static constexpr std::string_view kNames[] = {"integrator", "broadphase", "narrowphase", "solver",    "lcp",
                                                "cone",       "stepping",   "sleep",       "validator", "force",
                                                "joint",      "shape",      "preset"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace rigor
