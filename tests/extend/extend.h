// Plugins of the build tree, for tests. Registration cannot be undone, so these tests are a program of their own.
#pragma once

#include "rigor/extend/extend.h"
#include "rigor/rigor.h"
#include "rigor/scene.h"
#include "support.h"
#include "test_paths.h"

namespace rigor::test {

inline std::string plugin_file(const std::string& name) { return std::string(RIGOR_PLUGIN_DIR) + "/" + name + ".so"; }

/// Loads a plugin once.
inline void use_plugin(const std::string& name) {
  static std::vector<std::string> loaded;
  if (std::find(loaded.begin(), loaded.end(), name) != loaded.end()) return;
  load_plugin(plugin_file(name));
  loaded.push_back(name);
}

}  // namespace rigor::test
