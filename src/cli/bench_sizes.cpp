#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/bench_options.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "lab/size_bench.h"
#include "rigor/error.h"

namespace rigor::cli {

void bench_sizes(const BenchOptions& options) {
  if (!options.against.empty() || !options.rounds.empty() || !options.threads.empty() ||
      !options.peer_iterations.empty())
    throw Error("bench sizes", "it takes --method, --set, --steps and --json only");
  constexpr int kBodies = 2000;
  Method method = default_method();
  change_method(method, options.method, options.changes);
  const int steps = static_cast<int>(count("--steps", options.steps.empty() ? "360" : options.steps, 1'000'000));
  const std::vector<SizeBenchRow> rows = run_size_bench(method, kBodies, steps, (steps + 2) / 3);
  const auto touches = [](const SizeBenchRow& row) { return row.contacts > 0; };
  if (!std::all_of(rows.begin(), rows.end(), touches))
    throw Error("bench sizes", "nothing touches in these steps under this method; take more steps or another method");
  const auto ratio = [&](const SizeBenchRow& row) {
    return row.microseconds_per_contact() / rows.front().microseconds_per_contact();
  };
  if (options.json) {
    Json list = Json::array();
    for (const SizeBenchRow& row : rows)
      list.push_back({{"sides", {row.smallest, row.largest}},
                      {"pairs", row.pairs},
                      {"contacts", row.contacts},
                      {"ms_per_step", row.milliseconds},
                      {"us_per_contact", row.microseconds_per_contact()},
                      {"ratio", ratio(row)}});
    return print(
        Json{{"method", method_text(method)}, {"bodies", kBodies}, {"steps", steps}, {"rows", std::move(list)}});
  }
  std::string text = fmt::format("settling piles of {} boxes, method {}, the last third of {} steps\n", kBodies,
                                 method_text(method), steps);
  text += Style().bold(fmt::format("{:>12} {:>8} {:>9} {:>9} {:>11} {:>6}", "sides, m", "pairs", "contacts", "ms/step",
                                   "µs/contact", "ratio")) +
          "\n";
  for (const SizeBenchRow& row : rows)
    text += fmt::format("{:>5.3g} … {:>4.3g} {:>8} {:>9} {:>9.4g} {:>11.4g} {:>6.3g}\n", row.smallest, row.largest,
                        row.pairs, row.contacts, row.milliseconds, row.microseconds_per_contact(), ratio(row));
  text += "\nRatio: the time per contact point divided by that of equal boxes.\n";
  print(text);
}

}  // namespace rigor::cli
