// Parameters of registered types in scene files.
#include <algorithm>

#include "io/scene_parts.h"
#include "rigor/error.h"

namespace rigor {

Settings read_parameters(const JsonReader& object, const std::function<bool(std::string_view)>& is_parameter) {
  Settings settings;
  PartReader parts(object);
  for (const JsonReader& member : object.members())
    if (is_parameter(member.key())) parts.read([&] { settings[std::string(member.key())] = member.parameter(); });
  parts.finish();
  return settings;
}

void apply_parameters(const JsonReader& object, Settings parameters,
                      const std::function<void(const Settings&)>& apply) {
  PartReader parts(object);
  for (;;) {
    std::string refused;
    const bool right = parts.read([&] {
      try {
        apply(parameters);
      } catch (const Error& error) {
        refused = error.what();
        throw;
      }
    });
    if (right) break;
    const auto named = std::find_if(parameters.begin(), parameters.end(), [&](const auto& parameter) {
      return refused.starts_with(object.path() + "." + parameter.first + ":");
    });
    if (named == parameters.end()) break;
    parameters.erase(named);
  }
  parts.finish();
}

}  // namespace rigor
