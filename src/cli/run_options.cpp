#include "cli/run_options.h"

#include <filesystem>

#include "cli/method_options.h"
#include "cli/numbers.h"
#include "io/scene_limits.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

constexpr std::uint64_t kMostSteps = 1'000'000'000;

void check_combinations(const RunOptions& options) {
  if (!options.seconds.empty() && !options.steps.empty()) throw Error("--seconds and --steps exclude each other");
  if (!options.every.empty() && options.record.empty()) throw Error("--every needs --record");
}

/// An output must not replace what the run is read from, nor another output.
void check_outputs(const RunOptions& options) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const std::string& output : {options.record, options.plot})
    if (!output.empty() && fs::is_regular_file(options.scene, error) && fs::equivalent(output, options.scene, error))
      throw Error("'" + output + "' would replace the scene");
  if (!options.record.empty() && !options.plot.empty() &&
      fs::weakly_canonical(fs::absolute(options.record), error) ==
          fs::weakly_canonical(fs::absolute(options.plot), error))
    throw Error("--record and --plot name the same file");
  if (!options.plot.empty() && !options.plot.ends_with(".svg"))
    throw Error("--plot", "the name must end in .svg, got '" + short_text(options.plot) + "'");
}

}  // namespace

bool parse(const Arguments& arguments, RunOptions& options) {
  Command command("run", "Simulates a scene and reports on it.",
                  "  rigor run dzhanibekov --seconds 60 --plot energy.svg\n"
                  "  rigor run scene.json --method course-notes --dt 1/240 --record run.csv --every 4\n"
                  "  rigor run scene.json --set integrator=rk4 --json");
  command.option("SCENE", options.scene, "a built-in scene or a file (.json)", "SCENE")->required();
  add_method_options(command, options.method, options.changes);
  command.option("--seconds", options.seconds, "simulated time; the last step may go beyond it", "S");
  command.option("--steps", options.steps, "number of steps, instead of --seconds", "N");
  command.option("--dt", options.dt, "size of a step in seconds, such as 0.01 or 1/60", "S");
  command.option("--threads", options.threads, "most threads to use; the result is the same for any number", "N");
  command.option("--record", options.record, "write every step: .csv as text, else binary", "FILE");
  command.option("--every", options.every, "record every Nth step only", "N");
  command.option("--plot", options.plot, "draw energy, drift and momentum over time", "FILE.svg");
  command.flag("--json", options.json, "report as JSON");
  command.flag("--bodies", options.bodies, "report the last state of each body");
  command.flag("--quiet", options.quiet, "no progress and no report for people");
  return command.parse(arguments);
}

PreparedRun prepare(const RunOptions& options) {
  check_combinations(options);
  check_outputs(options);
  PreparedRun run;
  run.scene = open_scene(options.scene);
  Scene& scene = run.scene;
  change_method(scene.method, options.method, options.changes);
  if (!options.dt.empty()) scene.time.step = number_in("--dt", options.dt, kStepRange.min, kStepRange.max);
  if (!options.every.empty()) run.every = count("--every", options.every, kMostSteps);
  if (!options.seconds.empty())
    scene.duration = number_in("--seconds", options.seconds, kDurationRange.min, kDurationRange.max);
  if (options.steps.empty()) {
    run.steps = steps_for(scene.duration, scene.time.step);
  } else {
    run.steps = count("--steps", options.steps, kMostSteps);
    scene.duration = static_cast<double>(run.steps) * scene.time.step;
  }
  if (options.record.empty() || options.record.ends_with(".csv")) return run;
  // A replay starts from the text, so the run does too: what is recorded is then what a replay must find.
  run.scene_text = write_scene(scene);
  scene = parse_scene(run.scene_text);
  return run;
}

}  // namespace rigor::cli
