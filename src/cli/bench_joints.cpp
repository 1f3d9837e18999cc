#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/bench_options.h"
#include "cli/interrupt.h"
#include "cli/numbers.h"
#include "lab/joint_bench.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

constexpr int kSteps = 30, kRounds = 5;

const char* name_of(JointBenchShape shape) {
  switch (shape) {
    case JointBenchShape::tree: return "tree";
    case JointBenchShape::star: return "star";
    case JointBenchShape::spread: return "spread";
  }
  return "";
}

Json to_json(const JointBenchRow& row) {
  return {{"shape", name_of(row.what.shape)},
          {"joints", row.joints},
          {"tolerance", row.what.tolerance},
          {"method", row.what.at_once ? "bender-schmitt" : "bender"},
          {"steps", row.what.steps},
          {"ms_per_step", row.ms_per_step},
          {"joint_iterations", row.joint_iterations},
          {"velocity_iterations", row.velocity_iterations},
          {"joint_error", row.joint_error}};
}

std::string to_text(const JointBenchRow& row) {
  return fmt::format("{:<5} {:>6} {:>12.0e}  {:<15} {:>10.4g} {:>10.2f} {:>10.2f} {:>11.2e}\n", name_of(row.what.shape),
                     row.joints, row.what.tolerance, row.what.at_once ? "bender-schmitt" : "bender", row.ms_per_step,
                     row.joint_iterations, row.velocity_iterations, row.joint_error);
}

/// Time without the linear system divided by time with it.
double factor(const std::vector<JointBenchRow>& rows, JointBenchShape shape, int levels, double tolerance) {
  double time[2] = {};
  for (const JointBenchRow& row : rows)
    if (row.what.shape == shape && row.what.levels == levels && row.what.tolerance == tolerance)
      time[row.what.at_once ? 1 : 0] = row.ms_per_step;
  return time[0] / time[1];
}

}  // namespace

void bench_joints(const BenchOptions& options) {
  if (!options.method.empty() || !options.changes.empty() || !options.threads.empty() || !options.against.empty() ||
      !options.rounds.empty() || !options.peer_iterations.empty())
    throw Error("bench bender-schmitt", "it takes --steps and --json only");
  const int steps = options.steps.empty() ? kSteps : static_cast<int>(count("--steps", options.steps, 100000));
  watch_for_interrupts();
  if (!options.json)
    print(Style().bold(fmt::format("{:<5} {:>6} {:>12}  {:<15} {:>10} {:>10} {:>10} {:>11}", "shape", "joints",
                                   "tolerance, m", "method", "ms/step", "joint it.", "speed it.", "error, m")) +
          "\n");
  std::vector<JointBenchRow> rows, large;
  const auto run = [&](std::span<const JointBenchCase> cases, std::vector<JointBenchRow>& list) {
    throw_if_interrupted();
    for (const JointBenchRow& row : run_joint_bench(cases, kRounds)) {
      list.push_back(row);
      if (!options.json) print(to_text(row));
    }
  };
  const std::vector<JointBenchCase> tables = bender_tables(steps);
  for (std::size_t i = 0; i + 1 < tables.size(); i += 2) run({&tables[i], 2}, rows);
  std::vector<JointBenchCase> growing;
  for (const int levels : {8, 9, 10, 11, 12}) growing.push_back({JointBenchShape::tree, levels, 1e-6, true, steps});
  run(growing, large);
  const double tree = factor(rows, JointBenchShape::tree, 7, 1e-6), star = factor(rows, JointBenchShape::star, 7, 1e-4);
  const double exact_star = factor(rows, JointBenchShape::star, 7, 1e-6);
  const double spread = factor(rows, JointBenchShape::spread, 7, 1e-4);
  const double exponent = fitted_exponent(large);
  if (options.json) {
    Json list = Json::array();
    for (const auto* part : {&rows, &large})
      for (const JointBenchRow& row : *part) list.push_back(to_json(row));
    return print(Json{{"rows", list},
                      {"factor_tree_127", tree},
                      {"factor_star_127", star},
                      {"factor_star_127_exact", exact_star},
                      {"factor_spread_127", spread},
                      {"exponent", exponent}});
  }
  print(fmt::format(
      "\nIterations per step, of the joints and of their velocities.\nThe linear system is {:.0f} times faster on the "
      "tree of 127 joints at 1e-6 m (the paper: 11), {:.0f} times\non the paper's star at 1e-4 m, whose rods keep "
      "their "
      "places in the tree (the paper: 80), and on a star\nwith all joints at one point {:.0f} times at 1e-4 m and "
      "{:.0f} "
      "times at 1e-6 m. Its time grows with the number of joints to "
      "the power {:.2f} "
      "from 255 to 4095.\n",
      tree, spread, star, exact_star, exponent));
}

}  // namespace rigor::cli
