#include "lab/sweep_spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "io/json_text.h"
#include "io/random.h"
#include "lab/torture/torture_run.h"
#include "lab/torture/world_classes.h"
#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor {

namespace {

constexpr std::size_t kMostCells = 10'000'000;

/// An object of the spec that checks that every key is read.
class Object {
 public:
  Object(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) throw Error(place_, "expected an object");
  }
  const Json* find(const char* key) {
    known_.insert(key);
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  double number(const char* key, double otherwise, double min, double max) {
    const Json* value = find(key);
    if (!value) return otherwise;
    if (!value->is_number()) throw Error(at(key), "expected a number");
    const double number = value->get<double>();
    if (!(number >= min && number <= max))
      throw Error(at(key), "expected a number from " + text(min) + " to " + text(max));
    return number;
  }
  std::uint64_t whole(const char* key, std::uint64_t otherwise, std::uint64_t most) {
    const double number = this->number(key, static_cast<double>(otherwise), 0, static_cast<double>(most));
    if (number != std::floor(number)) throw Error(at(key), "expected a whole number");
    return static_cast<std::uint64_t>(number);
  }
  std::string string(const char* key, const std::string& otherwise) {
    const Json* value = find(key);
    if (!value) return otherwise;
    if (!value->is_string()) throw Error(at(key), "expected a string");
    return value->get<std::string>();
  }
  std::string at(const std::string& key) const { return place_.empty() ? key : place_ + "." + key; }
  /// Throws an Error for an unknown key.
  void finish() const {
    for (const auto& [key, value] : json_.items())
      if (!known_.contains(key))
        throw Error(place_.empty() ? "sweep" : place_,
                    unknown_name("key", short_text(key), {known_.begin(), known_.end()}));
  }

 private:
  static std::string text(double number) { return Json(number).dump(); }
  const Json& json_;
  std::string place_;
  std::set<std::string> known_;
};

Value value_of(const Json& json, const std::string& place) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  throw Error(place, "expected a number, true, false or a string");
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

std::vector<std::string> texts(const Json& json, const std::string& place) {
  if (!json.is_array() || json.empty()) throw Error(place, "expected a list of names");
  std::vector<std::string> out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_string()) throw Error(place + "[" + std::to_string(i) + "]", "expected a name");
    out.push_back(json[i].get<std::string>());
  }
  return out;
}

void check_count(double cells) {
  if (!(cells <= static_cast<double>(kMostCells)))
    throw Error("sweep", Json(cells).dump() + " runs are more than the ten million that one sweep may have");
}

/// Returns the names of random worlds, class/seed.
std::vector<std::string> random_worlds(const Json& json) {
  Object object(json, "worlds");
  std::vector<std::string> classes;
  if (const Json* list = object.find("classes"))
    classes = texts(*list, "worlds.classes");
  else
    for (const WorldClass& kind : world_classes()) classes.emplace_back(kind.name);
  const std::uint64_t count = object.whole("count", 10, kMostCells), first = object.whole("seed", 1, 1'000'000'000'000);
  object.finish();
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

std::vector<std::uint64_t> seeds_of(const Json* json) {
  if (!json) return {0};
  Object object(*json, "seeds");
  const std::uint64_t count = object.whole("count", 1, kMostCells), first = object.whole("first", 1, 1'000'000'000'000);
  object.finish();
  if (count == 0) throw Error("seeds.count", "expected at least one seed");
  std::vector<std::uint64_t> out;
  for (std::uint64_t k = 0; k < count; ++k) out.push_back(first + k);
  return out;
}

}  // namespace

std::uint64_t text_hash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

SweepSpec::SweepSpec(std::string_view text, const std::string& folder) : folder_(folder), hash_(text_hash(text)) {
  const Json json = parse_json(text);
  Object spec(json, "");
  name_ = spec.string("name", "sweep");
  std::vector<std::string> scenes;
  if (const Json* list = spec.find("scenes")) scenes = texts(*list, "scenes");
  if (const Json* worlds = spec.find("worlds"))
    for (std::string& world : random_worlds(*worlds)) scenes.push_back(std::move(world));
  if (scenes.empty()) throw Error("scenes", "expected at least one scene, or random worlds (\"worlds\")");
  if (const Json* list = spec.find("methods")) {
    if (!list->is_array() || list->empty()) throw Error("methods", "expected a list of methods");
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string place = "methods[" + std::to_string(i) + "]";
      const Json& entry = (*list)[i];
      if (entry.is_string()) {
        methods_.push_back({entry.get<std::string>(), entry.get<std::string>(), {}});
        continue;
      }
      Object object(entry, place);
      NamedMethod method{"", object.string("preset", ""), {}};
      method.name = object.string("name", method.preset);
      if (const Json* changes = object.find("set")) {
        if (!changes->is_object()) throw Error(place + ".set", "expected an object of keys and values");
        for (const auto& [key, value] : changes->items()) method.changes[key] = value_of(value, place + ".set." + key);
      }
      object.finish();
      if (method.name.empty()) throw Error(place, "a method needs a preset or a name");
      methods_.push_back(std::move(method));
    }
  } else {
    methods_.push_back({"the scene's own", "", {}});
  }
  std::set<std::string> names;
  for (const NamedMethod& method : methods_)
    if (!names.insert(method.name).second) throw Error("methods", "two are called '" + short_text(method.name) + "'");
  if (const Json* parameters = spec.find("parameters")) {
    if (!parameters->is_object()) throw Error("parameters", "expected an object of keys and lists of values");
    for (const auto& [key, values] : parameters->items()) {
      if (!values.is_array() || values.empty()) throw Error("parameters." + key, "expected a list of values");
      Axis axis{key, {}};
      for (const Json& value : values) axis.values.push_back(value_of(value, "parameters." + key));
      axes_.push_back(std::move(axis));
    }
  }
  const std::vector<std::uint64_t> seeds = seeds_of(spec.find("seeds"));
  perturb_ = spec.number("perturb", 0, 0, 1e3);
  if (seeds.size() > 1 && perturb_ == 0)
    throw Error("seeds",
                "several seeds make equal runs unless \"perturb\" (m/s) gives the difference of the velocities");
  duration_ = spec.number("duration", 0, 0, 1e6);
  if (spec.find("duration") && duration_ == 0) throw Error("duration", "expected a positive number of seconds");
  limit_ = static_cast<int>(spec.whole("limit", 60, 100'000));
  if (limit_ < 1) throw Error("limit", "expected at least one second");
  spec.finish();
  make_cells(scenes, seeds);
  check_cells(scenes);
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
void SweepSpec::check_cells(const std::vector<std::string>& scenes) const {
  std::vector<Scene> opened(1);
  std::uint64_t seed = 0;
  const bool needs_scenes =
      std::any_of(methods_.begin(), methods_.end(), [](const NamedMethod& m) { return m.preset.empty(); });
  for (const std::string& name : scenes) {
    if (class_of(name, seed)) continue;  // random worlds have the default method
    Scene scene = open(name);
    if (needs_scenes) opened.push_back(std::move(scene));
  }
  for (const NamedMethod& method : methods_)
    for (const Point& point : points_) try {
        for (Scene scene : std::span(opened).first(method.preset.empty() ? opened.size() : 1))
          configure(scene, method, point);
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
  if (!method.preset.empty()) apply_method(scene, preset(method.preset));
  for (const auto& [key, value] : method.changes) set(scene.method, key, value);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Value& value = axes_[a].values[point[a]];
    if (axes_[a].key != "step") {
      set(scene.method, axes_[a].key, value);
      continue;
    }
    const double* step = std::get_if<double>(&value);
    const std::int64_t* whole = std::get_if<std::int64_t>(&value);
    scene.time.step = step ? *step : whole ? static_cast<double>(*whole) : 0;
    if (!(scene.time.step > 0 && scene.time.step <= 1e3)) throw Error("step", "expected a positive number of seconds");
  }
  check(scene.method);
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
