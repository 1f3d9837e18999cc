// Comments, messages and pages use the words of the field: this test finds phrases that were retired, and names file and line.
//
// Every comment has a subject and a verb. A message reads "expected …, got …". CONTRIBUTING.md has the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "test_paths.h"

namespace rigor::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = RIGOR_SOURCE_DIR;

struct Phrase {
  std::string_view retired, instead;
};

// Only phrases that have no other use in this project.
constexpr Phrase kPhrases[] = {
    {"is wanted", "expected …"},
    {"are wanted", "expected …"},
    {"upon each other", "stacked, coincident"},
    {"beyond all numbers", "not finite"},
    {"is no number", "is not finite"},
    {"was no number", "was not finite"},
    {"somebody", "the user, the caller, another thread"},
    {"whoever", "anyone who, the caller"},
    {"of theirs", "say whose"},
    {"of one's own", "custom"},
    {"of late", "recent"},
    {"with an end", "until an end time"},
    {"dealt out", "queued"},
    {"time on the wall", "wall-clock time"},
    {"seconds on the wall", "wall-clock seconds"},
    {"will do", "is enough, is valid"},
    {"at hand", "current, available"},
};

struct Line {
  int number = 0;
  std::string text;
  bool is_comment = false;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\''; }

/// True if `text` contains `phrase` as whole words; `text` is in lower case.
bool contains_words(const std::string& text, std::string_view phrase) {
  for (std::size_t at = text.find(phrase); at != std::string::npos; at = text.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The comments and string literals of C++, line by line. Code itself is not searched.
class CppLines {
 public:
  explicit CppLines(const std::string& text) : text_(text) {
    while (at_ < text_.size()) read_next();
  }
  const std::vector<Line>& lines() const { return lines_; }

 private:
  bool starts_with(std::string_view word) const { return text_.compare(at_, word.size(), word) == 0; }

  void read_next() {
    const char c = text_[at_];
    if (starts_with("//")) {
      take_until(text_.find('\n', at_), true);
    } else if (starts_with("/*")) {
      take_until(text_.find("*/", at_ + 2), true);
      at_ += 2;
    } else if (starts_with("R\"") && (at_ == 0 || !is_word(text_[at_ - 1]))) {
      const std::size_t open = text_.find('(', at_);
      const std::string close = ")" + text_.substr(at_ + 2, open - at_ - 2) + "\"";
      take_until(text_.find(close, open), false);
      at_ += close.size();
    } else if (c == '"' || (c == '\'' && (at_ == 0 || !is_word(text_[at_ - 1])))) {
      std::size_t end = at_ + 1;
      while (end < text_.size() && text_[end] != c) end += text_[end] == '\\' ? 2 : 1;
      take_until(end, false);
      ++at_;
    } else {
      number_ += c == '\n' ? 1 : 0;
      ++at_;
    }
  }
  /// Stores the text up to `end`, split into lines, and continues there.
  void take_until(std::size_t end, bool is_comment) {
    end = std::min(end, text_.size());
    std::string line;
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') {
        line += text_[at_];
        continue;
      }
      lines_.push_back({number_, line, is_comment});
      line.clear();
      ++number_;
    }
    lines_.push_back({number_, line, is_comment});
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int number_ = 1;
  std::vector<Line> lines_;
};

std::vector<Line> plain_lines(const fs::path& file) {
  std::ifstream in(file);
  std::vector<Line> lines;
  int number = 0;
  for (std::string line; std::getline(in, line);) lines.push_back({++number, line, false});
  return lines;
}

/// True for comments without a subject: "Of the last step."
bool begins_with_of(const Line& line) {
  if (!line.is_comment) return false;
  const std::size_t first = line.text.find_first_not_of("/!<* ");
  if (first == std::string::npos || line.text.compare(first, 3, "Of ") != 0) return false;
  return first + 3 < line.text.size() && std::islower(static_cast<unsigned char>(line.text[first + 3])) != 0;
}

void check(const fs::path& file, const std::vector<Line>& lines) {
  const std::string name = fs::relative(file, kSource).string();
  for (const Line& line : lines) {
    EXPECT_FALSE(begins_with_of(line)) << name << ":" << line.number << ": the comment has no subject: " << line.text;
    std::string text = line.text;
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const Phrase& phrase : kPhrases)
      EXPECT_FALSE(contains_words(text, phrase.retired))
          << name << ":" << line.number << ": instead of \"" << phrase.retired << "\" write: " << phrase.instead;
  }
}

template <class Visit> void for_each_file(const fs::path& folder, const Visit& visit) {
  for (auto it = fs::recursive_directory_iterator(folder); it != fs::recursive_directory_iterator(); ++it) {
    const fs::path name = it->path().filename();
    if (name == "node_modules" || name == "web") it.disable_recursion_pending();
    if (it->is_regular_file()) visit(it->path());
  }
}

TEST(Wording, CommentsAndMessagesUseTheWordsOfTheField) {
  int files = 0;
  for (const char* folder : {"include", "src", "tests", "bench", "examples", "python/src"})
    for_each_file(kSource / folder, [&](const fs::path& file) {
      const std::string extension = file.extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".inc") return;
      if (file.filename() == "wording_test.cpp") return;
      ++files;
      check(file, CppLines(text_of(file)).lines());
    });
  EXPECT_GT(files, 1000);
}

TEST(Wording, PagesUseTheWordsOfTheField) {
  std::vector<fs::path> pages = {kSource / "README.md", kSource / "CONTRIBUTING.md", kSource / "run", kSource / "test"};
  for (const char* folder : {"docs", "src", "scripts", "scenes", "python/rigor"})
    for_each_file(kSource / folder, [&](const fs::path& file) {
      const std::string extension = file.extension().string();
      if (extension == ".md" || extension == ".sh" || extension == ".py" || extension == ".json") pages.push_back(file);
    });
  EXPECT_GT(pages.size(), 150u);
  for (const fs::path& page : pages) check(page, plain_lines(page));
}

TEST(Wording, FindsCommentsAndStringsAndNothingElse) {
  const std::string text =
      "int of_theirs = 1;  // Of the caller\nauto s = \"is wanted\"; auto c = '\"'; /* a\nb */ R\"(x\ny)\";";
  const std::vector<Line> lines = CppLines(text).lines();
  std::vector<std::string> found;
  for (const Line& line : lines) found.push_back(std::to_string(line.number) + line.text);
  EXPECT_EQ(found,
            (std::vector<std::string>{"1// Of the caller", "2\"is wanted", "2'\"", "2/* a", "3b ", "3R\"(x", "4y"}));
  EXPECT_TRUE(begins_with_of(lines[0]));
  EXPECT_TRUE(contains_words(lines[1].text, "is wanted"));
  EXPECT_FALSE(contains_words("this wanted", "is wanted"));
}

}  // namespace
}  // namespace rigor::test
