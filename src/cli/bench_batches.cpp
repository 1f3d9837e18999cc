#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "cli/bench_options.h"
#include "cli/interrupt.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "io/scene_parts.h"
#include "lab/batch_bench.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

/// Models by name or file; all built-in ones unless given.
std::vector<BatchModel> chosen_models(const std::vector<std::string>& names) {
  const std::vector<BatchModel> known = batch_models();
  if (names.empty()) return known;
  std::vector<BatchModel> models;
  std::vector<std::string> known_names;
  for (const BatchModel& model : known) known_names.push_back(model.name);
  for (const std::string& name : names) {
    const auto model = std::find_if(known.begin(), known.end(), [&](const BatchModel& m) { return m.name == name; });
    if (model != known.end())
      models.push_back(*model);
    else if (name.ends_with(".xml"))
      models.push_back(batch_model(name.substr(name.rfind('/') + 1), read_file(name)));
    else
      throw Error("bench batches", unknown_name("model", name, known_names) + "; files of models end in .xml");
  }
  return models;
}

/// The error of a step of order four is equal to that of a much longer one of order five.
Method of_order_five() {
  Method method = preset("featherstone");
  method.integrator = {"dormand-prince", {}};
  return method;
}

std::vector<BatchEngineKind> chosen_engines(const BenchOptions& options) {
  std::vector<BatchEngineKind> engines;
  if (!options.method.empty() || !options.changes.empty()) {
    Method method = default_method();
    change_method(method, options.method, options.changes);
    engines.push_back(rigor_batch(method));
  } else {
    engines.push_back(rigor_batch(preset("featherstone")));
    if (options.equal_error) engines.push_back(rigor_batch(of_order_five(), "featherstone-5"));
    engines.push_back(rigor_batch(preset("soft-step")));
  }
  if (options.against.empty()) return engines;
  if (options.against != "mujoco") throw Error("--against", "batches are compared with mujoco only");
  for (const char* integrator : {"RK4", "Euler"}) engines.push_back(mujoco_batch(integrator));
  return engines;
}

Json to_json(const BatchBenchRow& row) {
  Json entry{
      {"model", row.model}, {"engine", row.engine}, {"method", row.method}, {"worlds", row.worlds}, {"step", row.step}};
  if (!row.error_text.empty()) {
    entry["trouble"] = row.error_text;
    return entry;
  }
  if (row.error >= 0) entry["error"] = row.error;
  entry["penetration"] = row.penetration;
  entry["bytes_per_world"] = row.bytes;
  entry["us_per_step"] = {{"single", row.single},
                          {"batch", row.batch},
                          {"threads", row.threads_wall},
                          {"threads_processor", row.threads_cpu}};
  entry["scaling"] = row.scaling;
  return entry;
}

std::string to_text(const BatchBenchRow& row) {
  const std::string begin =
      fmt::format("{:<12} {:<7} {:<13} {:>6} {:>6.4g}", row.model, row.engine, row.method, row.worlds, 1e3 * row.step);
  if (!row.error_text.empty()) return begin + "  " + row.error_text + "\n";
  return begin + fmt::format(" {:>9} {:>9.2g} {:>7.1f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>7.2f}\n",
                             row.error < 0 ? "" : fmt::format("{:.2g}", row.error), row.penetration, row.bytes / 1024,
                             row.single, row.batch, row.threads_wall, row.threads_cpu, row.scaling);
}

}  // namespace

void bench_batches(const BenchOptions& options) {
  if (!options.peer_iterations.empty())
    throw Error("bench batches",
                "it takes models, --method, --set, --against mujoco, --equal-error, --worlds, --threads, --steps, "
                "--rounds and --json");
  if (options.equal_error && options.against.empty())
    throw Error("--equal-error", "MuJoCo's RK4 is the measure; add --against mujoco");
  BatchBenchOptions bench;
  bench.equal_error = options.equal_error;
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  bench.threads =
      options.threads.empty() ? static_cast<int>(cores) : static_cast<int>(count("--threads", options.threads, 1024));
  if (!options.rounds.empty()) bench.rounds = static_cast<int>(count("--rounds", options.rounds, 1000));
  if (!options.worlds.empty()) bench.worlds = count("--worlds", options.worlds, 1'000'000);
  if (!options.steps.empty())
    bench.actions =
        static_cast<int>((count("--steps", options.steps, 1'000'000) + kStepsPerAction - 1) / kStepsPerAction);
  const std::vector<std::string> names(options.what.begin() + 1, options.what.end());
  const std::vector<BatchModel> models = chosen_models(names);
  const std::vector<BatchEngineKind> engines = chosen_engines(options);
  watch_for_interrupts();
  Json list = Json::array();
  if (!options.json)
    print(Style().bold(fmt::format("{:<12} {:<7} {:<13} {:>6} {:>6} {:>9} {:>9} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7}",
                                   "model", "engine", "method", "worlds", "ms", "error, m", "deep, m", "kB", "1 world",
                                   "1 thread", fmt::format("{} thr.", bench.threads), "all cpu", "scaling")) +
          "\n");
  for (const BatchModel& model : models) {
    throw_if_interrupted();
    for (const BatchBenchRow& row : run_batch_bench(model, engines, bench)) {
      list.push_back(to_json(row));
      if (!options.json) print(to_text(row));
    }
  }
  if (options.json) return print(list);
  if (options.equal_error)
    print(std::string(
        "\nEvery engine takes the cheapest step (ms) with no larger error in flight and, on average, no deeper "
        "contacts "
        "than\nMuJoCo's RK4 at the step of the model; times are per step of the model. The error is that of the step "
        "alone.\n"
        "featherstone-5: featherstone with dormand-prince.\n"));
  print(std::string(
      "\nTimes in µs per step of a world, the smallest of the rounds. 1 world, 1 thread: processor time. Several "
      "threads: "
      "wall-clock time, and the\nprocessor time of all threads. kB: memory of a world. Error: after a flight without "
      "contacts. Deep: the deepest contact at the end.\n"));
}

}  // namespace rigor::cli
