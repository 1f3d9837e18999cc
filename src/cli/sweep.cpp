// rigor sweep: scenes × methods × parameters × seeds, each run in a separate process, results in a SQLite file.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/hdf5_tables.h"
#include "cli/interrupt.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/sweep_cell.h"
#include "cli/sweep_markdown.h"
#include "cli/sweep_page.h"
#include "cli/sweep_ranks.h"
#include "cli/sweep_results.h"
#include "cli/verbs.h"
#include "io/recording_output.h"
#include "io/scene_parts.h"
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

struct SweepOptions {
  Shard shard;
  std::size_t jobs = 1;
  std::string trajectories;  // folder; empty: none are written
};

class Sweep {
 public:
  /// `results` is null for ranks other than 0.
  Sweep(const SweepSpec& spec, SweepResults* results, const SweepRanks& ranks, const SweepOptions& options)
      : spec_(spec), results_(results), ranks_(ranks), jobs_(options.jobs), trajectories_(options.trajectories) {
    const Shard& shard = options.shard;
    for (std::size_t k = shard.index - 1; k < spec.cells().size(); k += shard.count) wanted_.push_back(k);
  }

  /// For ranks other than 0: runs cells until none is left.
  void run_for_rank_0() {
    const struct End {
      const SweepRanks& ranks;
      ~End() { ranks.end(); }  // also after an exception, or rank 0 would wait
    } end{ranks_};
    for (;;) {
      throw_if_interrupted();
      start_some();
      if (running_.empty()) return;
      collect();
    }
  }

  void run() {
    Progress bar(true);
    const auto begin = Clock::now();
    auto counted = begin;
    const std::size_t before = results_->done();
    std::size_t done = before;
    for (;;) {
      throw_if_interrupted();
      start_some();
      if (running_.empty() && ranks_.busy() == 0) {
        if (from_ == 0) break;
        from_ = 0;  // cells of other processes that have died meanwhile
        start_some();
        if (running_.empty()) break;
      }
      serve_ranks();
      collect();
      const auto now = Clock::now();
      if (now - counted < std::chrono::milliseconds(500)) continue;
      counted = now;
      done = results_->done();
      bar.update(static_cast<double>(done) / static_cast<double>(wanted_.size()), [&] {
        const std::chrono::duration<double> spent = now - begin;
        const double each = done == before ? 0 : spent.count() / static_cast<double>(done - before);
        return fmt::format("{} of {} cells, about {} to go", done, wanted_.size(),
                           duration_text(1e3 * each * static_cast<double>(wanted_.size() - done)));
      });
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  void start_some() {
    while (running_.size() < jobs_) {
      if (results_ ? from_ >= wanted_.size() : is_exhausted_) break;
      const std::optional<std::size_t> number = results_ ? results_->claim(wanted_, from_) : ranks_.ask();
      is_exhausted_ = !number;
      if (!number) break;
      begin(spec_.cells()[*number]);
    }
  }

  /// Starts a cell; one that is refused is a result at once.
  void begin(const SweepCell& cell) {
    RunningCell run(spec_, cell, trajectory_of(cell));
    if (run.descriptor() < 0)
      put(run.result());
    else
      running_.push_back(std::move(run));
  }

  void put(const SweepRow& row) {
    if (results_)
      results_->put(row);
    else
      ranks_.send(row);
  }

  /// Hands out cells to other ranks and stores their results.
  void serve_ranks() {
    while (const std::optional<SweepRanks::Message> message = ranks_.receive()) {
      if (message->kind == SweepRanks::Message::Kind::result) results_->put(message->row);
      if (message->kind == SweepRanks::Message::Kind::asks_for_cell)
        ranks_.answer(message->from, results_->claim(wanted_, from_));
    }
  }

  std::string trajectory_of(const SweepCell& cell) const {
    return trajectories_.empty() ? "" : fmt::format("{}/{:07}.h5", trajectories_, cell.number);
  }

  /// Waits for the first process to answer, but not longer than a heartbeat.
  void collect() {
    std::vector<pollfd> ends;
    for (const RunningCell& r : running_) ends.push_back({r.descriptor(), POLLIN, 0});
    constexpr int kBeat = 10'000, kSoon = 2;  // ms; messages of other ranks are answered soon
    const int ready = poll(ends.data(), ends.size(), ranks_.busy() > 0 ? kSoon : kBeat);
    if (const auto now = Clock::now(); results_ && now - beat_ > std::chrono::milliseconds(kBeat)) {
      results_->beat();
      beat_ = now;
    }
    if (ready <= 0) return;
    for (std::size_t i = running_.size(); i-- > 0;) {
      if (ends[i].revents == 0) continue;
      put(running_[i].result());
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  const SweepSpec& spec_;
  SweepResults* results_;  // null: of rank 0
  const SweepRanks& ranks_;
  bool is_exhausted_ = false;  // no cell was left at the last request
  std::size_t jobs_, from_ = 0;
  std::string trajectories_;
  std::vector<std::size_t> wanted_;
  std::vector<RunningCell> running_;
  Clock::time_point beat_ = Clock::now();
};

SweepSpec read_spec(const std::string& path) {
  try {
    return SweepSpec(read_file(path), std::filesystem::path(path).parent_path().string());
  } catch (const Error& error) {
    throw Error(path, error.what());
  }
}

SweepResults::Source source_of(const SweepSpec& spec) {
  SweepResults::Source source{spec.name(),
                              std::to_string(spec.hash()),
                              RIGOR_VERSION,
                              std::to_string(spec.cells().size()),
                              std::to_string(spec.limit()),
                              {}};
  for (const auto& [scene, hash] : spec.scene_hashes()) source.scenes[scene] = hex(hash);
  return source;
}

/// What the same command does with cells that were killed.
std::string next_time(std::size_t killed, std::size_t given_up) {
  if (given_up == 0) return "the same command runs these again";
  const std::string tries = fmt::format("were killed {} times and are left as they are", SweepResults::kMostKills);
  return given_up == killed ? "they " + tries
                            : fmt::format("{} of them {}; the same command runs the others again", given_up, tries);
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

/// A copy of a file that replaces it with finish(). Without it the file stays as it was, or does not appear.
class Replacement {
 public:
  explicit Replacement(std::string path) : path_(std::move(path)), copy_(path_ + ".new") {
    std::filesystem::remove(copy_);
    if (std::filesystem::exists(path_)) std::filesystem::copy_file(path_, copy_);
  }
  ~Replacement() {
    std::error_code ignored;
    std::filesystem::remove(copy_, ignored);
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  const std::string& copy() const { return copy_; }
  void finish() const { std::filesystem::rename(copy_, path_); }

 private:
  std::string path_, copy_;
};

int merge(const Arguments& arguments) {
  if (arguments.size() < 2) throw Error("sweep merge", "expected OUT.db and the files to merge");
  const Replacement file(arguments[0]);
  std::size_t added = 0, done = 0, all = 0;
  {
    SweepResults out(file.copy(), SweepResults::Open::create_or_continue);
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      const SweepResults part(arguments[i], SweepResults::Open::read);
      try {
        out.begin(part.source());
        part.for_rows([&](const SweepRow& row) { added += out.merge(row) ? 1 : 0; });
      } catch (const Error& error) {
        throw Error("'" + arguments[i] + "' does not fit to the files before it", error.what());
      }
    }
    done = out.done();
    all = out.cells();
  }
  file.finish();
  print(fmt::format("{} added; {} of {} cells are done\n", counted(added, "cell", "cells"), done, all));
  return done == all ? kSuccess : kFailure;
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

int markdown(const Arguments& arguments) {
  if (arguments.empty() || arguments.size() > 2)
    throw Error("sweep markdown", "expected RESULTS.db, optionally followed by PAGE.md");
  const SweepResults results(arguments[0], SweepResults::Open::read);
  if (arguments.size() == 1) {
    print(sweep_markdown(results));
    return kSuccess;
  }
  const std::string text = with_sweep(read_file(arguments[1]), arguments[1], results);
  OutputFile page(arguments[1]);
  page.write(text);
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
  if (!arguments.empty() && arguments[0] == "markdown") return markdown(rest);
  std::string path, out, shard_text, jobs_text = "1", script_kind, trajectories;
  bool dry = false;
  Command command(
      "sweep",
      "Runs scenes × methods × parameters × seeds and keeps the figures of every run in a SQLite file; see "
      "docs/sweep.md.\n"
      "  rigor sweep merge OUT.db A.db B.db   joins the results of shards\n"
      "  rigor sweep report RESULTS.db PAGE.html   tables, a heat map and a profile\n"
      "  rigor sweep markdown RESULTS.db [PAGE.md]   tables in Markdown, or into a page between the marks of the "
      "sweep\n"
      "  rigor sweep table RESULTS.db [--times]   as CSV",
      "  rigor sweep study.json --out study.db --jobs 2\n  rigor sweep study.json --shard 3/10 --out study.db.3\n"
      "  mpirun -n 4 rigor sweep study.json --out study.db\n  rigor sweep report study.db study.html");
  command.app().add_option("SPEC", path, "JSON file that says what to run")->required();
  command.option("--out", out, "file of results; an existing one is continued. SPEC with the ending .db unless given",
                 "FILE.db");
  command.option("--shard", shard_text, "only part I of N, counted from 1", "I/N");
  command.option("--jobs", jobs_text, "number of runs at the same time, 1 unless given", "N");
  command.option("--trajectories", trajectories,
                 "write every step of cell N to FOLDER/N.h5: times, poses and velocities of all bodies", "FOLDER");
  command.option("--print", script_kind,
                 "only print a script that runs the sweep in shards: slurm or parallel; --shard 1/N sets the number",
                 "KIND");
  command.flag("--dry-run", dry, "check the file and print the number of cells");
  if (!command.parse(arguments)) return kSuccess;
  const SweepSpec spec = read_spec(path);
  if (out.empty()) out = std::filesystem::path(path).replace_extension(".db").string();
  if (!trajectories.empty()) spec.check_trajectories();
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
  if (!trajectories.empty()) {
    std::filesystem::create_directories(trajectories);
    make_hdf5_recorder(trajectories + "/" + std::to_string(getpid()) + ".h5", {"bodies"},
                       {});  // Error where it cannot be written
  }
  const SweepRanks ranks;
  const SweepOptions options{shard, jobs, trajectories};
  watch_for_interrupts();
  if (ranks.rank() != 0) {
    Sweep(spec, nullptr, ranks, options).run_for_rank_0();
    return kSuccess;
  }
  SweepResults results(out, SweepResults::Open::create_or_continue);
  results.begin(source_of(spec));
  try {
    Sweep(spec, &results, ranks, options).run();
  } catch (const Interrupted&) {
    std::fputs("rigor: interrupted; the same command continues with the remaining cells\n", stderr);
    return kInterrupted;
  }
  const std::size_t done = results.done(), all = spec.cells().size(), killed = results.killed();
  if (killed > 0) {
    print(fmt::format("{} of {} cells are done, {} killed from outside; {}: {}\n", done, all,
                      counted(killed, "was", "were"), next_time(killed, results.given_up()), out));
    return kFailure;
  }
  const bool is_part = shard.count > 1 || done == all;
  print(fmt::format("{} of {} cells are done: {}{}\n", done, all, out,
                    is_part ? "" : "; other processes work on the rest"));
  return kSuccess;
}

}  // namespace rigor::cli
