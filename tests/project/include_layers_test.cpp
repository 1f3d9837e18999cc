// The folders of src/ form layers without cycles: src/README.md draws them, and what a file includes must agree.
//
// A file may include headers of its own folder, of include/rigor/ and of the folders on lower lines of the drawing. A line can only be
// drawn below another one if there is no cycle between them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "test_paths.h"

namespace rigor::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = RIGOR_SOURCE_DIR;

/// The line of each folder in the drawing, counted from the top.
std::map<std::string, int> drawn_layers() {
  std::ifstream page(kSource / "src" / "README.md");
  std::map<std::string, int> layers;
  int line_number = 0;
  bool in_section = false, in_drawing = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#")) in_section = line == "## Layers";
    if (!in_section) continue;
    if (line.starts_with("```")) {
      in_drawing = !in_drawing;
    } else if (in_drawing) {
      std::istringstream words(line);
      for (std::string folder; words >> folder;) layers[folder] = line_number;
      ++line_number;
    }
  }
  return layers;
}

bool is_source(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cpp" || extension == ".inc";
}

/// The files that `file` includes in quotation marks.
std::vector<std::string> included_by(const fs::path& file) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s+"([^"]+)")re");
  std::ifstream in(file);
  std::vector<std::string> files;
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_search(line, match, kInclude)) files.push_back(match[1]);
  return files;
}

/// Calls `visit(folder, file)` for every source file of src/, where `folder` is the one directly below src/.
void for_each_source(const std::function<void(const std::string&, const fs::path&)>& visit) {
  for (const auto& folder : fs::directory_iterator(kSource / "src")) {
    if (!folder.is_directory()) continue;
    for (auto it = fs::recursive_directory_iterator(folder); it != fs::recursive_directory_iterator(); ++it) {
      if (it->path().filename() == "node_modules") it.disable_recursion_pending();
      if (it->is_regular_file() && is_source(it->path())) visit(folder.path().filename().string(), it->path());
    }
  }
}

TEST(IncludeLayers, TheDrawingHasEveryFolder) {
  const std::map<std::string, int> layers = drawn_layers();
  for (const auto& entry : fs::directory_iterator(kSource / "src")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(layers.contains(entry.path().filename().string()))
        << entry.path().filename() << " is missing from the drawing in src/README.md";
  }
  for (const auto& [folder, line] : layers)
    EXPECT_TRUE(fs::is_directory(kSource / "src" / folder)) << "there is no folder src/" << folder;
}

TEST(IncludeLayers, FilesIncludeLowerLayersOnly) {
  const std::map<std::string, int> layers = drawn_layers();
  int includes = 0;
  for_each_source([&](const std::string& folder, const fs::path& file) {
    const std::string name = fs::relative(file, kSource).string();
    for (const std::string& included : included_by(file)) {
      const std::size_t slash = included.find('/');
      ASSERT_NE(slash, std::string::npos) << name << " includes " << included << " without its folder";
      const std::string other = included.substr(0, slash);
      if (other == folder || other == "rigor") continue;
      ++includes;
      ASSERT_TRUE(layers.contains(other)) << name << " includes " << included;
      EXPECT_GT(layers.at(other), layers.at(folder))
          << name << " includes " << included << ", but src/README.md does not draw " << other << " below " << folder;
    }
  });
  EXPECT_GT(includes, 300);
}

/// True if `file`, relative to src/ or include/, includes `target` directly or through other headers.
bool reaches(const std::string& file, const std::string& target, std::set<std::string>& seen) {
  if (file == target) return true;
  if (!seen.insert(file).second) return false;
  fs::path path = kSource / "src" / file;
  if (!fs::exists(path)) path = kSource / "include" / file;
  for (const std::string& included : included_by(path))
    if (reaches(included, target, seen)) return true;
  return false;
}

// Solvers get rows and bodies. They cannot use a world, because none of their files sees its definition.
TEST(IncludeLayers, SolversDoNotReachTheWorld) {
  int files = 0;
  for_each_source([&](const std::string& folder, const fs::path& file) {
    if (folder != "solvers" && folder != "lcp" && folder != "islands" && folder != "multibody") return;
    ++files;
    std::set<std::string> seen;
    const std::string name = fs::relative(file, kSource / "src").string();
    EXPECT_FALSE(reaches(name, "rigor/world.h", seen)) << name << " reaches rigor/world.h";
  });
  EXPECT_GT(files, 50);
}

TEST(IncludeLayers, PublicHeadersIncludePublicHeadersOnly) {
  int headers = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "include")) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    ++headers;
    for (const std::string& included : included_by(entry.path()))
      EXPECT_TRUE(included.starts_with("rigor/")) << entry.path().filename() << " includes " << included;
  }
  EXPECT_GT(headers, 20);
}

}  // namespace
}  // namespace rigor::test
