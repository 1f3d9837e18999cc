#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/bench_options.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "lab/sleep_bench.h"
#include "rigor/error.h"

namespace rigor::cli {

void bench_sleep(const BenchOptions& options) {
  if (!options.against.empty() || !options.rounds.empty() || !options.threads.empty() ||
      !options.peer_iterations.empty())
    throw Error("bench sleep", "it takes --method, --set, --steps and --json only");
  constexpr int kBodies = 1000;
  Method method = default_method();
  change_method(method, options.method, options.changes);
  const int steps = static_cast<int>(count("--steps", options.steps.empty() ? "200" : options.steps, 1'000'000));
  const SleepBenchResult r = run_sleep_bench(method, kBodies, steps);
  if (options.json)
    return print(Json{{"bodies", r.bodies},
                      {"asleep", r.asleep},
                      {"method", method_text(method)},
                      {"ms_per_step", {{"awake", r.awake}, {"sleeping", r.sleeping}}},
                      {"share", r.share()}});
  print(fmt::format(
      "{} boxes at rest in piles of two, method {}\nawake      {:.4g} ms per step\nsleeping   {:.4g} ms per step "
      "({} asleep), {:.2g} % of that\n",
      r.bodies, method_text(method), r.awake, r.sleeping, r.asleep, 100 * r.share()));
}

}  // namespace rigor::cli
