#include "cli/scene_input.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/interrupt.h"
#include "rigor/error.h"

namespace rigor::cli {

void SceneInput::add_options(Command& command) {
  command.app()
      .add_option("--package", packages, "for models: the folder of package://NAME/; may be repeated")
      ->type_name("NAME=FOLDER")
      ->allow_extra_args(false);
  command.flag("--strict", strict, "for models: refuse unsupported elements instead of listing them");
  command.flag("--allow-outside", allow_outside, "for models: read files outside of the model's folder as well");
  command.option("--keyframe", keyframe, "for MJCF models: start from this keyframe", "NAME");
  command.flag("--fix-base", fix_base, "for URDF models: hold the root, which moves freely otherwise");
}

Scene SceneInput::open(const std::string& name) {
  const DefaultSignals while_reading;
  if (!is_model_file(name)) {
    if (strict || allow_outside || fix_base || !packages.empty() || !keyframe.empty())
      throw Error(
          "--package, --strict, --allow-outside, --fix-base and --keyframe are for models (.urdf, .xml and meshes)");
    return open_scene(name);
  }
  return load_model(name, model_options(), &report);
}

ModelOptions SceneInput::model_options() const {
  ModelOptions options;
  options.strict = strict;
  options.allow_outside = allow_outside;
  options.keyframe = keyframe;
  options.fix_base = fix_base;
  for (const std::string& package : packages) {
    const std::size_t equals = package.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == package.size())
      throw Error("--package", "expected NAME=FOLDER, got '" + short_text(package) + "'");
    options.packages[package.substr(0, equals)] = package.substr(equals + 1);
  }
  return options;
}

std::string SceneInput::check_command(const std::string& name) const {
  std::string text = "rigor check " + name;
  if (!keyframe.empty()) text += " --keyframe " + keyframe;
  for (const std::string& package : packages) text += " --package " + package;
  if (allow_outside) text += " --allow-outside";
  if (fix_base) text += " --fix-base";
  return printable_text(text);
}

void SceneInput::mention_notes(const std::string& name) const {
  for (const std::string& warning : report.warnings)
    std::fputs(("rigor: " + printable_text(warning) + "\n").c_str(), stderr);
  constexpr std::size_t kMostShown = 5;
  std::size_t count = 0, unknown = 0;
  for (const ModelNote& note : report.notes) {
    count += note.kind != ModelNote::Kind::appearance;
    if (note.kind == ModelNote::Kind::unknown && unknown++ < kMostShown)
      std::fputs(("rigor: " + printable_text(to_text(note)) + "\n").c_str(), stderr);
  }
  if (count == 0) return;
  std::fputs(fmt::format("rigor: {} of this model {} not honoured as written; `{}` lists {}\n",
                         count == 1 ? "one element" : fmt::format("{} elements", count), count == 1 ? "is" : "are",
                         check_command(name), count == 1 ? "it" : "them")
                 .c_str(),
             stderr);
}

}  // namespace rigor::cli
