#include "cli/bench_options.h"
#include "cli/method_options.h"
#include "cli/verbs.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

/// Benchmarks without a scene.
struct OwnBenchmark {
  const char* name;
  void (*run)(const BenchOptions& options);
  bool takes_models = false;  // named after it
};
constexpr OwnBenchmark kOwn[] = {{"collision", bench_collision},  {"sleep", bench_sleep},
                                 {"growth", bench_growth},        {"sizes", bench_sizes},
                                 {"memory", bench_memory},        {"bender-schmitt", bench_joints},
                                 {"batches", bench_batches, true}};

/// Null if scenes are named instead.
const OwnBenchmark* own_benchmark(const std::vector<std::string>& names) {
  for (const OwnBenchmark& own : kOwn)
    if (own.takes_models && !names.empty() && names.front() == own.name) return &own;
  for (const std::string& name : names)
    for (const OwnBenchmark& own : kOwn) {
      if (name != own.name) continue;
      if (names.size() == 1) return &own;
      throw Error("bench", "'" + name + "' is a benchmark, not a scene; run `rigor bench " + name + "` separately");
    }
  return nullptr;
}

}  // namespace

int bench(const Arguments& arguments) {
  BenchOptions options;
  Command command("bench",
                  "Measures speed and quality, optionally beside other engines: interleaved in one run, medians of the "
                  "rounds.",
                  "  rigor bench a-pyramid --against bullet,ode\n"
                  "  rigor bench b-pyramid-3d --method garstenauer --set 'solver.*.lcp.iterations=20' --against ode\n"
                  "  rigor bench collision --against bullet --json\n"
                  "  rigor bench sleep\n"
                  "  rigor bench growth\n"
                  "  rigor bench sizes\n"
                  "  rigor bench memory\n"
                  "  rigor bench bender-schmitt\n"
                  "  rigor bench batches cart-pole ant.xml --against mujoco");
  command.app()
      .add_option(
          "SCENE", options.what,
          "scenes, the benchmark scenes unless given; or one of these: 'collision': time of collision detection alone; "
          "'sleep': time of a step with 1000 boxes asleep and with the same boxes awake; 'growth': time per body in "
          "small and in large piles; 'sizes': time per contact among boxes of equal and of different size; "
          "'memory': bytes of a body and of a contact; "
          "'bender-schmitt': joint trees of that paper; 'batches' [MODEL...]: time and memory of many small worlds "
          "(cart-pole, ant, humanoid, or MJCF files)")
      ->type_name("SCENE");
  add_method_options(command, options.method, options.changes);
  command.option("--against", options.against, "bullet, ode, mujoco, dart: the same scene in these engines", "ENGINES");
  command.option("--peer-iterations", options.peer_iterations, "iterations of the other engines' solvers, 1 to 10000",
                 "N");
  command.option("--threads", options.threads, "most threads that Rigor uses; other engines use one", "N");
  command.option("--worlds", options.worlds, "worlds of a batch, instead of the model's number; for 'batches' only",
                 "N");
  command.option("--steps", options.steps, "steps of a round, instead of the scene's duration", "N");
  command.option("--rounds", options.rounds, "how often everything is repeated, 1 to 1000", "N");
  command.flag("--equal-error", options.equal_error,
               "every engine takes the cheapest step that is as exact as MuJoCo's RK4; for 'batches' only");
  command.flag("--json", options.json, "as JSON");
  if (!command.parse(arguments)) return kSuccess;

  const OwnBenchmark* const own = own_benchmark(options.what);
  if (!options.worlds.empty() && !(own && own->takes_models))
    throw Error("--worlds", "only `rigor bench batches` has worlds");
  if (options.equal_error && !(own && own->takes_models))
    throw Error("--equal-error", "only `rigor bench batches` compares at equal error");
  if (!own) return bench_scenes(options);
  own->run(options);
  return kSuccess;
}

}  // namespace rigor::cli
