#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "cli/interrupt.h"
#include "cli/numbers.h"
#include "cli/scene_input.h"
#include "cli/table_output.h"
#include "cli/verbs.h"
#include "io/csv_file.h"
#include "io/recording_output.h"
#include "io/recording_reader.h"
#include "io/scene_limits.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor::cli {

namespace {

/// Error unless the recording contains this time, up to rounding.
void check_moment(double time, double begin, double end) {
  const double rounding = 1e-9 * std::max(1.0, std::abs(end));
  if (time < begin - rounding || time > end + rounding)
    throw Error("--at", fmt::format("the recording goes from {:.6g} s to {:.6g} s, got {:.6g}", begin, end, time));
}

double moment_of(const std::string& at) { return number_in("--at", at, 0, kDurationRange.max); }

void recording_to_csv(const std::string& in, const std::string& out) {
  RecordingReader reader(in);
  CsvFile file(out);
  RecordedStep step;
  while (reader.next(step)) {
    throw_if_interrupted();
    file.add(step, reader.names());
  }
  file.finish();
}

/// Writes the last step that is not after `time`.
void moment_to_csv(const std::string& in, const std::string& out, double time) {
  RecordingReader reader(in);
  CsvFile file(out);
  RecordedStep step, chosen;
  bool first = true;
  double begin = 0;
  while (reader.next(step)) {
    throw_if_interrupted();
    if (first) begin = step.time;
    if (first || step.time <= time) chosen = step;
    first = false;
  }
  if (first) throw Error(in, "the recording has no steps");
  check_moment(time, begin, step.time);
  file.add(chosen, reader.names());
  file.finish();
}

void write_text(const std::string& out, const std::string& text) {
  OutputFile file(out);
  file.write(text);
  if (!text.ends_with('\n') && !out.ends_with(".glb")) file.write("\n");
  file.finish();
}

/// What the format cannot express goes to standard error, a sentence each.
void write_export(const Scene& scene, const std::string& out, const Recording* motion) {
  const ExportedScene exported = export_scene(scene, out, motion);
  OutputFile file(out);
  file.write(exported.bytes);
  file.finish();
  constexpr std::size_t kMost = 50;
  for (std::size_t i = 0; i < std::min(kMost, exported.left_out.size()); ++i)
    std::fputs(("rigor: left out: " + printable_text(exported.left_out[i]) + "\n").c_str(), stderr);
  if (exported.left_out.size() > kMost)
    std::fputs(fmt::format("rigor: left out: and {} more\n", exported.left_out.size() - kMost).c_str(), stderr);
}

void scene_to_file(const std::string& in, const std::string& out, SceneInput& input) {
  const Scene scene = input.open(in);
  input.mention_notes(in);
  for (const std::string& sentence : input.report.lost)
    std::fputs(("rigor: left out: " + printable_text(sentence) + "\n").c_str(), stderr);
  if (out.ends_with(".json"))
    write_text(out, write_scene(scene));
  else
    write_export(scene, out, nullptr);
}

/// The scene of a recording with its bodies where they are in the last step that is not after `time`.
void move_to(Scene& scene, const Recording& recording, double time) {
  const RecordedStep* at = &recording.steps.front();
  for (const RecordedStep& step : recording.steps)
    if (step.time <= time) at = &step;
  for (const RecordedBody& body : at->bodies)
    if (const BodyId id = scene.world.find_body(recording.names[body.name])) {
      scene.world.set_pose(id, body.position, body.orientation);
      scene.world.set_velocity(id, body.velocity, body.angular_velocity);
    }
}

void recording_to_file(const std::string& in, const std::string& out, const std::string& at) {
  const Recording recording = read_recording(in);
  if (recording.steps.empty()) throw Error(in, "the recording has no steps");
  Scene scene = parse_scene(recording.scene_text);
  const bool moves = is_animation_file(out) && at.empty();
  const double end = recording.steps.back().time, time = at.empty() ? end : moment_of(at);
  check_moment(time, recording.steps.front().time, end);
  if (!moves) move_to(scene, recording, time);
  if (out.ends_with(".json"))
    write_text(out, write_scene(scene));
  else
    write_export(scene, out, moves ? &recording : nullptr);
}

/// What a conversion starts from.
std::string format_of(const std::string& path) {
  if (RecordingReader::recognizes(path) || path.ends_with(".rrec")) return "recording";
  const std::filesystem::path extension = std::filesystem::path(path).extension();
  if (extension == ".json" || extension.empty() || is_model_file(path)) return "scene";
  return extension.string();
}

}  // namespace

int convert(const Arguments& arguments) {
  std::string in, out, at, table;
  Command command(
      "convert",
      "Converts a scene or a model to a scene in its normal form or to another program's format, and a binary "
      "recording to CSV, to an animation or to one moment of it.",
      "  rigor convert scene.json normal.json\n  rigor convert dzhanibekov mine.json\n"
      "  rigor convert robot.urdf robot.xml\n  rigor convert run.rrec run.csv\n"
      "  rigor convert run.rrec run.glb\n  rigor convert run.rrec moment.obj --at 2.5\n"
      "  rigor convert run.h5 contacts.csv --table contacts");
  command
      .option("IN", in,
              "a scene (file or built-in name), a model (.urdf, .xml, .obj, .stl, .dae, .gltf, .glb) or a recording "
              "(.rrec)",
              "IN")
      ->required();
  command
      .option("OUT", out,
              "a scene (.json), .gltf or .glb, OpenUSD (.usda), .urdf, MJCF (.xml), .obj; of a recording also a table "
              "(.csv)",
              "OUT")
      ->required();
  command.option("--table", table, "for recordings as tables (.h5): the table to write as .csv; bodies unless given",
                 "TABLE");
  command.option("--at", at,
                 "for recordings: write this moment only, in seconds; .obj writes the last one unless given", "T");
  SceneInput input;
  input.add_options(command);
  if (!command.parse(arguments)) return kSuccess;

  watch_for_interrupts();
  if (is_hdf5_name(in)) {
    if (!out.ends_with(".csv"))
      throw Error("a recording as tables (.h5) is converted to .csv, got '" + short_text(out) + "'");
    if (!at.empty()) throw Error("--at", "a recording as tables (.h5) is converted as a whole");
    hdf5_to_csv(in, out, table.empty() ? "bodies" : table);
    return kSuccess;
  }
  if (!table.empty()) throw Error("--table", "only recordings as tables (.h5) have tables to choose from");
  const std::string from = format_of(in);
  const bool scene_out = out.ends_with(".json") || is_export_file(out);
  if (!at.empty() && from != "recording") throw Error("--at", "only a recording has moments to choose from");
  if (from == "recording" && out.ends_with(".csv") && at.empty())
    recording_to_csv(in, out);
  else if (from == "recording" && out.ends_with(".csv"))
    moment_to_csv(in, out, moment_of(at));
  else if (from == "recording" && scene_out)
    recording_to_file(in, out, at);
  else if (from == "scene" && scene_out)
    scene_to_file(in, out, input);
  else
    throw Error(
        "cannot convert '" + in + "' to '" + out +
        "'; known: a scene, a model or a recording (.rrec) to .json, .gltf, .glb, .usda, .urdf, .xml or .obj, a "
        "recording to .csv");
  return kSuccess;
}

}  // namespace rigor::cli
