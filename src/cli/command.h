// Arguments and output of the verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "io/json_text.h"

namespace rigor::cli {

using Arguments = std::vector<std::string>;

inline constexpr int kSuccess = 0, kFailure = 1, kMistake = 2, kInterrupted = 130;

/// The command line of one verb.
class Command {
 public:
  Command(const std::string& verb, const std::string& description, const std::string& examples);

  CLI::App& app() { return app_; }
  CLI::Option* option(const std::string& name, std::string& value, const std::string& meaning,
                      const std::string& placeholder);
  CLI::Option* flag(const std::string& name, bool& value, const std::string& meaning) {
    return app_.add_flag(name, value, meaning);
  }
  /// Returns false after printing the help on request. Error, in one sentence, for invalid arguments.
  bool parse(const Arguments& arguments);

 private:
  CLI::App app_;
};

/// "a,b" → a, b; an empty string has no parts.
std::vector<std::string> split_at_commas(const std::string& text);

/// Prints to standard output. Throws std::runtime_error if a number in it is not finite.
void print(const Json& value);
/// Creates the folder that an option names if it is missing; Error if that is impossible.
void prepare_folder(const char* option, const std::string& folder);
void print(const std::string& text);

/// The text with line breaks for the width of the terminal, later lines indented; unchanged if there is no terminal.
std::string wrapped(const std::string& text, std::size_t indent);

/// Colours and bold text, on a terminal only.
class Style {
 public:
  Style();
  std::string bold(const std::string& text) const { return wrap("1", text); }
  std::string good(const std::string& text) const { return wrap("32", text); }
  std::string bad(const std::string& text) const { return wrap("31", text); }

 private:
  std::string wrap(const char* code, const std::string& text) const;
  bool on_ = false;
};

}  // namespace rigor::cli
