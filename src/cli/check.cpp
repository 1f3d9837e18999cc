#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/numbers.h"
#include "cli/scene_input.h"
#include "cli/verbs.h"
#include "io/recording_frame.h"
#include "io/scene_parts.h"
#include "models/load_model.h"
#include "rigor/error.h"
#include "rigor/queries.h"
#include "rigor/scene.h"
#include "world/doubtful_parts.h"

namespace rigor::cli {

namespace {

/// Lists what the scene does not express of a model, and how much that is.
void print_report(const ModelReport& report) {
  for (const std::string& warning : report.warnings) print("warning: " + printable_text(warning) + "\n");
  if (report.elements == 0 && report.notes.empty()) return;
  const char* kKinds[] = {"not drawn", "replaced", "ignored", "unknown"};
  for (const bool is_unknown : {true, false})  // what may be misspelt comes first
    for (const ModelNote& note : report.notes)
      if ((note.kind == ModelNote::Kind::unknown) == is_unknown)
        print(fmt::format("{}: {}\n", kKinds[static_cast<int>(note.kind)], printable_text(to_text(note))));
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  if (report.elements == 0) return;
  const auto count = [&](ModelNote::Kind kind) {
    return std::count_if(report.notes.begin(), report.notes.end(), [&](const ModelNote& n) { return n.kind == kind; });
  };
  print(fmt::format(
      "honoured: {} of {} elements ({:.1f} %), {} of {} that affect the motion ({:.1f} %), {} of {} "
      "attributes ({:.1f} %); {} replaced, {} ignored{}\n",
      report.elements_honoured, report.elements, share(report.elements_honoured, report.elements),
      report.moving_elements_honoured, report.moving_elements,
      share(report.moving_elements_honoured, report.moving_elements), report.attributes_honoured, report.attributes,
      share(report.attributes_honoured, report.attributes), count(ModelNote::Kind::replaced),
      count(ModelNote::Kind::ignored),
      count(ModelNote::Kind::unknown) == 0 ? "" : fmt::format(", {} unknown", count(ModelNote::Kind::unknown))));
}

/// True if there is more than one mistake, all of which are then on standard error; a single one is left to the caller.
bool report_mistakes(const std::vector<std::string>& mistakes, const std::string& prefix, std::size_t most) {
  if (mistakes.size() < 2) return false;
  for (const std::string& mistake : mistakes)
    std::fputs(("rigor: " + printable_text(prefix + mistake) + "\n").c_str(), stderr);
  std::fputs(fmt::format("rigor: {} mistakes{}\n", mistakes.size(), mistakes.size() >= most ? " or more" : "").c_str(),
             stderr);
  return true;
}

bool report_mistakes(const std::string& file, const SceneInput& input) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  if (is_model_file(file))
    return report_mistakes(models::model_mistakes(file, input.model_options()), "", models::kMostMistakes);
  return report_mistakes(scene_mistakes(file), short_path(file) + ": ", JsonReader::kMostMistakes);
}

}  // namespace

int check(const Arguments& arguments) {
  std::string file;
  Command command("check", "Validates a scene or a model and reports mistakes with their place.",
                  "  rigor check scene.json\n  rigor check robot.urdf --package robot=/opt/robot\n  rigor check "
                  "model.xml --strict");
  command.option("FILE", file, "a scene file, a model (.urdf, .xml, a mesh), or the name of a built-in scene", "FILE")
      ->required();
  SceneInput input;
  input.add_options(command);
  if (!command.parse(arguments)) return kSuccess;

  std::error_code error;
  const bool exists = std::filesystem::is_regular_file(file, error);
  const bool is_scene = exists && !is_model_file(file);
  std::vector<std::string> notes;
  Scene scene;
  try {
    scene = is_scene ? load_scene_file(file, notes) : input.open(file);
  } catch (const Error&) {
    if (report_mistakes(file, input)) return kMistake;
    throw;
  }
  // A method can be right in each part and yet not work; only a simulation knows.
  const Simulation simulation(scene.world, scene.method, scene.time);
  const World& world = scene.world;
  const std::size_t usual = world.contains(world.gravity()) + world.contains(world.drag());
  print(fmt::format("{}: ok ({}, {}, {} besides gravity and drag, method {}, {:.6g} s in steps of {:.6g} s)\n",
                    printable_text(file), counted(recorded_bodies(scene.world).size(), "body", "bodies"),
                    counted(scene.world.joint_count(), "joint", "joints"),
                    counted(scene.world.forces().size() - usual, "force", "forces"), method_text(simulation.method()),
                    scene.duration, scene.time.step));
  print_report(input.report);
  for (const std::string& note : notes) print("note: " + printable_text(note) + "\n");
  const std::vector<std::string> doubts = doubtful_parts(scene.world);
  for (const auto& warnings :
       {never_meet(scene.world), contradicting_joints(scene.world), doubts, far_anchors(scene.world),
        missing_solvers(scene.world, simulation.method()), features_not_honoured(scene.world, simulation.method())})
    for (const std::string& sentence : warnings) print("warning: " + printable_text(sentence) + "\n");
  const std::vector<std::string> lost = lost_restitution(world);
  if (doubts.empty() || lost.empty() || doubts.back() != lost.back())
    for (const std::string& sentence : lost) print("warning: " + printable_text(sentence) + "\n");
  return kSuccess;
}

}  // namespace rigor::cli
