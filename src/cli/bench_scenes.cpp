#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/bench_options.h"
#include "cli/interrupt.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "lab/scene_bench.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

constexpr std::uint64_t kMostSteps = 10'000'000, kMostRounds = 1000, kMostThreads = 1024, kMostIterations = 10'000;

/// The scenes that engines are compared by; see docs/benchmarks.md.
const std::vector<std::string> kAnchors = {"a-pyramid",    "b-pyramid-3d", "c-column-10", "c-column-30",
                                           "d-pit",        "e-chains",     "f-ragdolls",  "g-tumbling",
                                           "h-mass-ratio", "i-slope-25",   "i-slope-30",  "j-tree"};

std::vector<std::string> scenes_of(const BenchOptions& options) {
  if (!options.what.empty()) return options.what;
  const std::vector<std::string> known = builtin_scene_names();
  std::vector<std::string> names;
  for (const std::string& name : kAnchors)
    if (std::find(known.begin(), known.end(), name) != known.end()) names.push_back(name);
  return names;
}

int number(const std::string& option, const std::string& text, int otherwise, std::uint64_t most) {
  return text.empty() ? otherwise : static_cast<int>(count(option, text, most));
}

/// A scene, what measures it and how long.
struct Benchmark {
  Scene scene;
  std::vector<BenchEngine> engines;
  SceneBenchOptions options;
};

Benchmark prepare(const std::string& name, const BenchOptions& given, const std::vector<BenchEngine>& peers) {
  Benchmark b;
  b.scene = open_scene(name);
  change_method(b.scene.method, given.method, {});
  const std::string name_of_method = method_text(b.scene.method);
  b.scene.method.sleep = {"never", {}};  // as in the other engines, unless it was asked for
  change_method(b.scene.method, "", given.changes);
  b.options.threads = number("--threads", given.threads, 1, kMostThreads);
  b.options.rounds = number("--rounds", given.rounds, b.options.rounds, kMostRounds);
  b.options.steps =
      given.steps.empty() ? steps_for(b.scene.duration, b.scene.time.step) : count("--steps", given.steps, kMostSteps);
  b.engines = peers;
  b.engines.insert(b.engines.begin(), rigor_engine(given.changes.empty() ? name_of_method : method_text(b.scene.method),
                                                   b.options.threads));
  for (const BenchEngine& engine : b.engines)
    engine.make(b.scene);  // what cannot be built is known before the first run
  return b;
}

Json to_json(const SceneBenchRow& row, const Benchmark& b) {
  const auto quality = [&](double value) { return row.finite ? Json(value) : Json(nullptr); };
  Json json = {{"scene", b.scene.name},
               {"engine", row.engine},
               {"method", row.method},
               {"threads", row.engine == "rigor" ? b.options.threads : 1},
               {"sleep", row.engine == "rigor" && b.scene.method.sleep.name != "never"},
               {"steps", b.options.steps},
               {"rounds", b.options.rounds},
               {"ms_per_step", {{"median", row.median}, {"p95", row.p95}}},
               {"bodies", row.bodies},
               {"contacts", row.contacts},
               {"penetration", quality(row.penetration)},
               {"mean_penetration", quality(row.mean_penetration)},
               {"drift", quality(row.drift)},
               {"joint_error", quality(row.joint_error)}};
  if (row.engine != "rigor") json["ratio"] = {{"median", row.ratio}, {"min", row.ratio_low}, {"max", row.ratio_high}};
  return json;
}

std::string heading() {
  return Style().bold(fmt::format("{:<14} {:<8} {:>9} {:>9} {:>7} {:>13} {:>8} {:>11} {:>10} {:>11}", "scene", "engine",
                                  "ms/step", "p95", "ratio", "spread", "contacts", "penetration", "drift",
                                  "joint error")) +
         "\n";
}

std::string to_text(const SceneBenchRow& row, const Benchmark& b) {
  std::string text = fmt::format("{:<14} {:<8} {:>9.4g} {:>9.4g} ", b.scene.name, row.engine, row.median, row.p95);
  text += row.engine == "rigor" ? fmt::format("{:>7} {:>13}", "", "")
                                : fmt::format("{:>7.2f} {:>13}", row.ratio,
                                              fmt::format("{:.2f} … {:.2f}", row.ratio_low, row.ratio_high));
  if (!row.finite) return text + fmt::format(" {:>8} the motion grew beyond all numbers\n", row.contacts);
  return text + fmt::format(" {:>8} {:>8.3g} mm {:>7.3g} mm {:>8.3g} mm\n", row.contacts, 1e3 * row.penetration,
                            1e3 * row.drift, 1e3 * row.joint_error);
}

/// Who did what: each engine's method, with the scenes where they differ.
std::string legend(const std::vector<Benchmark>& all) {
  std::string text = "\n";
  for (std::size_t k = 0; k < all.front().engines.size(); ++k) {
    std::vector<std::pair<std::string, std::string>> methods;  // and scenes
    for (const Benchmark& b : all) {
      const std::string& method = b.engines[k].method;
      if (methods.empty() || methods.back().first != method) methods.emplace_back(method, "");
      methods.back().second += (methods.back().second.empty() ? "" : ", ") + b.scene.name;
    }
    for (const auto& [method, scenes] : methods)
      text += fmt::format("{}: {}{}\n", all.front().engines[k].name, method,
                          methods.size() > 1 ? fmt::format(" ({})", scenes) : "");
  }
  return text +
         "Ratio: the engine's time divided by Rigor's. Penetration and drift at the end, joint error over the run.\n";
}

}  // namespace

void bench_scenes(const BenchOptions& options) {
  PeerSettings settings;
  settings.iterations = number("--peer-iterations", options.peer_iterations, 0, kMostIterations);
  std::vector<BenchEngine> peers;
  for (const std::string& name : split_at_commas(options.against)) peers.push_back(peer_engine(name, settings));
  if (peers.empty() && settings.iterations > 0) throw Error("--peer-iterations needs --against");
  std::vector<Benchmark> all;
  for (const std::string& name : scenes_of(options)) all.push_back(prepare(name, options, peers));

  watch_for_interrupts();
  Json list = Json::array();
  if (!options.json) print(heading());
  for (const Benchmark& b : all) {
    throw_if_interrupted();
    for (const SceneBenchRow& row : run_scene_bench(b.scene, b.engines, b.options)) {
      if (options.json)
        list.push_back(to_json(row, b));
      else
        print(to_text(row, b));
    }
  }
  if (options.json) return print(list);
  print(legend(all));
}

}  // namespace rigor::cli
