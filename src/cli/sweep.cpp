// rigor sweep: scenes × methods × parameters × seeds, each run in a separate process, results in a SQLite file.
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/sweep_page.h"
#include "cli/sweep_results.h"
#include "cli/torture_job.h"
#include "cli/verbs.h"
#include "io/recording_output.h"
#include "io/scene_parts.h"
#include "io/write_parts.h"
#include "rigor/error.h"
#include "rigor/interruption.h"

namespace rigor::cli {

namespace {

/// Part i of n, counted from 1.
struct Shard {
  std::size_t index = 1, count = 1;
};

Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  const std::vector<std::string> parts = split(text, '/');
  if (parts.size() != 2) throw Error("--shard", "expected I/N, such as 3/10");
  const Shard shard{count("--shard", parts[0], 1'000'000), count("--shard", parts[1], 1'000'000)};
  if (shard.index > shard.count) throw Error("--shard", "I is at most N");
  return shard;
}

std::string verdict_of(const TortureResult& result) {
  if (!result.not_built.empty()) return "refused";
  std::string out;
  for (const Finding& finding : result.judgement.findings)
    out += (out.empty() ? "" : " ") + std::string(to_string(finding.verdict));
  return out.empty() ? "fine" : out;
}

/// A cell that runs in another process.
struct Running {
  SweepRow row;
  std::unique_ptr<RunningTorture> run;
};

class Sweep {
 public:
  Sweep(const SweepSpec& spec, SweepResults& results, const Shard& shard, std::size_t jobs)
      : spec_(spec), results_(results), jobs_(jobs) {
    for (std::size_t k = shard.index - 1; k < spec.cells().size(); k += shard.count) wanted_.push_back(k);
  }

  void run() {
    Progress bar(true);
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t before = results_.done();
    for (;;) {
      throw_if_interrupted();
      start_some();
      if (running_.empty() && from_ > 0) {
        from_ = 0;
        start_some();
      }  // cells whose process has died meanwhile
      if (running_.empty()) break;
      collect();
      const std::size_t done = results_.done(), here = done - before;
      const double part = static_cast<double>(done) / static_cast<double>(wanted_.size());
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      bar.update(part, [&] {
        const double rest =
            here == 0 ? 0 : spent.count() / static_cast<double>(here) * static_cast<double>(wanted_.size() - done);
        return fmt::format("{} of {} cells, about {} to go", done, wanted_.size(), duration_text(1e3 * rest));
      });
    }
  }

 private:
  void start_some() {
    while (running_.size() < jobs_) {
      const std::optional<std::size_t> number = results_.claim(wanted_, from_);
      if (!number) break;
      begin(spec_.cells()[*number]);
    }
  }

  /// Starts a cell; a refused scene or method is a result at once.
  void begin(const SweepCell& cell) {
    Running out;
    out.row.cell = cell;
    out.row.version = RIGOR_VERSION;
    try {
      const Scene scene = spec_.scene_of(cell);
      out.row.scene_hash = hex(text_hash(write_scene(scene)));
      out.row.method_json = write_method(scene.method).dump();
      out.run = std::make_unique<RunningTorture>([&] { return judged(scene, rigor_engine("", 1)); }, spec_.limit());
      running_.push_back(std::move(out));
    } catch (const Error& error) {
      out.row.verdict = "refused";
      out.row.report = error.what();
      out.row.state_hash = hex(0);
      results_.put(out.row);
    }
  }

  /// Waits for the first process to answer, but not longer than a heartbeat.
  void collect() {
    std::vector<pollfd> ends;
    for (const Running& r : running_) ends.push_back({r.run->descriptor(), POLLIN, 0});
    constexpr int kBeat = 10'000;  // ms
    const int ready = poll(ends.data(), ends.size(), kBeat);
    if (const auto now = std::chrono::steady_clock::now(); now - beat_ > std::chrono::milliseconds(kBeat)) {
      results_.beat();
      beat_ = now;
    }
    if (ready <= 0) return;
    for (std::size_t i = running_.size(); i-- > 0;) {
      if (ends[i].revents == 0) continue;
      results_.put(finished(running_[i]));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  static SweepRow finished(Running& running) {
    const TortureResult result = running.run->result();
    SweepRow row = std::move(running.row);
    const Judgement& j = result.judgement;
    row.verdict = verdict_of(result);
    row.steps = j.steps;
    row.state_hash = hex(j.hash);
    row.momentum_drift = j.momentum_drift;
    row.energy_excess = j.energy_excess;
    row.penetration = j.penetration;
    row.joint_error = j.joint_error;
    if (!result.not_built.empty())
      row.report = result.not_built;
    else if (!j.reports.empty())
      row.report = j.reports.front();
    else if (j.has(Verdict::crash))
      row.report = j.findings.front().object;
    row.seconds = j.seconds;
    return row;
  }

  const SweepSpec& spec_;
  SweepResults& results_;
  std::size_t jobs_, from_ = 0;
  std::vector<std::size_t> wanted_;
  std::vector<Running> running_;
  std::chrono::steady_clock::time_point beat_ = std::chrono::steady_clock::now();
};

SweepSpec read_spec(const std::string& path) {
  try {
    return SweepSpec(read_file(path), std::filesystem::path(path).parent_path().string());
  } catch (const Error& error) {
    throw Error(path, error.what());
  }
}

/// A script that runs the sweep in shards elsewhere.
std::string script(const std::string& kind, const std::string& spec, const std::string& out, std::size_t shards) {
  const std::string part = out + ".$I";
  if (kind == "parallel")
    return fmt::format(
        "seq {} | parallel 'I={{}}; rigor sweep {} --shard $I/{} --out {}'\nrigor sweep merge {} {}.[0-9]*\n", shards,
        spec, shards, part, out, out);
  if (kind == "slurm")
    return fmt::format(
        "#!/bin/sh\n#SBATCH --job-name=rigor-sweep\n#SBATCH --array=1-{}\n#SBATCH "
        "--cpus-per-task=1\nI=$SLURM_ARRAY_TASK_ID\n"
        "rigor sweep {} --shard $I/{} --out {}\n# afterwards: rigor sweep merge {} {}.[0-9]*\n",
        shards, spec, shards, part, out, out);
  throw Error("--print", "expected slurm or parallel");
}

int merge(const Arguments& arguments) {
  if (arguments.size() < 2) throw Error("sweep merge", "expected OUT.db and the files to merge");
  SweepResults out(arguments[0], SweepResults::Open::create_or_continue);
  std::size_t added = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const SweepResults part(arguments[i], SweepResults::Open::read);
    out.begin(part.name(), std::stoull(part.spec()), part.version(), part.cells());
    part.for_rows([&](const SweepRow& row) { added += out.merge(row) ? 1 : 0; });
  }
  print(fmt::format("{} added; {} of {} cells are done\n", counted(added, "cell", "cells"), out.done(), out.cells()));
  return out.done() == out.cells() ? kSuccess : kFailure;
}

int report(const Arguments& arguments) {
  if (arguments.size() != 2) throw Error("sweep report", "expected RESULTS.db and PAGE.html");
  if (!arguments[1].ends_with(".html")) throw Error("sweep report", "the name of the page must end in .html");
  const SweepResults results(arguments[0], SweepResults::Open::read);
  OutputFile page(arguments[1]);
  page.write(sweep_page(results));
  page.finish();
  return kSuccess;
}

int table(const Arguments& arguments) {
  if (arguments.empty() || arguments.size() > 2 || (arguments.size() == 2 && arguments[1] != "--times"))
    throw Error("sweep table", "expected RESULTS.db, optionally followed by --times");
  print(sweep_csv(SweepResults(arguments[0], SweepResults::Open::read), arguments.size() == 2));
  return kSuccess;
}

}  // namespace

int sweep(const Arguments& arguments) {
  const Arguments rest(arguments.empty() ? arguments.begin() : arguments.begin() + 1, arguments.end());
  if (!arguments.empty() && arguments[0] == "merge") return merge(rest);
  if (!arguments.empty() && arguments[0] == "report") return report(rest);
  if (!arguments.empty() && arguments[0] == "table") return table(rest);
  std::string path, out, shard_text, jobs_text = "1", script_kind;
  bool dry = false;
  Command command(
      "sweep",
      "Runs scenes × methods × parameters × seeds and keeps the figures of every run in a SQLite file; see "
      "docs/sweep.md.\n"
      "  rigor sweep merge OUT.db A.db B.db   joins the results of shards\n"
      "  rigor sweep report RESULTS.db PAGE.html   tables, a heat map and a profile\n"
      "  rigor sweep table RESULTS.db [--times]   as CSV",
      "  rigor sweep study.json --out study.db --jobs 2\n  rigor sweep study.json --shard 3/10 --out study.db.3\n"
      "  mpirun -n 4 rigor sweep study.json --out study.db\n  rigor sweep report study.db study.html");
  command.app().add_option("SPEC", path, "JSON file that says what to run")->required();
  command.option("--out", out, "file of results; an existing one is continued. SPEC with the ending .db unless given",
                 "FILE.db");
  command.option("--shard", shard_text, "only part I of N, counted from 1", "I/N");
  command.option("--jobs", jobs_text, "number of runs at the same time, 1 unless given", "N");
  command.option("--print", script_kind,
                 "only print a script that runs the sweep in shards: slurm or parallel; --shard 1/N sets the number",
                 "KIND");
  command.flag("--dry-run", dry, "check the file and print the number of cells");
  if (!command.parse(arguments)) return kSuccess;
  const SweepSpec spec = read_spec(path);
  if (out.empty()) out = std::filesystem::path(path).replace_extension(".db").string();
  const Shard shard = parse_shard(shard_text);
  const std::size_t jobs = count("--jobs", jobs_text, 1024);
  if (!script_kind.empty()) {
    print(script(script_kind, path, out, shard.count));
    return kSuccess;
  }
  if (dry) {
    print(fmt::format("{}\n", counted(spec.cells().size(), "cell", "cells")));
    return kSuccess;
  }
  SweepResults results(out, SweepResults::Open::create_or_continue);
  results.begin(spec.name(), spec.hash(), RIGOR_VERSION, spec.cells().size());
  watch_for_interrupts();
  try {
    Sweep(spec, results, shard, jobs).run();
  } catch (const Interrupted&) {
    std::fputs("rigor: interrupted; the same command continues with the remaining cells\n", stderr);
    return kInterrupted;
  }
  const std::size_t done = results.done(), all = spec.cells().size();
  const bool is_part = shard.count > 1 || done == all;
  print(fmt::format("{} of {} cells are done: {}{}\n", done, all, out,
                    is_part ? "" : "; other processes work on the rest"));
  return kSuccess;
}

}  // namespace rigor::cli
