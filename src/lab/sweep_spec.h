// The specification of a sweep: scenes × methods × parameters × seeds, from a JSON file. docs/sweep.md has every key.
//
// Beside scenes and random worlds, a cell can be a problem with figures of its own: robustness/NAME is a scenario of lab/robustness.h,
// reference/NAME a case of lab/reference/reference.h.
//
// All of it is checked when the file is read: scenes are opened, methods and parameters are configured together. So a mistake is found
// before the first cell runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/reference/reference.h"
#include "lab/robustness.h"
#include "lab/scene_bench.h"
#include "rigor/scene.h"

namespace rigor {

class JsonReader;

std::uint64_t text_hash(std::string_view text);

/// True for robustness/NAME and reference/NAME, also of one that this version does not have.
bool is_problem(std::string_view scene);
/// The scenario or case that the name of a scene stands for; null: none.
const RobustnessScenario* find_scenario(std::string_view scene);
const reference::Case* find_reference_case(std::string_view scene);
/// True for class/seed.
bool is_random_world(std::string_view scene);
/// The value of `step` in a cell's text of parameters, s; 0: it has none.
double step_in(std::string_view parameters);

/// One run of a sweep. Its number and its texts depend only on the spec, on every machine.
struct SweepCell {
  std::size_t number = 0;
  std::string scene;       // a name, a path, class/seed of a random world, robustness/NAME or reference/NAME
  std::string method;      // its name in the spec
  std::string parameters;  // "step=0.01 stepping.count=8"; empty: none vary
  std::uint64_t seed = 0;
  std::size_t method_index = 0, point_index = 0;  // in the spec
};

class SweepSpec {
 public:
  /// Error with the place of the mistake. Paths of scenes are relative to `folder`.
  SweepSpec(std::string_view text, const std::string& folder);

  const std::string& name() const { return name_; }
  /// Seconds of computing after which a cell is given up.
  int limit() const { return limit_; }
  /// Hash of the spec's text. A file of results holds cells of one spec only.
  std::uint64_t hash() const { return hash_; }
  const std::vector<SweepCell>& cells() const { return cells_; }
  /// Hashes of the scenes that are not random worlds, by name: a file that changes between two runs changes its hash.
  const std::map<std::string, std::uint64_t>& scene_hashes() const { return scene_hashes_; }
  /// The scene of a cell with its method, step and perturbation; throws the errors of configuring. For cells that are neither a
  /// scenario nor a case.
  Scene scene_of(const SweepCell& cell) const;
  /// The method of a cell that is a scenario or a case; throws the errors of configuring.
  Method method_of(const SweepCell& cell) const;
  /// What runs the cell: Rigor, or another engine.
  BenchEngine engine_of(const SweepCell& cell) const;
  /// Error if the steps of a cell cannot be recorded: those of problems and of other engines cannot.
  void check_trajectories() const;

 private:
  struct NamedMethod {
    std::string name;
    std::string preset;  // or solver/NAME, stepping/NAME; empty: the scene's own method
    Settings changes;
    Method base = {};
    std::string engine = {};  // of another program; empty: Rigor
  };
  struct Axis {
    std::string key;
    std::vector<Value> values;
  };
  using Point = std::vector<std::size_t>;  // index of the value of each axis

  std::vector<std::string> read_scenes(const JsonReader& spec);
  void read_methods(const JsonReader& spec);
  void read_method(const JsonReader& item);
  void read_engines(const JsonReader& spec);
  void add_method(const JsonReader& item, NamedMethod method);
  void check_problems(const std::vector<std::string>& scenes, const JsonReader& spec) const;
  void read_parameters(const JsonReader& spec);
  Scene open(const std::string& name) const;
  void make_cells(const std::vector<std::string>& scenes, const std::vector<std::uint64_t>& seeds);
  void check_cells(const std::vector<std::string>& scenes);
  std::string text_of(const Point& point) const;
  void configure(Scene& scene, const NamedMethod& method, const Point& point) const;
  void configure_step(Scene& scene, const Value& value) const;

  std::string name_, folder_;
  std::vector<NamedMethod> methods_;
  std::vector<Axis> axes_;
  std::vector<Point> points_;  // of all axes
  double perturb_ = 0;         // m/s, added to the velocities of all bodies
  double duration_ = 0;        // s; 0: the scene's own
  int limit_ = 60;
  std::uint64_t hash_ = 0;
  std::vector<SweepCell> cells_;
  std::map<std::string, std::uint64_t> scene_hashes_;
};

}  // namespace rigor
