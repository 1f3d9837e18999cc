// Summarises a binary recording and, on request, simulates its scene again and compares every recorded step.
#include <fmt/format.h>

#include <filesystem>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/interrupt.h"
#include "cli/numbers.h"
#include "cli/table_output.h"
#include "cli/verbs.h"
#include "io/csv_file.h"
#include "io/recording_reader.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor::cli {

namespace {

struct Options {
  std::string file, csv, record, tables;
  bool verify = false, json = false;
};

struct Difference {
  std::uint64_t step = 0, recorded = 0, simulated = 0;
};

/// Simulates the scene of a recording in parallel with it.
class Verifier {
 public:
  explicit Verifier(const Scene& scene, Recorder* recorder) : simulation_(make_simulation(scene)), recorder_(recorder) {
    simulation_.record_impulses(recorder != nullptr);
  }

  /// Simulates up to the recorded step. The first difference of the hashes is stored and ends the comparison.
  void compare(const RecordedStep& step, const std::string& file) {
    if (difference_) return;
    constexpr std::uint64_t kLongestGap = 1'000'000'000;
    if (step.step < simulation_.steps() || step.step - simulation_.steps() > kLongestGap)
      throw Error(file, fmt::format("step {} does not follow step {}", step.step, simulation_.steps()));
    while (simulation_.steps() < step.step) {
      throw_if_interrupted();
      simulation_.step();
    }
    if (simulation_.hash() != step.hash)
      difference_ = {step.step, step.hash, simulation_.hash()};
    else if (recorder_)
      recorder_->record(simulation_);
  }
  const std::optional<Difference>& difference() const { return difference_; }

 private:
  Simulation simulation_;
  Recorder* recorder_;  // of the steps that agree; may be null
  std::optional<Difference> difference_;
};

struct Summary {
  std::uint64_t steps = 0, first = 0, last = 0, most_bodies = 0;
  double begin = 0, end = 0;  // s
  std::uint64_t hash = 0;     // of the last step

  void add(const RecordedStep& step) {
    if (steps++ == 0) {
      first = step.step;
      begin = step.time;
    }
    last = step.step;
    end = step.time;
    hash = step.hash;
    most_bodies = std::max<std::uint64_t>(most_bodies, step.bodies.size());
  }
};

bool parse(const Arguments& arguments, Options& options) {
  Command command("replay", "Prints what a binary recording holds; with --verify it simulates the run again.",
                  "  rigor replay run.rrec\n  rigor replay run.rrec --verify\n  rigor replay run.rrec --csv run.csv\n"
                  "  rigor replay run.rrec --record joints.csv --table joints");
  command.option("FILE", options.file, "a binary recording (.rrec)", "FILE")->required();
  command.flag("--verify", options.verify, "simulate again and compare the state bit for bit at every recorded step");
  command.option("--csv", options.csv, "also write the recording as CSV", "FILE");
  command.option("--record", options.record,
                 "simulate again, as --verify does, and write tables of the recorded steps (.csv, .h5)", "FILE");
  command.option("--table", options.tables,
                 "what --record writes: bodies, coordinates, joints, contacts, sensors, figures", "TABLE,…");
  command.flag("--json", options.json, "as JSON");
  return command.parse(arguments);
}

Json to_json(const Summary& summary, const Scene& scene, std::uint64_t bytes, const Verifier* verifier) {
  Json json = {{"scene", scene.name},           {"method", method_text(scene.method)},
               {"dt", scene.time.step},         {"recorded_steps", summary.steps},
               {"first_step", summary.first},   {"last_step", summary.last},
               {"begin", summary.begin},        {"end", summary.end},
               {"bodies", summary.most_bodies}, {"bytes", bytes},
               {"hash", hex(summary.hash)}};
  if (!verifier) return json;
  json["identical"] = !verifier->difference();
  if (const auto& d = verifier->difference()) json["first_difference"] = d->step;
  return json;
}

std::string to_text(const Summary& summary, const Scene& scene, std::uint64_t bytes) {
  const Style style;
  std::string text = style.bold(printable_text(scene.name)) + "\n";
  text += fmt::format("  method     {}\n", method_text(scene.method));
  text += fmt::format("  recorded   {} from step {} to {}, {:.6g} s to {:.6g} s in steps of {:.6g} s\n",
                      counted(summary.steps, "state", "states"), summary.first, summary.last, summary.begin,
                      summary.end, scene.time.step);
  text += fmt::format("  bodies     {}\n", summary.most_bodies);
  text += fmt::format("  size       {}\n", size_text(bytes));
  return text + fmt::format("  hash       {}\n", hex(summary.hash));
}

/// A difference is not a usage error, hence the exit code of a failure.
int report_verdict(const Verifier& verifier, const Summary& summary, bool json) {
  if (const auto& d = verifier.difference())
    throw std::runtime_error(
        fmt::format("the simulation differs from the recording first at step {} "
                    "(recorded {}, simulated {})",
                    d->step, hex(d->recorded), hex(d->simulated)));
  if (!json) print(fmt::format("  verified   identical at all {}\n", counted(summary.steps, "state", "states")));
  return kSuccess;
}

}  // namespace

int replay(const Arguments& arguments) {
  Options options;
  if (!parse(arguments, options)) return kSuccess;
  watch_for_interrupts();
  RecordingReader reader(options.file);
  const Scene scene = parse_scene(reader.scene_text());
  std::error_code error;
  for (const auto& [option, out] : {std::pair{"--csv", options.csv}, {"--record", options.record}})
    if (!out.empty() && std::filesystem::equivalent(out, options.file, error))
      throw Error(option, "'" + out + "' would replace the recording");
  std::optional<CsvFile> csv;
  if (!options.csv.empty()) csv.emplace(options.csv);
  std::optional<Verifier> verifier;
  std::unique_ptr<Recorder> tables;
  if (!options.record.empty())
    tables = open_table_recorder(options.record, table_names(options.tables), scene.sensors);
  else if (!options.tables.empty())
    throw Error("--table needs --record");
  if (options.verify || tables) verifier.emplace(scene, tables.get());

  Summary summary;
  RecordedStep step;
  while (reader.next(step)) {
    throw_if_interrupted();
    summary.add(step);
    if (verifier) verifier->compare(step, options.file);
    if (csv) csv->add(step, reader.names());
  }
  if (csv) csv->finish();
  if (tables && !verifier->difference()) tables->finish();
  if (options.json)
    print(to_json(summary, scene, reader.file_size(), verifier ? &*verifier : nullptr));
  else
    print(to_text(summary, scene, reader.file_size()));
  return verifier ? report_verdict(*verifier, summary, options.json) : kSuccess;
}

}  // namespace rigor::cli
