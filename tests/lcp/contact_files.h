// Contact problems of other programs, in the folder `shared/contact-problems` beside the sources or in that which RIGOR_CONTACT_PROBLEMS
// names. They are not part of the sources; tests skip without them.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lcp/contact_file.h"
#include "test_paths.h"

namespace rigor::test {

/// Paths, sorted; none if there is no such folder.
inline std::vector<std::filesystem::path> contact_files() {
  const char* other = std::getenv("RIGOR_CONTACT_PROBLEMS");
  const std::filesystem::path folder =
      other ? std::filesystem::path(other) : std::filesystem::path(RIGOR_SOURCE_DIR) / "../shared/contact-problems";
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".dat") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline ContactFile load(const std::filesystem::path& path) {
  std::ifstream in(path);
  return read_contact_file(std::string((std::istreambuf_iterator<char>(in)), {}));
}

#define RIGOR_NEEDS_CONTACT_FILES() \
  if (contact_files().empty()) GTEST_SKIP() << "needs contact problems: RIGOR_CONTACT_PROBLEMS=FOLDER"

}  // namespace rigor::test
