// Every registered method has its page.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "rigor/registry.h"
#include "test_paths.h"

namespace rigor::test {
namespace {

TEST(Docs, EveryMethodHasItsPage) {
  for (const MethodInfo& info : methods()) {
    if (info.kind == Kind::shape) continue;  // docs/scenes.md has them all in one table
    const std::string page = "docs/methods/" + std::string(to_string(info.kind)) + "/" + info.name + ".md";
    EXPECT_TRUE(std::filesystem::exists(std::string(RIGOR_SOURCE_DIR) + "/" + page)) << page << " is missing";
  }
}

/// A picture from the lab; scripts/pictures draws them.
TEST(Docs, EveryPresetHasItsPicture) {
  const std::filesystem::path docs = std::filesystem::path(RIGOR_SOURCE_DIR) / "docs";
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::preset) continue;
    const std::string picture = "images/presets/" + info.name + ".svg";
    EXPECT_TRUE(std::filesystem::exists(docs / picture)) << picture << " is missing";
    std::ifstream in(docs / "methods" / "preset" / (info.name + ".md"));
    const std::string page((std::istreambuf_iterator<char>(in)), {});
    EXPECT_NE(page.find("../../" + picture), std::string::npos) << info.name << ".md does not show its picture";
  }
}

/// No cell of the map is empty, and every file that it links exists.
TEST(Docs, TheMapLeadsSomewhere) {
  const std::filesystem::path docs = std::filesystem::path(RIGOR_SOURCE_DIR) / "docs";
  std::ifstream in(docs / "map.md");
  ASSERT_TRUE(in.good());
  const std::regex link(R"(\]\(([^)]+)\))"), empty_cell(R"(\|\s*\|)");
  int links = 0;
  for (std::string line; std::getline(in, line);) {
    EXPECT_FALSE(std::regex_search(line, empty_cell)) << line;
    for (std::sregex_iterator it(line.begin(), line.end(), link), end; it != end; ++it, ++links)
      EXPECT_TRUE(std::filesystem::exists(docs / (*it)[1].str())) << (*it)[1];
  }
  EXPECT_GT(links, 150);
}

}  // namespace
}  // namespace rigor::test
