#include "lab/sweep_spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>

#include "io/json_reader.h"
#include "io/random.h"
#include "lab/preset_lists.h"
#include "lab/torture/torture_run.h"
#include "lab/torture/world_classes.h"
#include "rigor/error.h"
#include "rigor/model.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

constexpr std::size_t kMostCells = 10'000'000;
constexpr std::uint64_t kLastSeed = 1'000'000'000'000;
constexpr std::size_t kLongestName = 4096;  // paths, too

Value value_of(const JsonReader& reader) {
  const Value value = reader.parameter();
  if (std::holds_alternative<Vec3>(value)) reader.fail_expected("a number, true, false or a string");
  return value;
}

std::string text_of(const Value& value) {
  struct Printer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t n) const { return std::to_string(n); }
    std::string operator()(double x) const { return Json(x).dump(); }
    std::string operator()(const std::string& s) const { return s; }
    std::string operator()(const Vec3&) const { return {}; }  // value_of() makes none
  };
  return std::visit(Printer(), value);
}

/// A list with at least one item.
void check_list(const JsonReader& reader, const char* what) {
  if (!reader.is_list() || reader.size() == 0) reader.fail_expected(what);
}

constexpr std::string_view kRobustness = "robustness/", kReference = "reference/";

/// What a name of a list stands for: all scenarios, all cases, or itself.
std::vector<std::string> scenes_of(const std::string& name) {
  std::vector<std::string> names;
  if (name == "robustness/*")
    for (const RobustnessScenario& s : robustness_scenarios()) names.push_back(std::string(kRobustness) + s.name);
  else if (name == "reference/*")
    for (const reference::Case& c : reference::cases()) names.push_back(std::string(kReference) + c.name);
  else
    names.push_back(name);
  return names;
}

/// What follows the prefix, unless it looks like a path.
std::string_view problem_name(std::string_view scene, std::string_view prefix) {
  if (!scene.starts_with(prefix)) return {};
  const std::string_view name = scene.substr(prefix.size());
  return name.find_first_of("./") == std::string_view::npos ? name : std::string_view{};
}

/// Error with similar names for a problem that is unknown.
void check_problem_name(std::string_view scene) {
  if (!is_problem(scene) || find_scenario(scene)) return;
  const std::string_view name = problem_name(scene, kReference);
  if (!name.empty()) {
    reference::find_case(name);
    return;
  }
  std::vector<std::string> known;
  for (const RobustnessScenario& s : robustness_scenarios()) known.emplace_back(s.name);
  throw Error("scenes", unknown_name("scenario", short_text(std::string(problem_name(scene, kRobustness))), known));
}

/// Names, each once.
std::vector<std::string> names_of(const JsonReader& reader) {
  check_list(reader, "a list of names");
  std::vector<std::string> names;
  std::set<std::string> known;
  for (std::size_t i = 0; i < reader.size(); ++i) {
    const JsonReader item = reader.item(i);
    for (const std::string& name : scenes_of(item.text(kLongestName))) {
      names.push_back(name);
      if (!known.insert(name).second)
        item.fail("'" + short_text(name) + "' is listed twice, which would make equal runs");
    }
  }
  return names;
}

/// The presets that a name of a list stands for, or the name itself.
std::vector<std::string> methods_of(const std::string& name) {
  if (name == "contact-presets") return contact_presets();
  const std::size_t star = name.ends_with("/*") ? name.size() - 1 : std::string::npos;
  std::vector<std::string> names;
  if (name == "presets" || name == "solver/*" || name == "stepping/*") {
    for (const reference::NamedMethod& m : reference::all_methods())
      if (star == std::string::npos ? m.name.find('/') == std::string::npos : m.name.starts_with(name.substr(0, star)))
        names.push_back(m.name);
  } else {
    names.push_back(name);
  }
  return names;
}

/// Joined names of reference::find_method_by_name() have a slash.
Method base_method(const std::string& name) {
  return name.find('/') == std::string::npos ? preset(name) : reference::find_method_by_name(name).method;
}

std::uint64_t whole(const JsonReader& object, const char* key, std::uint64_t otherwise, std::uint64_t least,
                    std::uint64_t most) {
  const std::optional<JsonReader> value = object.find(key);
  if (!value) return otherwise;
  return static_cast<std::uint64_t>(value->integer(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
}

void check_count(double cells) {
  if (!(cells <= static_cast<double>(kMostCells)))
    throw Error("sweep", Json(cells).dump() + " runs are more than the ten million that one sweep may have");
}

/// Returns the names of random worlds, class/seed.
std::vector<std::string> random_worlds(const JsonReader& reader) {
  reader.only({"classes", "count", "seed"});
  std::vector<std::string> classes;
  if (const std::optional<JsonReader> list = reader.find("classes"))
    classes = names_of(*list);
  else
    for (const WorldClass& kind : world_classes()) classes.emplace_back(kind.name);
  const std::uint64_t count = whole(reader, "count", 10, 0, kMostCells), first = whole(reader, "seed", 1, 0, kLastSeed);
  check_count(static_cast<double>(classes.size()) * static_cast<double>(count));
  std::vector<std::string> names;
  for (const std::string& name : classes) {
    find_world_class(name);
    for (std::uint64_t k = 0; k < count; ++k) names.push_back(name + "/" + std::to_string(first + k));
  }
  return names;
}

const WorldClass* class_of(const std::string& scene, std::uint64_t& seed) {
  const std::size_t slash = scene.find('/');
  if (slash == std::string::npos) return nullptr;
  const char* end = scene.data() + scene.size();
  const auto [stopped, error] = std::from_chars(scene.data() + slash + 1, end, seed);
  if (error != std::errc() || stopped != end) return nullptr;
  for (const WorldClass& kind : world_classes())
    if (scene.substr(0, slash) == kind.name) return &kind;
  return nullptr;
}

std::vector<std::uint64_t> seeds_of(const JsonReader& reader) {
  reader.only({"count", "first"});
  const std::uint64_t count = whole(reader, "count", 1, 1, kMostCells), first = whole(reader, "first", 1, 0, kLastSeed);
  std::vector<std::uint64_t> out;
  for (std::uint64_t k = 0; k < count; ++k) out.push_back(first + k);
  return out;
}

/// True for values that make equal runs: 1 and 1.0, too.
bool are_equal(const Value& a, const Value& b) {
  const auto number = [](const Value& v) -> std::optional<double> {
    if (const auto* x = std::get_if<double>(&v)) return *x;
    if (const auto* n = std::get_if<std::int64_t>(&v)) return static_cast<double>(*n);
    return std::nullopt;
  };
  return a == b || (number(a) && number(a) == number(b));
}

}  // namespace

bool is_problem(std::string_view scene) {
  return !problem_name(scene, kRobustness).empty() || !problem_name(scene, kReference).empty();
}

const RobustnessScenario* find_scenario(std::string_view scene) {
  const std::string_view name = problem_name(scene, kRobustness);
  for (const RobustnessScenario& s : robustness_scenarios())
    if (name == s.name) return &s;
  return nullptr;
}

const reference::Case* find_reference_case(std::string_view scene) {
  const std::string_view name = problem_name(scene, kReference);
  for (const reference::Case& c : reference::cases())
    if (name == c.name) return &c;
  return nullptr;
}

bool is_random_world(std::string_view scene) {
  std::uint64_t seed = 0;
  return class_of(std::string(scene), seed) != nullptr;
}

double step_in(std::string_view parameters) {
  const std::string_view key = "step=";
  const std::size_t at = parameters.starts_with(key) ? 0 : parameters.find(" step=");
  if (at == std::string_view::npos) return 0;
  return std::strtod(std::string(parameters.substr(parameters.find('=', at) + 1)).c_str(), nullptr);
}

std::uint64_t text_hash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

SweepSpec::SweepSpec(std::string_view text, const std::string& folder) : folder_(folder), hash_(text_hash(text)) {
  const Json json = parse_json(text);
  const JsonReader spec(json);
  spec.only({"name", "scenes", "worlds", "methods", "against", "parameters", "seeds", "perturb", "duration", "limit"});
  const std::optional<JsonReader> name = spec.find("name"), seed_range = spec.find("seeds");
  name_ = name ? name->name() : "sweep";
  const std::vector<std::string> scenes = read_scenes(spec);
  read_methods(spec);
  read_parameters(spec);
  read_engines(spec);
  check_problems(scenes, spec);
  const std::vector<std::uint64_t> seeds = seed_range ? seeds_of(*seed_range) : std::vector<std::uint64_t>{0};
  spec.read("perturb", perturb_, {0, 1e3});
  if (seeds.size() > 1 && perturb_ == 0)
    throw Error("seeds",
                "several seeds make equal runs unless \"perturb\" (m/s) gives the difference of the velocities");
  spec.read("duration", duration_, {kPositive, 1e6});
  limit_ = static_cast<int>(whole(spec, "limit", 60, 1, 100'000));
  make_cells(scenes, seeds);
  check_cells(scenes);
}

std::vector<std::string> SweepSpec::read_scenes(const JsonReader& spec) {
  std::vector<std::string> scenes;
  if (const std::optional<JsonReader> list = spec.find("scenes")) scenes = names_of(*list);
  for (const std::string& scene : scenes) check_problem_name(scene);
  const std::set<std::string> named(scenes.begin(), scenes.end());
  if (const std::optional<JsonReader> worlds = spec.find("worlds"))
    for (std::string& world : random_worlds(*worlds)) {
      if (named.contains(world)) worlds->fail("'" + world + "' is one of the scenes, too, which would make equal runs");
      scenes.push_back(std::move(world));
    }
  if (scenes.empty()) throw Error("scenes", "expected at least one scene, or random worlds (\"worlds\")");
  return scenes;
}

void SweepSpec::read_methods(const JsonReader& spec) {
  const std::optional<JsonReader> list = spec.find("methods");
  if (!list) {
    if (!spec.find("against")) methods_.push_back({"the scene's own", "", {}});
    return;
  }
  check_list(*list, "a list of methods");
  for (std::size_t i = 0; i < list->size(); ++i) read_method(list->item(i));
}

void SweepSpec::read_method(const JsonReader& item) {
  if (item.is_text()) {
    for (const std::string& name : methods_of(item.name())) add_method(item, {name, name, {}});
    return;
  }
  item.only({"name", "preset", "set"});
  NamedMethod method;
  if (const std::optional<JsonReader> preset = item.find("preset")) method.preset = preset->name();
  const std::optional<JsonReader> name = item.find("name");
  method.name = name ? name->name() : method.preset;
  if (method.name.empty()) item.fail("a method needs a preset or a name");
  if (const std::optional<JsonReader> changes = item.find("set"))
    for (const JsonReader& change : changes->members()) method.changes[std::string(change.key())] = value_of(change);
  add_method(item, std::move(method));
}

void SweepSpec::add_method(const JsonReader& item, NamedMethod method) {
  for (const NamedMethod& other : methods_) {
    if (other.name == method.name) item.fail("two are called '" + short_text(method.name) + "'");
    if (other.preset == method.preset && other.changes == method.changes && method.engine.empty())
      item.fail("it is the same as '" + short_text(other.name) + "', which would make equal runs");
  }
  if (!method.preset.empty()) try {
      method.base = base_method(method.preset);
    } catch (const Error& error) {
      item.fail(error.what());
    }
  methods_.push_back(std::move(method));
}

/// Other engines, which know neither methods nor parameters of Rigor.
void SweepSpec::read_engines(const JsonReader& spec) {
  const std::optional<JsonReader> list = spec.find("against");
  if (!list) return;
  check_list(*list, "a list of engines");
  for (const Axis& axis : axes_)
    if (axis.key != "step") list->fail("'" + short_text(axis.key) + "' varies, which other engines do not have");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const JsonReader item = list->item(i);
    const std::string name = item.name();
    static_cast<void>(peer_engine(name, {}));  // Error if it is unknown or missing
    add_method(item, {name, "", {}, {}, name});
  }
}

/// Scenarios and cases have a duration, a start and figures of their own.
void SweepSpec::check_problems(const std::vector<std::string>& scenes, const JsonReader& spec) const {
  const auto found = std::find_if(scenes.begin(), scenes.end(), is_problem);
  if (found == scenes.end()) return;
  const std::pair<const char*, const char*> keys[] = {{"against", ", which only methods of Rigor solve"},
                                                      {"seeds", ", which has its own start"},
                                                      {"perturb", ", which has its own start"},
                                                      {"duration", ", which has its own"}};
  for (const auto& [key, why] : keys)
    if (const std::optional<JsonReader> value = spec.find(key))
      value->fail("`" + std::string(key) + "` does not apply to '" + *found + "'" + why +
                  "; put such problems into a sweep of their own");
  for (const NamedMethod& method : methods_)
    if (method.preset.empty())
      throw Error("methods", "'" + *found + "' has no method of its own, so every method needs a preset");
}

void SweepSpec::read_parameters(const JsonReader& spec) {
  const std::optional<JsonReader> parameters = spec.find("parameters");
  if (!parameters) return;
  for (const JsonReader& values : parameters->members()) {
    check_list(values, "a list of values");
    Axis axis{std::string(values.key()), {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const JsonReader item = values.item(i);
      axis.values.push_back(value_of(item));
      for (std::size_t k = 0; k < i; ++k)
        if (are_equal(axis.values[k], axis.values[i]))
          item.fail("this value is listed twice, which would make equal runs");
    }
    axes_.push_back(std::move(axis));
  }
}

void SweepSpec::make_cells(const std::vector<std::string>& scenes, const std::vector<std::uint64_t>& seeds) {
  double points = 1;
  for (const Axis& axis : axes_) points *= static_cast<double>(axis.values.size());
  const double count = points * static_cast<double>(scenes.size() * methods_.size() * seeds.size());
  check_count(count);
  points_.assign(1, Point(axes_.size(), 0));
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    std::vector<Point> next;
    for (const Point& point : points_)
      for (std::size_t v = 0; v < axes_[a].values.size(); ++v) next.push_back(point), next.back()[a] = v;
    points_ = std::move(next);
  }
  std::vector<std::string> texts;
  for (const Point& point : points_) texts.push_back(text_of(point));
  for (const std::string& scene : scenes)
    for (std::size_t m = 0; m < methods_.size(); ++m)
      for (std::size_t p = 0; p < points_.size(); ++p)
        for (const std::uint64_t seed : seeds)
          cells_.push_back({cells_.size(), scene, methods_[m].name, texts[p], seed, m, p});
}

/// Opens every scene once, and configures every method with every combination of parameters: on each scene if a method has no preset
/// of its own, because it then changes that of the scene.
void SweepSpec::check_cells(const std::vector<std::string>& scenes) {
  std::vector<Scene> opened(1);
  std::uint64_t seed = 0;
  const bool needs_scenes = std::any_of(methods_.begin(), methods_.end(),
                                        [](const NamedMethod& m) { return m.preset.empty() && m.engine.empty(); });
  std::vector<const RobustnessScenario*> scenarios;
  for (const std::string& name : scenes) {
    if (const RobustnessScenario* scenario = find_scenario(name)) scenarios.push_back(scenario);
    if (class_of(name, seed)) continue;  // random worlds have the default method
    if (is_problem(name)) continue;
    Scene scene = open(name);
    scene_hashes_[name] = text_hash(write_scene(scene));
    if (needs_scenes) opened.push_back(std::move(scene));
  }
  for (const NamedMethod& method : methods_)
    for (const Point& point : points_) try {
        for (Scene scene : std::span(opened).first(method.preset.empty() ? opened.size() : 1))
          configure(scene, method, point);
        if (const double step = step_in(text_of(point)); step > 0)
          for (const RobustnessScenario* scenario : scenarios) steps_of(*scenario, step);
      } catch (const Error& error) {
        throw Error("method '" + short_text(method.name) + "'" + (point.empty() ? "" : " with " + text_of(point)),
                    error.what());
      }
}

std::string SweepSpec::text_of(const Point& point) const {
  std::string out;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    out += (a == 0 ? "" : " ") + axes_[a].key + "=" + rigor::text_of(axes_[a].values[point[a]]);
  return out;
}

Scene SweepSpec::open(const std::string& name) const {
  std::uint64_t seed = 0;
  if (const WorldClass* kind = class_of(name, seed)) return make_random_world(*kind, seed);
  const bool is_file = name.find('/') != std::string::npos || name.ends_with(".json") || is_model_file(name);
  return open_scene(is_file && name.front() != '/' && !folder_.empty() ? folder_ + "/" + name : name);
}

void SweepSpec::configure(Scene& scene, const NamedMethod& method, const Point& point) const {
  if (!method.preset.empty()) apply_method(scene, method.base);
  for (const auto& [key, value] : method.changes) set(scene.method, key, value);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Value& value = axes_[a].values[point[a]];
    if (axes_[a].key == "step")
      configure_step(scene, value);
    else
      set(scene.method, axes_[a].key, value);
  }
  check(scene.method);
}

void SweepSpec::configure_step(Scene& scene, const Value& value) const {
  const double* step = std::get_if<double>(&value);
  const std::int64_t* whole = std::get_if<std::int64_t>(&value);
  scene.time.step = step ? *step : whole ? static_cast<double>(*whole) : 0;
  if (!(scene.time.step > 0 && scene.time.step <= 1e3)) throw Error("step", "expected a positive number of seconds");
}

void SweepSpec::check_trajectories() const {
  for (const SweepCell& cell : cells_) {
    const std::string& engine = methods_[cell.method_index].engine;
    if (!engine.empty())
      throw Error("--trajectories", "steps of '" + engine +
                                        "' cannot be recorded, only those of Rigor; leave `against` out of this sweep");
    if (is_problem(cell.scene))
      throw Error(
          "--trajectories",
          "'" + cell.scene + "' has figures instead of a recording; put such problems into a sweep of their own");
  }
}

Method SweepSpec::method_of(const SweepCell& cell) const {
  Scene scene;
  configure(scene, methods_[cell.method_index], points_[cell.point_index]);
  return scene.method;
}

BenchEngine SweepSpec::engine_of(const SweepCell& cell) const {
  const std::string& name = methods_[cell.method_index].engine;
  return name.empty() ? rigor_engine("", 1) : peer_engine(name, {});
}

Scene SweepSpec::scene_of(const SweepCell& cell) const {
  Scene scene = open(cell.scene);
  configure(scene, methods_[cell.method_index], points_[cell.point_index]);
  if (duration_ > 0) scene.duration = duration_;
  if (perturb_ == 0) return scene;
  Random random(cell.seed);
  for (const BodyId id : scene.world.bodies()) {
    if (scene.world.is_fixed(id)) continue;
    const Vec3 change = random.symmetric_vector(perturb_);
    scene.world.set_velocity(id, scene.world.velocity(id) + change, scene.world.angular_velocity(id));
  }
  return scene;
}

}  // namespace rigor
