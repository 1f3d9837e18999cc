// The contact problems of tests/data, and others that a run of the tests is pointed to.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lcp/contact_file.h"

namespace rigor::test {

/// Paths, sorted. RIGOR_CONTACT_PROBLEMS names another folder.
inline std::vector<std::filesystem::path> contact_files() {
  const char* other = std::getenv("RIGOR_CONTACT_PROBLEMS");
  const std::filesystem::path folder =
      other ? std::filesystem::path(other) : std::filesystem::path(RIGOR_SOURCE_DIR) / "tests/data/contact-problems";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".dat") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline ContactFile load(const std::filesystem::path& path) {
  std::ifstream in(path);
  return read_contact_file(std::string((std::istreambuf_iterator<char>(in)), {}));
}

}  // namespace rigor::test
