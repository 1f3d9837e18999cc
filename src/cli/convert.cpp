#include <filesystem>

#include "cli/interrupt.h"
#include "cli/scene_input.h"
#include "cli/verbs.h"
#include "io/csv_file.h"
#include "io/recording_output.h"
#include "io/recording_reader.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor::cli {

namespace {

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

void scene_to_scene(const std::string& in, const std::string& out, SceneInput& input) {
  const std::string text = write_scene(input.open(in));
  input.mention_notes(in);
  OutputFile file(out);
  file.write(text);
  if (!text.ends_with('\n')) file.write("\n");
  file.finish();
}

/// The input of a conversion.
std::string format_of(const std::string& path) {
  if (RecordingReader::recognizes(path) || path.ends_with(".rrec")) return "recording";
  const std::filesystem::path extension = std::filesystem::path(path).extension();
  if (extension == ".json" || extension.empty() || is_model_file(path)) return "scene";
  return extension.string();
}

}  // namespace

int convert(const Arguments& arguments) {
  std::string in, out;
  Command command("convert", "Converts a scene or a model to a scene in its normal form, or a binary recording to CSV.",
                  "  rigor convert scene.json normal.json\n  rigor convert dzhanibekov mine.json\n"
                  "  rigor convert robot.urdf robot.json\n  rigor convert run.rrec run.csv");
  command
      .option("IN", in,
              "a scene (file or built-in name), a model (.urdf, .xml, .obj, .stl, .gltf, .glb) or a recording (.rrec)",
              "IN")
      ->required();
  command.option("OUT", out, "a scene (.json) or a table (.csv)", "OUT")->required();
  SceneInput input;
  input.add_options(command);
  if (!command.parse(arguments)) return kSuccess;

  watch_for_interrupts();
  const std::string from = format_of(in);
  if (from == "recording" && out.ends_with(".csv"))
    recording_to_csv(in, out);
  else if (from == "scene" && out.ends_with(".json"))
    scene_to_scene(in, out, input);
  else
    throw Error("cannot convert '" + in + "' to '" + out +
                "'; known: a scene or a model to .json, a recording (.rrec) to .csv");
  return kSuccess;
}

}  // namespace rigor::cli
