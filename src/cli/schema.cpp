#include "cli/verbs.h"
#include "rigor/scene.h"

namespace rigor::cli {

int schema(const Arguments& arguments) {
  Command command("schema", "Prints the JSON Schema (draft 7) of scene files.", "  rigor schema > scene.schema.json");
  if (!command.parse(arguments)) return kSuccess;
  std::string text = scene_schema();
  if (!text.ends_with('\n')) text += '\n';
  print(text);
  return kSuccess;
}

}  // namespace rigor::cli
