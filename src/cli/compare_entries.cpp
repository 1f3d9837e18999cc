#include "cli/compare_entries.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/method_options.h"
#include "cli/numbers.h"
#include "io/scene_limits.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

constexpr std::uint64_t kMostPeerIterations = 10'000;

bool is_peer(const std::string& name) {
  const std::vector<std::string> names = peer_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

PeerSettings peer_settings(const std::string& name, const std::vector<std::string>& changes) {
  PeerSettings settings;
  for (const std::string& change : changes) {
    if (!change.starts_with("iterations="))
      throw Error("--methods", "only the iterations of " + name + " can be set, got '" + short_text(change) + "'");
    settings.iterations = static_cast<int>(count("--methods " + name, change.substr(11), kMostPeerIterations));
  }
  return settings;
}

}  // namespace

std::vector<std::string> compared_names(const std::string& methods) {
  std::vector<std::string> names = split(methods, ',');
  if (names.size() > kMostMethods) throw Error("--methods", fmt::format("at most {} can be compared", kMostMethods));
  for (const std::string& name : names)
    if (std::count(names.begin(), names.end(), name) > 1)
      throw Error("--methods", "'" + short_text(name) + "' is named twice");
  return names;
}

CompareEntry entry_of(const std::string& text, const Scene& scene) {
  if (text.empty()) throw Error("--methods", "a name is missing between two commas");
  std::vector<std::string> parts = split(text, ':');
  const std::string name = parts.front();
  parts.erase(parts.begin());
  CompareEntry entry{text, "", scene, {}, is_peer(name)};
  if (entry.peer) {
    try {
      entry.engine = peer_engine(name, peer_settings(name, parts));
    } catch (const PeerMissing&) {
      entry.engine.name = name;  // the report says that it is missing
      return entry;
    }
    entry.method = entry.engine.method;
    return entry;
  }
  try {
    change_method(entry.scene.method, name == "scene" ? "" : name, parts);
  } catch (const Error& error) {
    throw Error("--methods " + short_text(text), error.what());
  }
  entry.method = method_text(entry.scene.method);
  entry.engine = rigor_engine(entry.method, 1);
  return entry;
}

std::string made_by(const Arguments& arguments) {
  std::string text = "rigor " RIGOR_VERSION ": rigor compare";
  for (const std::string& argument : arguments) {
    const bool plain = argument.find_first_of(" '\"*$;&|<>()") == std::string::npos;
    text += plain ? " " + argument : " '" + argument + "'";
  }
  return text;
}

}  // namespace rigor::cli
