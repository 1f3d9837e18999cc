#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/bench_options.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "lab/growth_bench.h"
#include "rigor/error.h"

namespace rigor::cli {

void bench_growth(const BenchOptions& options) {
  if (!options.against.empty() || !options.rounds.empty() || !options.threads.empty() ||
      !options.peer_iterations.empty())
    throw Error("bench growth", "it takes --method, --set, --steps and --json only");
  constexpr int kBodies[] = {1000, 3000, 10000, 30000};
  Method method = default_method();
  change_method(method, options.method, options.changes);
  const int steps = static_cast<int>(count("--steps", options.steps.empty() ? "120" : options.steps, 1'000'000));
  const std::vector<GrowthBenchRow> rows = run_growth_bench(method, kBodies, steps, (steps + 2) / 3);
  const auto growth = [&](const GrowthBenchRow& row) {
    return row.microseconds_per_body() / rows.front().microseconds_per_body();
  };
  if (options.json) {
    Json list = Json::array();
    for (const GrowthBenchRow& row : rows)
      list.push_back({{"bodies", row.bodies},
                      {"contacts", row.contacts},
                      {"ms_per_step", row.milliseconds},
                      {"us_per_body", row.microseconds_per_body()},
                      {"growth", growth(row)}});
    return print(Json{{"method", method_text(method)}, {"steps", steps}, {"rows", list}});
  }
  std::string text =
      fmt::format("a settling pile, method {}, the last third of {} steps\n", method_text(method), steps);
  text +=
      Style().bold(fmt::format("{:>8} {:>9} {:>9} {:>9} {:>7}", "bodies", "contacts", "ms/step", "µs/body", "growth")) +
      "\n";
  for (const GrowthBenchRow& row : rows)
    text += fmt::format("{:>8} {:>9} {:>9.4g} {:>9.4g} {:>7.3g}\n", row.bodies, row.contacts, row.milliseconds,
                        row.microseconds_per_body(), growth(row));
  text += "\nGrowth: the time per body divided by that of the smallest pile.\n";
  print(text);
}

}  // namespace rigor::cli
