// The pages of the documentation: the index lists every page, and no relative link or anchor is dead.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "test_paths.h"

namespace rigor::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = RIGOR_SOURCE_DIR;

std::string text_of(const fs::path& page) {
  std::ifstream in(page);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What the links and pictures of a page lead to, with anchors. Code and addresses of other places are left out.
std::vector<std::string> links_of(const fs::path& page) {
  static const std::regex kFence(R"(```[^`]*```)"), kCode(R"(`[^`\n]*`)"), kLink(R"(\]\(([^)\s]+)\))");
  const std::string text = std::regex_replace(std::regex_replace(text_of(page), kFence, ""), kCode, "");
  std::vector<std::string> links;
  for (std::sregex_iterator it(text.begin(), text.end(), kLink), end; it != end; ++it)
    if (const std::string link = (*it)[1]; link.find(':') == std::string::npos) links.push_back(link);
  return links;
}

/// Without anchors.
std::vector<std::string> relative_links(const fs::path& page) {
  std::vector<std::string> links;
  for (const std::string& link : links_of(page))
    if (link.front() != '#') links.push_back(link.substr(0, link.find('#')));
  return links;
}

/// The anchors of the headings of a page: small letters, blanks as hyphens, no punctuation.
std::set<std::string> anchors_of(const fs::path& page) {
  static const std::regex kHeading(R"(#{1,6} (.*))");
  std::set<std::string> anchors;
  std::ifstream in(page);
  bool in_code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) in_code = !in_code;
    std::smatch found;
    if (in_code || !std::regex_match(line, found, kHeading)) continue;
    std::string anchor;
    for (const char c : found[1].str()) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x80 || std::isalnum(byte) || c == '-' || c == '_')
        anchor += static_cast<char>(byte < 0x80 ? std::tolower(byte) : c);
      else if (c == ' ')
        anchor += '-';
    }
    anchors.insert(anchor);
  }
  return anchors;
}

std::vector<fs::path> pages_below(const fs::path& folder) {
  std::vector<fs::path> pages;
  for (auto it = fs::recursive_directory_iterator(folder); it != fs::recursive_directory_iterator(); ++it) {
    if (it->path().filename() == "node_modules") it.disable_recursion_pending();
    if (it->is_regular_file() && it->path().extension() == ".md") pages.push_back(it->path());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

TEST(Pages, TheIndexListsEveryPage) {
  const fs::path docs = kSource / "docs";
  std::set<fs::path> listed;
  for (const std::string& link : relative_links(docs / "README.md")) listed.insert((docs / link).lexically_normal());
  for (const fs::path& page : pages_below(docs)) {
    if (page == docs / "README.md") continue;
    EXPECT_TRUE(listed.contains(page)) << "docs/README.md does not list " << fs::relative(page, docs);
  }
}

TEST(Pages, NoRelativeLinkIsDead) {
  std::vector<fs::path> pages = pages_below(kSource / "docs");
  for (const fs::path& page : pages_below(kSource / "src")) pages.push_back(page);
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) pages.push_back(kSource / page);
  int links = 0;
  for (const fs::path& page : pages)
    for (const std::string& link : relative_links(page)) {
      ++links;
      EXPECT_TRUE(fs::exists(page.parent_path() / link)) << fs::relative(page, kSource) << " links to " << link;
    }
  EXPECT_GT(links, 300);
}

TEST(Pages, NoAnchorIsDead) {
  std::vector<fs::path> pages = pages_below(kSource / "docs");
  pages.push_back(kSource / "README.md");
  int anchors = 0;
  for (const fs::path& page : pages)
    for (const std::string& link : links_of(page)) {
      const std::size_t hash = link.find('#');
      if (hash == std::string::npos) continue;
      const fs::path target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
      if (target.extension() != ".md" || !fs::exists(target)) continue;
      ++anchors;
      EXPECT_TRUE(anchors_of(target).contains(link.substr(hash + 1)))
          << fs::relative(page, kSource) << " links to " << link;
    }
  EXPECT_GT(anchors, 20);
}

}  // namespace
}  // namespace rigor::test
