#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/fclib_file.h"
#include "cli/interrupt.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "cli/verbs.h"
#include "io/recording_output.h"
#include "lab/contact_capture.h"
#include "lab/solve_problem.h"
#include "lcp/contact_file.h"
#include "rigor/error.h"
#include "rigor/registry.h"
#include "rigor/scene.h"

namespace rigor::cli {

namespace {

void write_problem(const std::string& path, const ConeProblem& problem, const std::vector<double>& solution,
                   const std::string& title) {
  if (is_fclib_name(path)) return write_fclib(path, problem, solution, title);
  OutputFile file(path);
  file.write(write_contact_file(problem, solution));
  file.finish();
}

/// The method whose rows pose the problem. Steps that solve constraints themselves and methods without contacts have no rows; those of nsgs describe the same state.
Method posing_method(const Method& method) {
  const MethodInfo* step = find_method(Kind::stepping, method.stepping.name);
  const bool has_rows = !step || !has_capability(*step, "solves-constraints");
  return has_rows && method.broadphase.name != "none" ? method : preset("nsgs");
}

/// Simulates until `seconds`. Bodies do not sleep, since sleeping bodies have no rows.
Simulation simulate(Scene& scene, double seconds) {
  set(scene.method, "sleep", std::string("never"));
  Simulation simulation(scene.world, scene.method, scene.time);
  watch_for_interrupts();
  for (std::uint64_t i = 0, steps = seconds > 0 ? steps_for(seconds, scene.time.step) : 0; i < steps; ++i) {
    throw_if_interrupted();
    simulation.step();
  }
  return simulation;
}

}  // namespace

int problem(const Arguments& arguments) {
  std::string name, out, at = "0", method, with = "alart-curnier";
  std::vector<std::string> changes;
  bool json = false;
  Command command("problem", "Writes the contact problem of one step of a scene as a file.",
                  "  rigor problem card-house --at 1.5 house.dat\n  rigor problem scene.json --at 0.5 --method nsgs "
                  "--with none out.dat");
  command.option("SCENE", name, "a built-in scene or a file", "SCENE")->required();
  command
      .option("OUT", out,
              "plain text in Siconos' format, or FCLIB's HDF5 for names that end in .h5 or .hdf5; with the solution",
              "OUT")
      ->required();
  command.option("--at", at, "simulate this many seconds first", "T");
  command.option("--with", with, "solver of the solution that is written, or none", "SOLVER");
  add_method_options(command, method, changes);
  command.flag("--json", json, "print as JSON");
  if (!command.parse(arguments)) return kSuccess;

  Scene scene = open_scene(name);
  change_method(scene.method, method, changes);
  const double seconds = number_in("--at", at, 0, 1e6), h = scene.time.step;
  const Simulation simulation = simulate(scene, seconds);
  const Method posing = posing_method(simulation.method());
  const CapturedProblem captured = capture_problem(simulation.world(), posing, simulation.time(), h);
  if (captured.problem.blocks.empty())
    throw Error("--at", fmt::format("nothing touches and no joint acts at {:.6g} s", simulation.time()));
  const ConeProblem contacts = contacts_only(captured);
  if (contacts.blocks.empty()) throw Error("--at", fmt::format("nothing touches at {:.6g} s", simulation.time()));
  ProblemSolution solution;
  if (with != "none") solution = solve_problem(contacts, with, {});
  write_problem(out, contacts, solution.r, fmt::format("{} at {:.6g} s", scene.name, simulation.time()));
  if (json) {
    print(Json{{"file", out},
               {"contacts", contacts.blocks.size()},
               {"time", simulation.time()},
               {"dt", h},
               {"rows_of", posing.preset},
               {"solved", with != "none" && solution.converged},
               {"error", solution.figures.relative}});
  } else {
    print(fmt::format("{}: {} at {:.6g} s{}\n", out, counted(contacts.blocks.size(), "contact", "contacts"),
                      simulation.time(),
                      with == "none" ? "" : fmt::format(", solved by {} to {:.2e}", with, solution.figures.relative)));
  }
  return with == "none" || solution.converged ? kSuccess : kFailure;
}

}  // namespace rigor::cli
