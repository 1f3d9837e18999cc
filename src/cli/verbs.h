// The verbs of the `rigor` program. Each takes the arguments after its name and returns the exit code; mistakes of the user
// are thrown as Error.
#pragma once

#include "cli/command.h"

namespace rigor::cli {

int run(const Arguments& arguments);
int view(const Arguments& arguments);
int methods(const Arguments& arguments);
int scenes(const Arguments& arguments);
int check(const Arguments& arguments);
int convert(const Arguments& arguments);
int replay(const Arguments& arguments);
int schema(const Arguments& arguments);
int compare(const Arguments& arguments);
int bench(const Arguments& arguments);
int robustness(const Arguments& arguments);
int torture(const Arguments& arguments);
int sweep(const Arguments& arguments);
int reference(const Arguments& arguments);
int solve(const Arguments& arguments);
int problem(const Arguments& arguments);
int demo(const Arguments& arguments);

struct Verb {
  const char* name;
  const char* summary;
  int (*call)(const Arguments&);
};

inline constexpr Verb kVerbs[] = {
    {"run", "simulate a scene, report on it, record or plot it", run},
    {"view", "show a scene in the browser: run it, touch it, change its method", view},
    {"methods", "list all methods, or describe one: paper, parameters, limits", methods},
    {"scenes", "list the built-in scenes", scenes},
    {"check", "validate a scene and report mistakes with their place", check},
    {"replay", "summarise a recording, simulate it again and compare", replay},
    {"convert", "convert a scene, a model or a recording to another format", convert},
    {"schema", "print the JSON Schema of scene files", schema},
    {"compare", "compare methods on one scene: a table, a page with plots and stills", compare},
    {"bench", "measure speed, optionally beside other engines", bench},
    {"robustness", "run scenes that break engines under every preset", robustness},
    {"torture", "run random worlds under any method and judge energy, penetration, joints and rest", torture},
    {"sweep", "run scenes × methods × parameters × seeds, on one machine or many", sweep},
    {"reference", "measure the errors of every method on problems with known solutions", reference},
    {"solve", "solve a contact problem from a file and print the errors", solve},
    {"problem", "write the contact problem of one step as a file", problem},
    {"demo", "run one tumbling body under every integrator; the default without a verb", demo},
};

}  // namespace rigor::cli
