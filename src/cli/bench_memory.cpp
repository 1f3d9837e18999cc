#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/bench_options.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "lab/memory_bench.h"
#include "rigor/error.h"

namespace rigor::cli {

void bench_memory(const BenchOptions& options) {
  if (!options.against.empty() || !options.rounds.empty() || !options.threads.empty() ||
      !options.peer_iterations.empty())
    throw Error("bench memory", "it takes --method, --set, --steps and --json only");
  constexpr std::size_t kBodies = 2000;
  Method method = default_method();
  change_method(method, options.method, options.changes);
  const int steps = static_cast<int>(count("--steps", options.steps.empty() ? "20" : options.steps, 1'000'000));
  const MemoryBenchRow row = run_memory_bench(method, kBodies, steps);
  if (options.json)
    return print(Json{{"method", method_text(method)},
                      {"bodies", row.bodies},
                      {"contacts", row.contacts},
                      {"steps", steps},
                      {"bytes_per_body", row.per_body},
                      {"bytes_per_contact", row.per_contact}});
  print(fmt::format("{} and {} boxes, method {}, after {} steps\n{:.0f} bytes per body\n", kBodies, row.bodies,
                    method_text(method), steps, row.per_body));
  if (row.contacts > 0) print(fmt::format("{:.0f} bytes per contact of four points\n", row.per_contact));
}

}  // namespace rigor::cli
