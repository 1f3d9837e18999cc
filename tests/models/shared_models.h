// Models of other projects lie beside the project, not in it; tests that read them are skipped where they are not there.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "test_paths.h"

namespace rigor::test {

inline std::filesystem::path shared_models() {
  return std::filesystem::path(RIGOR_SOURCE_DIR).parent_path() / "shared" / "models";
}

/// The model files below a folder, sorted.
inline std::vector<std::string> model_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".xml" || entry.path().extension() == ".urdf")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace rigor::test
