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

/// The scenes of the comparison with other engines; see docs/benchmarks.md.
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
  b.scene.method.sleep = {"never", {}};  // as in the other engines, unless it was set
  change_method(b.scene.method, "", given.changes);
  b.options.threads = number("--threads", given.threads, 1, kMostThreads);
  b.options.rounds = number("--rounds", given.rounds, b.options.rounds, kMostRounds);
  b.options.steps =
      given.steps.empty() ? steps_for(b.scene.duration, b.scene.time.step) : count("--steps", given.steps, kMostSteps);
  b.engines = peers;
  b.engines.insert(b.engines.begin(), rigor_engine(given.changes.empty() ? name_of_method : method_text(b.scene.method),
                                                   b.options.threads));
  return b;
}

/// Checked before the first run: at least one engine has to accept one of the scenes.
void refuse_if_nothing_can_be_built(const std::vector<Benchmark>& all) {
  std::string first;
  for (const Benchmark& b : all)
    for (const BenchEngine& engine : b.engines) try {
        engine.make(b.scene);
        return;
      } catch (const Error& error) {
        if (first.empty()) first = fmt::format("{} in {}: {}", b.scene.name, engine.name, error.what());
      }
  throw Error("bench", "nothing can be measured; " + first);
}

Json to_json(const SceneBenchRow& row, const Benchmark& b) {
  const auto quality = [&](auto value) { return row.trouble.empty() ? Json(value) : Json(nullptr); };
  const bool is_rigor = row.engine == "rigor", is_timed = row.steps > 0;
  Json json = {{"scene", b.scene.name},
               {"engine", row.engine},
               {"method", row.method},
               {"threads", is_rigor ? b.options.threads : 1},
               {"sleep", is_rigor && b.scene.method.sleep.name != "never"},
               {"steps", b.options.steps},
               {"rounds", b.options.rounds},
               {"trouble", row.trouble},
               {"ms_per_step", is_timed ? Json{{"median", row.median}, {"p95", row.p95}} : Json(nullptr)},
               {"bodies", row.bodies},
               {"contacts", quality(row.contacts)},
               {"penetration", quality(row.penetration)},
               {"mean_penetration", quality(row.mean_penetration)},
               {"drift", quality(row.drift)},
               {"joint_error", quality(row.joint_error)}};
  if (is_rigor) return json;
  json["ratio"] = nullptr;
  if (row.ratio) json["ratio"] = {{"median", row.ratio->median}, {"min", row.ratio->low}, {"max", row.ratio->high}};
  return json;
}

class Table {
 public:
  explicit Table(const std::vector<Benchmark>& all) {
    for (const Benchmark& b : all) width_ = std::max(width_, b.scene.name.size());
  }
  std::string heading() const {
    return Style().bold(fmt::format("{:<{}} {:<8} {:>9} {:>9} {:>8} {:>19} {:>8} {:>15} {:>10} {:>15}", "scene", width_,
                                    "engine", "ms/step", "p95, ms", "ratio", "spread", "contacts", "penetration, mm",
                                    "drift, mm", "joint error, mm")) +
           "\n";
  }
  std::string line(const SceneBenchRow& row, const Benchmark& b) const {
    std::string text = fmt::format("{:<{}} {:<8} ", b.scene.name, width_, row.engine);
    text +=
        row.steps > 0 ? fmt::format("{:>9.4g} {:>9.4g} ", row.median, row.p95) : fmt::format("{:>9} {:>9} ", "–", "–");
    text += ratio(row);
    if (!row.trouble.empty()) return text + " " + printable_text(row.trouble) + "\n";
    return text + fmt::format(" {:>8} {:>15} {:>10} {:>15}\n", row.contacts, millimetres(row.penetration),
                              millimetres(row.drift), millimetres(row.joint_error));
  }

 private:
  static std::string ratio(const SceneBenchRow& row) {
    if (row.engine == "rigor") return fmt::format("{:>8} {:>19}", "", "");
    if (!row.ratio) return fmt::format("{:>8} {:>19}", "–", "");
    return fmt::format("{:>8.2f} {:>19}", row.ratio->median,
                       fmt::format("{:.2f} … {:.2f}", row.ratio->low, row.ratio->high));
  }
  static std::string millimetres(double metres) {
    const double mm = 1e3 * metres;
    return mm < 1000 ? fmt::format("{:.3g}", mm) : fmt::format("{:.0f}", mm);
  }

  std::size_t width_ = 14;
};

/// Each engine's method, with the scenes where they differ.
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
         "Ratio: the engine's time divided by Rigor's, median and spread of the rounds. Penetration and drift at the "
         "end, joint error over the run.\n";
}

}  // namespace

int bench_scenes(const BenchOptions& options) {
  PeerSettings settings;
  settings.iterations = number("--peer-iterations", options.peer_iterations, 0, kMostIterations);
  std::vector<BenchEngine> peers;
  for (const std::string& name : split_at_commas(options.against)) peers.push_back(peer_engine(name, settings));
  if (peers.empty() && settings.iterations > 0) throw Error("--peer-iterations needs --against");
  std::vector<Benchmark> all;
  for (const std::string& name : scenes_of(options)) all.push_back(prepare(name, options, peers));
  refuse_if_nothing_can_be_built(all);

  watch_for_interrupts();
  Json list = Json::array();
  const Table table(all);
  bool is_measured = false;
  if (!options.json) print(table.heading());
  for (const Benchmark& b : all) {
    throw_if_interrupted();
    for (const SceneBenchRow& row : run_scene_bench(b.scene, b.engines, b.options)) {
      is_measured = is_measured || row.trouble.empty();
      if (options.json)
        list.push_back(to_json(row, b));
      else
        print(table.line(row, b));
    }
  }
  if (options.json)
    print(list);
  else
    print(legend(all));
  return is_measured ? kSuccess : kFailure;
}

}  // namespace rigor::cli
