#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/fclib_file.h"
#include "cli/numbers.h"
#include "cli/verbs.h"
#include "io/recording_output.h"
#include "io/scene_parts.h"
#include "lab/solve_problem.h"
#include "lab/svg_plot.h"
#include "lcp/contact_file.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

struct Named {
  const char* name;
  const char* unit;
  const Figure ConeFigures::*figure;
};
constexpr Named kFigures[] = {
    {"natural_map", "m/s", &ConeFigures::natural_map}, {"cone_distance", "N s", &ConeFigures::cone},
    {"approach", "m/s", &ConeFigures::approach},       {"signorini", "J", &ConeFigures::signorini},
    {"de_saxce", "J", &ConeFigures::de_saxce},         {"dissipation_deficit", "J", &ConeFigures::dissipation}};

Json to_json(const ProblemSolution& s, bool history) {
  Json figures = {{"relative", s.figures.relative}, {"siconos", s.figures.siconos}};
  for (const Named& n : kFigures) {
    const Figure& f = s.figures.*n.figure;
    figures[n.name] = {{"max", f.max}, {"rms", f.rms}, {"worst_contact", f.worst}, {"unit", n.unit}};
  }
  Json json = {{"solver", s.solver},   {"kind", s.kind},         {"converged", s.converged},
               {"status", s.status},   {"residual", s.reported}, {"iterations", s.iterations},
               {"ms", s.milliseconds}, {"figures", figures}};
  if (history) json["history"] = s.history;
  return json;
}

std::string text_of(const ProblemSolution& s) {
  std::string text = fmt::format("{:<20} {:<13} {:>6} iterations  {:>9}  error {:.2e}", s.solver,
                                 s.converged ? "converged" : "NOT converged", s.iterations,
                                 duration_text(s.milliseconds), s.figures.relative);
  if (!s.converged) text += "  (" + s.status + ")";
  text += "\n";
  for (const Named& n : kFigures) {
    const Figure& f = s.figures.*n.figure;
    text += fmt::format("    {:<20} {:.2e} {:<4} rms {:.2e}", n.name, f.max, n.unit, f.rms);
    if (f.max > 0) text += fmt::format("  worst: contact {}", f.worst);
    text += "\n";
  }
  return text;
}

std::string history_text(const ProblemSolution& s) {
  std::string text;
  for (std::size_t k = 0; k < s.history.size(); ++k) text += fmt::format("{:>8}  {:.6e}\n", k, s.history[k]);
  return text;
}

Plot plot_of(const std::vector<ProblemSolution>& all, const std::string& file) {
  Plot plot{"Convergence", file, "iteration", {}, {}};
  PlotPanel panel{"natural map with de Saxcé's correction", "relative error", {}, false, true};
  for (const ProblemSolution& s : all) {
    PlotLine line{s.solver, s.history};
    for (std::size_t k = 0; k < s.history.size(); ++k) line.x.push_back(static_cast<double>(k + 1));
    if (!s.history.empty()) panel.lines.push_back(line);
    if (line.x.size() > plot.x.size()) plot.x = line.x;
  }
  plot.x_logarithmic = true;
  plot.panels.push_back(panel);
  return plot;
}

ConeProblem read_problem(const std::string& path) {
  if (is_fclib_name(path)) return read_fclib(path).problem();
  try {
    return read_contact_file(read_file(path)).problem();
  } catch (const Error& error) {
    throw Error(path, error.what());
  }
}

Settings settings_from(const std::vector<std::string>& changes) {
  Settings settings;
  for (const std::string& change : changes) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos) throw Error("--set", "expected key=value, got '" + change + "'");
    settings[change.substr(0, equals)] = parse_value(change.substr(equals + 1));
  }
  return settings;
}

}  // namespace

int solve(const Arguments& arguments) {
  std::string file, with = "nsgs", plot, output, repeat = "1";
  std::vector<std::string> changes;
  bool json = false, history = false;
  Command command("solve", "Solves a contact problem from a file and prints the errors of the solution.",
                  "  rigor solve problem.dat --with admm\n  rigor solve problem.dat --with all --plot convergence.svg\n"
                  "  rigor solve problem.dat --with alart-curnier --set tolerance=1e-12 --history");
  command
      .option("FILE", file,
              "a friction-contact problem as plain text (Siconos' format) or in FCLIB's HDF5 (.h5, .hdf5), reduced or "
              "global",
              "FILE")
      ->required();
  command.option("--with", with, "names of cone and LCP solvers, separated by commas, or all", "SOLVER");
  command.app()
      .add_option("--set", changes, "change a parameter of the solver; may be repeated")
      ->type_name("KEY=VALUE");
  command.option("--plot", plot, "draw the error over the iterations as SVG", "FILE");
  command.option("--output", output, "write the problem with the first solver's solution, as plain text, .h5 or .hdf5",
                 "FILE");
  command.option("--repeat", repeat, "solve this many times and print the shortest time", "N");
  command.flag("--history", history, "print the error after every iteration");
  command.flag("--json", json, "print as JSON");
  if (!command.parse(arguments)) return kSuccess;

  const ConeProblem problem = read_problem(file);
  const Settings settings = settings_from(changes);
  const int times = static_cast<int>(count("--repeat", repeat, 1000));
  std::vector<ProblemSolution> all;
  for (const std::string& name : with == "all" ? contact_solvers() : split_at_commas(with))
    all.push_back(solve_problem(problem, name, settings, times));
  if (all.empty()) throw Error("--with", "expected a solver");
  const auto write = [](const std::string& path, const std::string& text) {
    OutputFile out(path);
    out.write(text);
    out.finish();
  };
  if (!plot.empty()) write(plot, render_svg(plot_of(all, std::filesystem::path(file).filename().string())));
  if (!output.empty() && is_fclib_name(output))
    write_fclib(output, problem, all.front().r, std::filesystem::path(file).filename().string());
  else if (!output.empty())
    write(output, write_contact_file(problem, all.front().r));
  if (json) {
    Json list = Json::array();
    for (const ProblemSolution& s : all) list.push_back(to_json(s, history));
    print(Json{{"file", file}, {"contacts", problem.blocks.size()}, {"rows", problem.size()}, {"solutions", list}});
  } else {
    print(
        fmt::format("{}: {}, {} rows\n", file, counted(problem.blocks.size(), "contact", "contacts"), problem.size()));
    for (const ProblemSolution& s : all) print(text_of(s) + (history ? history_text(s) : ""));
  }
  const bool solved = std::all_of(all.begin(), all.end(), [](const ProblemSolution& s) { return s.converged; });
  return solved ? kSuccess : kFailure;
}

}  // namespace rigor::cli
