// Random worlds under any method, each in a process of its own: what crashes or hangs is a verdict, not the end of the table.
#include <fmt/format.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/method_options.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/torture_job.h"
#include "cli/torture_table.h"
#include "cli/verbs.h"
#include "lab/torture/world_classes.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

struct Options {
  std::string classes, worlds = "50", seed = "1", methods = "soft-step", jobs = "1", limit = "20", refine = "1";
  std::vector<std::string> changes;
  bool json = false;
};

std::vector<const WorldClass*> classes_of(const std::string& text) {
  std::vector<const WorldClass*> classes;
  for (const std::string& name : split_at_commas(text)) try {
      classes.push_back(&find_world_class(name));
    } catch (const Error& error) {
      throw Error("--classes", error.what());
    }
  if (classes.empty())
    for (const WorldClass& kind : world_classes()) classes.push_back(&kind);
  return classes;
}

std::vector<TortureContestant> contestants_of(const Options& options) {
  std::vector<TortureContestant> all;
  for (const std::string& name : split_at_commas(options.methods)) {
    Method method = default_method();
    change_method(method, name, options.changes);
    all.push_back({name, method, rigor_engine(name, 1)});
  }
  return all;
}

std::vector<TortureJob> jobs_of(const Options& options, const std::vector<TortureContestant>& contestants) {
  const std::uint64_t first = count("--seed", options.seed, 1'000'000'000'000);
  const std::uint64_t worlds = count("--worlds", options.worlds, 10'000'000);
  const int refinement = static_cast<int>(count("--refine", options.refine, 1000));
  std::vector<TortureJob> jobs;
  for (const WorldClass* kind : classes_of(options.classes))
    for (std::uint64_t i = 0; i < worlds; ++i)
      for (const TortureContestant& contestant : contestants)
        jobs.push_back({kind, first + i, &contestant, refinement});
  return jobs;
}

/// In order; as many at the same time as wanted.
std::vector<TortureResult> run_all(const std::vector<TortureJob>& jobs, std::size_t at_once, int limit) {
  std::vector<TortureResult> results;
  std::deque<RunningTorture> running;
  std::size_t next = 0;
  Progress bar(true);
  while (results.size() < jobs.size()) {
    throw_if_interrupted();
    for (; next < jobs.size() && running.size() < at_once; ++next) running.emplace_back(jobs[next], limit);
    results.push_back(running.front().result());
    running.pop_front();
    bar.update(static_cast<double>(results.size()) / static_cast<double>(jobs.size()),
               [&] { return fmt::format("{} of {} runs", results.size(), jobs.size()); });
  }
  return results;
}

}  // namespace

int torture(const Arguments& arguments) {
  Options o;
  Command command(
      "torture", "Runs random worlds under any method and judges what becomes of them.",
      "  rigor torture --worlds 100 --jobs 2\n  rigor torture --classes joints,loops --methods soft-step,tgs\n");
  command.option("--classes", o.classes, "these classes of worlds only, separated by commas", "A,B");
  command.option("--worlds", o.worlds, "worlds of each class, 50 unless given", "N");
  command.option("--seed", o.seed, "seed of the first world, 1 unless given", "N");
  command.option("--methods", o.methods, "presets, separated by commas; the default method unless given", "A,B");
  command.app()
      .add_option("--set", o.changes, "change one part of every method; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.option("--jobs", o.jobs, "runs at the same time, 1 unless given", "N");
  command.option("--limit", o.limit, "seconds of computing after which a run hangs, 20 unless given", "S");
  command.option("--refine", o.refine, "divide the step of every world by this, 1 unless given", "N");
  command.flag("--json", o.json, "as JSON");
  if (!command.parse(arguments)) return kSuccess;
  const std::vector<TortureContestant> contestants = contestants_of(o);
  const std::vector<TortureJob> jobs = jobs_of(o, contestants);
  const auto at_once = static_cast<std::size_t>(count("--jobs", o.jobs, 256));
  const int limit = static_cast<int>(count("--limit", o.limit, 100'000));
  watch_for_interrupts();
  const std::vector<TortureResult> results = run_all(jobs, at_once, limit);
  if (o.json)
    print(torture_json(jobs, results));
  else
    print(torture_table(jobs, results));
  return kSuccess;
}

}  // namespace rigor::cli
