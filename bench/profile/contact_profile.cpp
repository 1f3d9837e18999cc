// contact_profile PLOT.svg FILE...: contact problems under every cone solver and, where it is installed, under solvers of Siconos; prints the table of
// docs/contact-problems.md and draws the profile of Dolan and Moré (2002): of how many problems a solver takes at most τ times the time of the fastest one.
//
// All solve from zero to a tolerance of 1e-8 by their own measure. A problem counts as solved when the error of Siconos (fc3d_compute_error), evaluated by one code for all, is at
// most 1e-7. The time is what the thread computes, the shortest of three solves, without reading
// the file; run it with OPENBLAS_NUM_THREADS=1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "lab/cpu_clock.h"
#include "lab/performance_profile.h"
#include "lab/solve_problem.h"
#include "lab/svg_plot.h"
#include "lcp/contact_file.h"
#include "rigor/registry.h"

#if RIGOR_HAVE_SICONOS
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>
#endif

using namespace rigor;

namespace {

constexpr double kTolerance = 1e-8, kSolved = 1e-7;
constexpr int kRepeat = 3;

struct Outcome {
  double milliseconds = INFINITY, error = INFINITY;
  bool solved() const { return error <= kSolved; }
};
using Solver = std::function<Outcome(const std::string& file, const ConeProblem& problem)>;

Outcome ours(const std::string& name, const ConeProblem& problem) {
  const ProblemSolution s = solve_problem(problem, name, {{"tolerance", kTolerance}}, kRepeat);
  return {s.milliseconds, s.figures.siconos};
}

#if RIGOR_HAVE_SICONOS
Outcome theirs(int id, int iterations, const std::string& file, const ConeProblem& problem) {
  FrictionContactProblem* p = frictionContact_new_from_filename(file.c_str());
  Outcome outcome;
  std::vector<double> r, u;
  for (int k = 0; k < kRepeat; ++k) {
    SolverOptions* options = solver_options_create(id);
    options->dparam[SICONOS_DPARAM_TOL] = kTolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    r.assign(problem.q.size(), 0), u.assign(problem.q.size(), 0);
    const double before = thread_seconds();
    fc3d_driver(p, r.data(), u.data(), options);
    outcome.milliseconds = std::min(outcome.milliseconds, 1e3 * (thread_seconds() - before));
    solver_options_delete(options);
    if (outcome.milliseconds > 200) break;
  }
  frictionContactProblem_free(p);
  const double error = cone_figures(problem, r).siconos;
  outcome.error = std::isfinite(error) ? error : INFINITY;
  return outcome;
}
#endif

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "contact_profile PLOT.svg FILE...\n");
    return 2;
  }
  std::vector<std::pair<std::string, Solver>> solvers;
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::cone)
      solvers.emplace_back(info.name,
                           [name = info.name](const std::string&, const ConeProblem& p) { return ours(name, p); });
#if RIGOR_HAVE_SICONOS
  const auto add = [&](const char* name, int id, int iterations) {
    solvers.emplace_back(name,
                         [=](const std::string& f, const ConeProblem& p) { return theirs(id, iterations, f, p); });
  };
  add("Siconos nsgs", SICONOS_FRICTION_3D_NSGS, 10000);
  add("Siconos Newton (AC)", SICONOS_FRICTION_3D_NSN_AC, 200);
#endif
  std::vector<std::vector<Outcome>> table;
  fmt::print("| problem | contacts |");
  for (const auto& [name, solve] : solvers) fmt::print(" {} |", name);
  fmt::print("\n| --- | ---: |");
  for (std::size_t i = 0; i < solvers.size(); ++i) fmt::print(" ---: |");
  fmt::print("\n");
  for (int i = 2; i < count; ++i) {
    std::ifstream in(arguments[i]);
    const ContactFile file = read_contact_file(std::string((std::istreambuf_iterator<char>(in)), {}));
    if (file.dimension != 3 || file.global) continue;  // Siconos' solvers of the reduced problem in space
    const ConeProblem problem = file.problem();
    std::vector<Outcome> row;
    for (const auto& [name, solve] : solvers) row.push_back(solve(arguments[i], problem));
    fmt::print("| {} | {} |", std::filesystem::path(arguments[i]).stem().string(), file.contacts);
    for (const Outcome& o : row)
      fmt::print(" {} |", o.solved() ? fmt::format("{:.2g}", o.milliseconds) : fmt::format("– ({:.0e})", o.error));
    fmt::print("\n");
    std::fflush(stdout);
    table.push_back(row);
  }
  std::vector<std::string> names;
  std::vector<std::vector<double>> times;
  for (const auto& [name, solve] : solvers) names.push_back(name);
  for (const auto& row : table) {
    times.emplace_back();
    for (const Outcome& o : row) times.back().push_back(o.solved() ? o.milliseconds : INFINITY);
  }
  const std::vector<ProfileCurve> curves = performance_profile(names, times);
  Plot plot{"Contact problems: performance profile",
            fmt::format("part of {} problems solved within τ times the shortest time; error 1e-8", table.size()),
            "τ: time, relative to the fastest solver",
            profile_axis(2e4),
            {profile_panel("", curves, profile_axis(2e4))}};
  plot.x_logarithmic = true;
  fmt::print("\n| solver | solved | geometric mean of time / fastest |\n| --- | ---: | ---: |\n");
  for (const ProfileCurve& c : curves)
    fmt::print("| {} | {} of {} | {:.2g} |\n", c.method, c.ratios.size(), table.size(), c.mean_ratio());
  std::ofstream(arguments[1]) << render_svg(plot);
}
