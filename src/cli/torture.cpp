// Runs random worlds under any method or engine: failure rates by class and verdict, failing worlds as files.
#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/interrupt.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "cli/torture_files.h"
#include "cli/torture_table.h"
#include "cli/verbs.h"
#include "io/method_text.h"
#include "io/recording_output.h"
#include "lab/preset_lists.h"
#include "lab/torture/torture_run.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

constexpr std::uint64_t kMostSeed = 1'000'000'000'000;

struct Options {
  std::string classes, worlds, seed, methods, against, jobs = "1", limit = "20", refine = "1";
  std::string failures, show, scene, threads;
  std::vector<std::string> changes;
  bool json = false, markdown = false, far_body = false, shrink = false;

  bool compares() const { return far_body || !threads.empty(); }
};

const WorldClass& class_of(const std::string& option, const std::string& name) {
  try {
    return find_world_class(name);
  } catch (const Error& error) {
    throw Error(option, error.what());
  }
}

/// The names of a list. Error when a name is in it twice.
std::vector<std::string> distinct(const std::string& option, const std::string& text) {
  std::vector<std::string> names = split_at_commas(text);
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name)
      throw Error(option, "'" + short_text(*name) + "' is given twice");
  return names;
}

std::vector<const WorldClass*> classes_of(const std::string& text) {
  std::vector<const WorldClass*> classes;
  for (const std::string& name : distinct("--classes", text)) classes.push_back(&class_of("--classes", name));
  if (classes.empty())
    for (const WorldClass& kind : world_classes()) classes.push_back(&kind);
  return classes;
}

std::vector<TortureContestant> contestants_of(const Options& options) {
  std::vector<TortureContestant> all;
  std::vector<std::string> names =
      options.methods == "all" ? contact_presets() : distinct("--methods", options.methods);
  if (names.empty() && options.against.empty()) names.push_back(default_method().preset);
  for (const std::string& name : names) {
    Method method = default_method();
    change_method(method, name, options.changes);
    all.push_back({options.changes.empty() ? name : method_text(method), method, rigor_engine(name, 1)});
  }
  for (const std::string& name : distinct("--against", options.against))
    all.push_back({name, default_method(), peer_engine(name, {})});
  return all;
}

std::vector<TortureJob> jobs_of(const Options& options, const std::vector<TortureContestant>& contestants) {
  const int refinement = static_cast<int>(count("--refine", options.refine, 1000));
  std::vector<TortureJob> jobs;
  if (!options.show.empty()) {
    const std::size_t slash = options.show.find('/');
    if (slash == std::string::npos) throw Error("--show", "expected a class and a seed, such as joints/17");
    const WorldClass& kind = class_of("--show", options.show.substr(0, slash));
    const std::uint64_t seed = count("--show", options.show.substr(slash + 1), kMostSeed);
    for (const TortureContestant& contestant : contestants) jobs.push_back({&kind, seed, &contestant, refinement});
    return jobs;
  }
  const std::uint64_t first = options.seed.empty() ? 1 : count("--seed", options.seed, kMostSeed);
  const std::uint64_t worlds = options.worlds.empty() ? 50 : count("--worlds", options.worlds, 10'000'000);
  for (const WorldClass* kind : classes_of(options.classes))
    for (std::uint64_t i = 0; i < worlds; ++i)
      for (const TortureContestant& contestant : contestants)
        jobs.push_back({kind, first + i, &contestant, refinement});
  return jobs;
}

/// With and without a far body, and once for each number of threads.
std::function<TortureResult(const TortureJob&)> comparison(const Options& options) {
  std::vector<int> threads;
  for (const std::string& text : distinct("--threads", options.threads))
    threads.push_back(static_cast<int>(count("--threads", text, 1024)));
  const bool far_body = options.far_body;
  return [threads, far_body](const TortureJob& job) {
    const Scene scene = scene_of(job);
    const std::size_t bodies = moving_bodies(scene.world).size();
    std::vector<std::function<std::uint64_t()>> runs;
    for (const int n : threads)
      runs.emplace_back([&, n] { return trajectory_hash(scene, rigor_engine(job.contestant->name, n), bodies); });
    if (runs.empty()) runs.emplace_back([&] { return trajectory_hash(scene, job.contestant->engine, bodies); });
    if (far_body)
      runs.emplace_back([&] { return trajectory_hash(with_far_body(scene), job.contestant->engine, bodies); });
    return hashed(runs);
  };
}

void add_options(Command& command, Options& o) {
  command.option("--classes", o.classes, "run these classes of worlds only, separated by commas", "A,B");
  command.option("--worlds", o.worlds, "worlds of each class, 50 unless given", "N");
  command.option("--seed", o.seed, "seed of the first world, 1 unless given", "N");
  command.option("--methods", o.methods, "presets, separated by commas, or all; the default method unless given",
                 "A,B");
  command.option("--against", o.against, "other engines, separated by commas: bullet, ode, mujoco, dart", "A,B");
  command.app()
      .add_option("--set", o.changes, "change one part of every method; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.option("--jobs", o.jobs, "number of runs at the same time, 1 unless given", "N");
  command.option("--limit", o.limit, "seconds of computing after which a run counts as hung, 20 unless given", "S");
  command.option("--refine", o.refine, "divide the step of every world by this, 1 unless given", "N");
  command.option("--show", o.show, "run one world only and print all details", "CLASS/SEED");
  command.option("--scene", o.scene, "with --show: write the world as a scene file", "FILE.json");
  command.option("--failures", o.failures, "write every world that fails as a scene file into this folder", "FOLDER");
  command.flag("--shrink", o.shrink, "with --failures: also the smallest world that still fails in the same way");
  command.flag("--far-body", o.far_body, "compare each run with one that has a sphere 7 km away, bit by bit");
  command.option("--threads", o.threads, "compare runs with these numbers of threads, bit by bit", "1,2,8");
  command.flag("--markdown", o.markdown, "rates of all methods and engines as a table in Markdown");
  command.flag("--json", o.json, "as JSON: a list of {class, seed, method, failed, findings, not_built, killed, …}");
}

void check_options(const Options& o) {
  if (o.shrink && o.failures.empty()) throw Error("--shrink", "--failures names the folder for the shrunk worlds");
  if (!o.scene.empty() && o.show.empty()) throw Error("--scene", "--show names the world");
  if (!o.show.empty() && !(o.worlds + o.seed + o.classes).empty())
    throw Error("--show", "it chooses one world; leave out --worlds, --seed and --classes");
  if (o.compares() && !o.against.empty())
    throw Error("--far-body and --threads compare runs of Rigor only; leave out --against");
  if (o.compares() && !o.failures.empty())
    throw Error("--far-body and --threads compare runs and do not judge them; leave out --failures");
  if (o.markdown && (o.json || o.compares() || !o.show.empty()))
    throw Error("--markdown", "it excludes --json, --show, --far-body and --threads");
  if (!o.changes.empty() && o.methods.empty() && !o.against.empty())
    throw Error("--set", "it changes methods of Rigor, and --against names other engines only; --methods chooses them");
}

}  // namespace

int torture(const Arguments& arguments) {
  Options o;
  Command command("torture", "Runs random worlds under any method or engine and judges them; see docs/torture.md.",
                  "  rigor torture --worlds 100 --jobs 2\n"
                  "  rigor torture --classes joints,loops --methods soft-step,tgs --failures failed\n"
                  "  rigor torture --methods all --against bullet,ode --worlds 20 --markdown\n"
                  "  rigor torture --show everyday/12 --scene twelve.json\n"
                  "  rigor torture --far-body --threads 1,2,8 --worlds 20");
  add_options(command, o);
  if (!command.parse(arguments)) return kSuccess;
  check_options(o);
  const std::vector<TortureContestant> contestants = contestants_of(o);
  const std::vector<TortureJob> jobs = jobs_of(o, contestants);
  const TortureLimits limits{static_cast<std::size_t>(count("--jobs", o.jobs, 256)),
                             static_cast<int>(count("--limit", o.limit, 100'000))};
  if (!o.failures.empty()) prepare_folder("--failures", o.failures);
  watch_for_interrupts();
  std::optional<OutputFile> scene_file;  // opened before the run, so that a wrong path is found at once
  if (!o.scene.empty()) scene_file.emplace(o.scene);
  const auto judge = [](const TortureJob& job) { return judged(scene_of(job), job.contestant->engine); };
  const std::vector<TortureResult> results =
      o.compares() ? run_jobs(jobs, limits, comparison(o)) : run_jobs(jobs, limits, judge);
  if (o.json)
    print(torture_json(jobs, results));
  else if (o.markdown)
    print(torture_markdown(jobs, results, limits.seconds));
  else
    print(o.compares() ? comparison_table(jobs, results) : torture_table(jobs, results));
  if (!o.show.empty() && !o.json) print(world_text(scene_of(jobs.front())));
  if (scene_file) write_scene(*scene_file, scene_of(jobs.front()));
  if (!o.failures.empty()) write_failures(o.failures, jobs, results, contestants.size() > 1);
  if (o.shrink) print(shrink_failures(o.failures, jobs, results, contestants.size() > 1, limits.seconds));
  return kSuccess;
}

}  // namespace rigor::cli
