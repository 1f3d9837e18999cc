// The `rigor` program: finds the verb, and turns every error into one sentence and an exit code.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "cli/interrupt.h"
#include "cli/verbs.h"
#include "io/parts_folder.h"
#include "rigor/error.h"
#include "rigor/extend/registrar.h"
#include "rigor/registry.h"

namespace rigor::cli {

namespace {

std::string overview() {
  std::string text = "Rigid-body dynamics whose methods are values.\n\nUsage: rigor VERB [OPTIONS]\n\nVerbs:\n";
  std::size_t longest = 0;
  for (const Verb& verb : kVerbs) longest = std::max(longest, std::string_view(verb.name).size());
  for (const Verb& verb : kVerbs) {
    std::string name = verb.name;
    name.resize(longest + 2, ' ');
    text += "  " + name + verb.summary + "\n";
  }
  return text +
         "\nOptions:\n  -h,--help  this text; `rigor VERB --help` explains a verb\n  --version  the version\n  "
         "--plugin FILE.so  adds the methods, joints and shapes of a shared library; for every verb"
         "\n\nExamples:\n  rigor run dzhanibekov --seconds 60 --plot energy.svg\n"
         "  rigor run scene.json --set integrator=rk4 --json\n";
}

const Verb& find_verb(const std::string& name) {
  std::vector<std::string> known;
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return verb;
    known.emplace_back(verb.name);
  }
  throw Error(name.starts_with('-') ? unknown_name("option", name, {"--help", "--version"})
                                    : unknown_name("verb", name, known));
}

/// Loads the plugins that `--plugin FILE` or `--plugin=FILE` names anywhere, and removes these arguments.
void load_plugins(Arguments& arguments) {
  constexpr std::string_view kOption = "--plugin";
  for (std::size_t i = 0; i < arguments.size();) {
    const std::string argument = arguments[i];
    const auto here = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    if (argument == kOption) {
      if (i + 1 == arguments.size()) throw Error("--plugin needs a value");
      load_plugin(arguments[i + 1]);
      arguments.erase(here, here + 2);
    } else if (argument.starts_with(std::string(kOption) + "=")) {
      load_plugin(argument.substr(kOption.size() + 1));
      arguments.erase(here);
    } else {
      ++i;
    }
  }
}

int dispatch(Arguments arguments) {
  load_plugins(arguments);
  if (const std::string folder = cache_folder(); !folder.empty()) set_parts_store(parts_folder(folder));
  if (arguments.empty()) return demo({});
  const std::string first = arguments.front();
  arguments.erase(arguments.begin());
  if (first == "--help" || first == "-h" || (first == "help" && arguments.empty())) {
    print(overview());
    return kSuccess;
  }
  if (first == "--version") {
    print(std::string("rigor " RIGOR_VERSION "\n"));
    return kSuccess;
  }
  if (first == "help") return find_verb(arguments.front()).call({"--help"});
  return find_verb(first).call(arguments);
}

/// Exactly one line.
int complain(std::string sentence, int code) {
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  std::fprintf(stderr, "rigor: %s\n", printable_text(sentence).c_str());
  return code;
}

int guarded(const Arguments& arguments) {
  try {
    const int code = dispatch(arguments);
    if (std::fflush(stdout) != 0) return complain("standard output cannot be written", kFailure);
    return code;
  } catch (const Error& error) {
    return complain(error.what(), kMistake);
  } catch (const Interrupted&) {
    return complain("interrupted; nothing was written", kInterrupted);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", kFailure);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailure);
  }
}

}  // namespace

}  // namespace rigor::cli

int main(int argc, char** argv) { return rigor::cli::guarded({argv + 1, argv + argc}); }
