#include "cli/run_options.h"

#include <filesystem>

#include "cli/method_options.h"
#include "cli/numbers.h"
#include "cli/replay_output.h"
#include "cli/table_output.h"
#include "io/scene_limits.h"
#include "rigor/error.h"
#include "rigor/snapshot_file.h"

namespace rigor::cli {

namespace {

constexpr std::uint64_t kMostSteps = 1'000'000'000;
constexpr Range kLimitRange{1e-3, 1e8};  // s
constexpr std::size_t kMostPictures = 12;

void check_combinations(const RunOptions& options) {
  if (!options.seconds.empty() && !options.steps.empty()) throw Error("--seconds and --steps exclude each other");
  if (!options.every.empty() && options.record.empty()) throw Error("--every needs --record");
  if (!options.tables.empty() && options.record.empty()) throw Error("--table needs --record");
  if (!options.show.empty() && options.plot.empty()) throw Error("--show needs --plot");
  if (!options.tables.empty() && !options.record.ends_with(".csv") && !is_hdf5_name(options.record))
    throw Error("--table", "tables are recorded as .csv or .h5, got '" + short_text(options.record) + "'");
  if (!options.at.empty() && options.picture.empty()) throw Error("--at needs --picture");
}

bool is_snapshot(const std::string& name) { return name.ends_with(".rsnap"); }

/// An output must not overwrite the input, nor another output.
void check_outputs(const RunOptions& options) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::pair<const char*, const std::string&> outputs[] = {
      {"--record", options.record}, {"--plot", options.plot}, {"--picture", options.picture},
      {"--replay", options.replay}, {"--save", options.save}, {"--trace", options.trace}};
  for (const auto& [option, output] : outputs) {
    if (output.empty()) continue;
    if (fs::is_regular_file(options.scene, error) && fs::equivalent(output, options.scene, error))
      throw Error("'" + output + "' would replace the scene");
    for (const auto& [other_option, other] : outputs)
      if (other_option != option && !other.empty() &&
          fs::weakly_canonical(fs::absolute(output), error) == fs::weakly_canonical(fs::absolute(other), error))
        throw Error(std::string(option) + " and " + other_option + " name the same file");
  }
  const std::pair<const char*, const std::string&> drawings[] = {{"--plot", options.plot},
                                                                 {"--picture", options.picture}};
  for (const auto& [option, output] : drawings)
    if (!output.empty() && !output.ends_with(".svg"))
      throw Error(option, "the name must end in .svg, got '" + short_text(output) + "'");
  check_replay_name(options.replay);
  if (!options.trace.empty() && !options.trace.ends_with(".json"))
    throw Error("--trace", "the name must end in .json, got '" + short_text(options.trace) + "'");
  if (!options.save.empty() && !is_snapshot(options.save))
    throw Error("--save", "the name must end in .rsnap, got '" + short_text(options.save) + "'");
  if (is_snapshot(options.scene) && !options.record.empty() && !options.record.ends_with(".csv") &&
      !is_hdf5_name(options.record))
    throw Error("--record", "a run that begins with a snapshot is recorded as .csv or .h5 only");
}

/// The scene of a saved run as it is now; its world is in the snapshot.
void open_saved_run(const std::string& path, PreparedRun& run) {
  SavedRun saved = read_snapshot_file(path);
  run.scene.name = std::move(saved.name), run.scene.description = std::move(saved.description);
  run.scene.duration = saved.duration;
  run.scene.method = *saved.snapshot.method;
  run.scene.time = saved.snapshot.time;
  run.start = std::move(saved.snapshot);
}

/// What the picture shows, in s from the first step.
std::vector<double> instants_of(const RunOptions& options, const PreparedRun& run) {
  const double end = static_cast<double>(run.steps) * run.scene.time.step;
  return options.at.empty() ? std::vector{end} : numbers_in("--at", options.at, 0, end, kMostPictures);
}

}  // namespace

bool parse(const Arguments& arguments, RunOptions& options) {
  Command command("run", "Simulates a scene and reports on it.",
                  "  rigor run dzhanibekov --seconds 60 --plot energy.svg\n"
                  "  rigor run scene.json --method course-notes --dt 1/240 --record run.csv --every 4\n"
                  "  rigor run scene.json --set integrator=rk4 --json\n"
                  "  rigor run robot.urdf --record run.h5 --plot motors.svg --show 'coordinates/*/motor'\n"
                  "  rigor run scene.json --seconds 5 --save half.rsnap, then rigor run half.rsnap --seconds 5");
  command
      .option(
          "SCENE", options.scene,
          "a built-in scene, a file (.json), a model (.urdf, .xml, a mesh), or a saved run (.rsnap), which continues",
          "SCENE")
      ->required();
  options.input.add_options(command);
  add_method_options(command, options.method, options.changes);
  command.option("--seconds", options.seconds, "simulated time; the last step may end after it", "S");
  command.option("--steps", options.steps, "number of steps, instead of --seconds", "N");
  command.option("--dt", options.dt, "size of a step in seconds, such as 0.01 or 1/60", "S");
  command.option("--time-limit", options.time_limit,
                 "wall-clock seconds after which the run ends, also within a step; files are still written", "S");
  command.option("--threads", options.threads, "most threads to use; the result is the same for any number", "N");
  command.option("--record", options.record,
                 "write every step: .csv as text, .h5 as tables, .glb, .gltf or .usda as an animation, else binary",
                 "FILE");
  command.option(
      "--table", options.tables,
      "what to record as .csv or .h5: bodies, coordinates (of joints, with motors), joints (reactions), contacts "
      "(with impulses), sensors, figures; several .csv tables are NAME-TABLE.csv",
      "TABLE,…");
  command.option("--every", options.every, "record every Nth step only", "N");
  command.option("--plot", options.plot, "draw energy, drift and momentum over time", "FILE.svg");
  command.option("--show", options.show,
                 "what --plot draws instead: names such as figures/energy, bodies/crate/y, coordinates/elbow/position, "
                 "joints/elbow/fx, contacts/crate/ground/normal; * stands for any text",
                 "NAME,…");
  command.option("--picture", options.picture, "draw the bodies at the end of the run", "FILE.svg");
  command.option("--at", options.at, "instants of --picture to draw side by side, in seconds from the first step",
                 "T,T,…");
  command.option("--replay", options.replay,
                 "write a page that plays the run in any browser, without the program and without a network",
                 "FILE.html");
  command.option("--save", options.save, "save the last state, from which a run continues bit for bit", "FILE.rsnap");
  command.option("--trace", options.trace,
                 "write the time of every stage of every step, for chrome://tracing and ui.perfetto.dev", "FILE.json");
  command.flag("--json", options.json, "report as JSON, with the time of every stage");
  command.flag("--bodies", options.bodies, "report the last state of each body");
  command.flag("--joints", options.joints, "report the reaction and the error of each joint");
  command.flag("--quiet", options.quiet, "print neither progress nor a report");
  return command.parse(arguments);
}

PreparedRun prepare(RunOptions& options) {
  check_combinations(options);
  check_outputs(options);
  PreparedRun run;
  Scene& scene = run.scene;
  if (is_snapshot(options.scene))
    open_saved_run(options.scene, run);
  else
    scene = options.input.open(options.scene);
  if (!options.quiet) options.input.mention_notes(options.scene);
  if (!scene.drives.empty() && !options.save.empty())
    throw Error("--save", "a saved run holds no drives, and this scene has some");
  change_method(scene.method, options.method, options.changes);
  if (!options.dt.empty()) scene.time.step = number_in("--dt", options.dt, kStepRange.min, kStepRange.max);
  if (!options.time_limit.empty())
    run.time_limit = number_in("--time-limit", options.time_limit, kLimitRange.min, kLimitRange.max);
  if (!options.every.empty()) run.every = count("--every", options.every, kMostSteps);
  if (!options.seconds.empty())
    scene.duration = number_in("--seconds", options.seconds, kDurationRange.min, kDurationRange.max);
  if (options.steps.empty()) {
    run.steps = steps_for(scene.duration, scene.time.step);
  } else {
    run.steps = count("--steps", options.steps, kMostSteps);
    scene.duration = static_cast<double>(run.steps) * scene.time.step;
  }
  if (!options.picture.empty()) run.instants = instants_of(options, run);
  run.tables = table_names(options.tables);
  if (options.record.empty() || options.record.ends_with(".csv") || is_hdf5_name(options.record)) return run;
  // A replay starts from the text, so the run does too: the recording then matches a replay.
  run.scene_text = write_scene(scene);
  scene = parse_scene(run.scene_text);
  return run;
}

}  // namespace rigor::cli
