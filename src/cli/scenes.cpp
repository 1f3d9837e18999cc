#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "io/recording_frame.h"
#include "rigor/scene.h"

namespace rigor::cli {

int scenes(const Arguments& arguments) {
  bool json = false;
  Command command("scenes", "Lists the built-in scenes.", "  rigor scenes\n  rigor scenes --json");
  command.flag("--json", json, "as JSON: a list of {name, description, bodies}");
  if (!command.parse(arguments)) return kSuccess;

  const std::vector<std::string> names = builtin_scene_names();
  std::size_t width = 5;
  for (const std::string& name : names) width = std::max(width, name.size());

  const Style style;
  Json list = Json::array();
  std::string text = style.bold(fmt::format("{:<{}}  bodies  what to look for", "scene", width)) + "\n";
  for (const std::string& name : names) {
    const Scene scene = open_scene(name);
    const std::size_t bodies = recorded_bodies(scene.world).size();
    list.push_back({{"name", name}, {"description", scene.description}, {"bodies", bodies}});
    text += fmt::format("{:<{}}  {:>6}  {}\n", name, width, bodies, wrapped(scene.description, width + 10));
  }
  if (json)
    print(list);
  else
    print(text);
  return kSuccess;
}

}  // namespace rigor::cli
