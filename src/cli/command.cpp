#include "cli/command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::cli {

namespace {

std::vector<std::string> known_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string extras_sentence(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  const std::string first = extras.empty() ? "" : extras.front();
  if (!first.starts_with('-')) return "unexpected argument '" + short_text(first) + "'";
  return unknown_name("option", short_text(first.substr(0, first.find('='))), known_options(app));
}

/// "--dt: 1 required NUMBER missing" and "--dt: At Most 1 required but received 2" begin with the option's name.
std::string mismatch_sentence(const std::string& message) {
  const std::string name = message.substr(0, message.find(':'));
  if (message.find("received") != std::string::npos) return name + " is given more than once";
  return name + " needs a value";
}

std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  const std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return extras_sentence(app);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return mismatch_sentence(message);
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return message.substr(0, message.find(' ')) + " is missing";
  return short_text(message);
}

bool all_finite(const Json& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  if (!value.is_structured()) return true;
  for (const auto& element : value)
    if (!all_finite(element)) return false;
  return true;
}

}  // namespace

Command::Command(const std::string& verb, const std::string& description, const std::string& examples)
    : app_(description, "rigor " + verb) {
  app_.footer("Examples:\n" + examples);
  app_.get_formatter()->column_width(28);
  // main() removes it from the arguments before a verb sees them; it is declared here for the help and for suggestions.
  app_.add_option("--plugin", "adds the methods, joints and shapes of a shared library")->type_name("FILE.so");
}

CLI::Option* Command::option(const std::string& name, std::string& value, const std::string& meaning,
                             const std::string& placeholder) {
  CLI::Option* added = app_.add_option(name, value, meaning);
  added->check([](const std::string& given) { return given.empty() ? "it must not be empty" : std::string(); });
  return added->type_name(added->get_positional() ? "" : placeholder);
}

bool Command::parse(const Arguments& arguments) {
  try {
    app_.parse(Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    print(app_.help());
    return false;
  } catch (const CLI::ParseError& error) {
    throw Error(sentence_of(app_, error) +
                (error.get_name() == "RequiredError" ? "; see " + app_.get_name() + " --help" : std::string()));
  }
  return true;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void prepare_folder(const char* option, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    throw Error(option, "the folder '" + folder + "' cannot be created");
}

void print(const Json& value) {
  if (!all_finite(value)) throw std::runtime_error("a result is not a finite number");
  print(print_json(value) + "\n");
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw std::runtime_error("standard output cannot be written");
}

Style::Style() {
  const char* terminal = std::getenv("TERM");
  on_ = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR") && terminal && std::string(terminal) != "dumb";
}

/// The width of the terminal; 0 if there is none.
static std::size_t columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string wrapped(const std::string& text, std::size_t indent) {
  const std::size_t width = columns();
  if (width < indent + 20) return text;
  std::string out;
  std::size_t column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string Style::wrap(const char* code, const std::string& text) const {
  return on_ ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

}  // namespace rigor::cli
