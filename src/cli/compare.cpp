// `rigor compare`: several methods on one scene.
#include "lab/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/compare_entries.h"
#include "cli/interrupt.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/replay_output.h"
#include "cli/run_report.h"
#include "cli/verbs.h"
#include "io/recording_output.h"
#include "io/scene_limits.h"
#include "lab/compare_report.h"
#include "lab/compare_verdict.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

/// JSON has no infinite numbers: figures of a method that blew up become null.
Json with_nulls(Json value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return nullptr;
  if (!value.is_structured()) return value;
  for (Json& element : value) element = with_nulls(std::move(element));
  return value;
}

constexpr std::uint64_t kMostSteps = 10'000'000, kMostThreads = 1024;
constexpr std::size_t kMostStills = 12;
constexpr int kStills = 5;
constexpr std::size_t kMostReplayed = 4;  // views of the page

struct CompareArguments {
  std::string scene, methods, reference, report, replay, seconds, steps, dt, threads,
      stills;  // as typed; empty: not given
  bool json = false, quick = false;
};

bool parse(const Arguments& arguments, CompareArguments& a) {
  Command command("compare",
                  "Runs several methods, and optionally other engines, on one scene from the same initial state.",
                  "  rigor compare seesaw --methods garstenauer,guendelman,soft-step,bullet --report out.html\n"
                  "  rigor compare chain --methods 'garstenauer,garstenauer:solver.*.lcp.iterations=50' --quick\n"
                  "  rigor compare scene.json --methods scene,scene:integrator=rk4,ode:iterations=50 --json\n"
                  "  rigor compare --profile --methods soft-step,tgs,sap --report profile.html   (--profile --help)");
  command.option("SCENE", a.scene, "a built-in scene or a file (.json)", "SCENE")->required();
  command
      .option("--methods", a.methods,
              "presets, other engines, or 'scene' for the scene's own method, each with changes behind colons: "
              "NAME:KEY=VALUE:KEY=VALUE",
              "A,B,…")
      ->required();
  command.option("--report", a.report, "write a page with plots and stills that needs no network", "FILE.html");
  command.option("--replay", a.replay,
                 "write a page that plays up to four methods side by side in any browser; without other engines",
                 "FILE.html");
  command.option("--reference", a.reference,
                 "method whose run at 1/16 of the step is the reference; the first unless given", "METHOD");
  command.option("--seconds", a.seconds, "simulated time", "S");
  command.option("--steps", a.steps, "number of steps, instead of --seconds", "N");
  command.option("--dt", a.dt, "size of a step in seconds, such as 0.01 or 1/60", "S");
  command.option("--stills", a.stills, "instants to draw in the report, in seconds", "T,T,…");
  command.option("--threads", a.threads, "number of runs at the same time; as many as there are cores unless given",
                 "N");
  command.flag("--quick", a.quick,
               "leave out the runs at smaller steps, and with them the reference and the work-precision diagram");
  command.flag("--json", a.json, "print the figures as JSON");
  return command.parse(arguments);
}

struct Prepared {
  std::vector<CompareEntry> entries;
  std::vector<std::pair<std::string, std::string>> refused;
  CompareOptions options;
  std::vector<double> stills;
};

/// Entries that cannot be built with this scene are left out, with their sentence.
void add_entries(const CompareArguments& a, const Scene& scene, Prepared& p) {
  for (const std::string& name : compared_names(a.methods)) {
    CompareEntry entry = entry_of(name, scene);
    try {
      if (!entry.engine.make) throw Error("this program was built without it");
      entry.engine.make(entry.scene);
    } catch (const Error& error) {
      p.refused.emplace_back(name, error.what());
      continue;
    }
    p.entries.push_back(std::move(entry));
  }
  if (p.entries.empty())
    throw Error("--methods",
                "none can simulate this scene; " + p.refused.front().first + ": " + p.refused.front().second);
}

std::size_t reference_of(const CompareArguments& a, const Prepared& p) {
  if (a.reference.empty()) return 0;
  if (a.quick) throw Error("--reference and --quick exclude each other");
  std::vector<std::string> names;
  for (std::size_t k = 0; k < p.entries.size(); ++k) {
    if (p.entries[k].name == a.reference) return k;
    names.push_back(p.entries[k].name);
  }
  throw Error("--reference", unknown_name("method of the comparison", short_text(a.reference), names));
}

std::vector<double> stills_of(const CompareArguments& a, double duration) {
  std::vector<double> times;
  if (a.stills.empty()) {
    for (int i = 0; i < kStills; ++i) times.push_back(duration * i / (kStills - 1));
    return times;
  }
  return numbers_in("--stills", a.stills, 0, duration, kMostStills);
}

Prepared prepare(const CompareArguments& a) {
  if (!a.seconds.empty() && !a.steps.empty()) throw Error("--seconds and --steps exclude each other");
  if (!a.stills.empty() && a.report.empty()) throw Error("--stills needs --report");
  if (!a.report.empty() && !a.report.ends_with(".html"))
    throw Error("--report", "the name must end in .html, got '" + short_text(a.report) + "'");
  check_replay_name(a.replay);
  if (!a.replay.empty() && a.replay == a.report) throw Error("--report and --replay name the same file");
  Scene scene = open_scene(a.scene);
  if (!a.dt.empty()) scene.time.step = number_in("--dt", a.dt, kStepRange.min, kStepRange.max);
  if (!a.seconds.empty()) scene.duration = number_in("--seconds", a.seconds, kDurationRange.min, kDurationRange.max);
  Prepared p;
  p.options.steps =
      a.steps.empty() ? steps_for(scene.duration, scene.time.step) : count("--steps", a.steps, kMostSteps);
  if (p.options.steps > kMostSteps)
    throw Error("--seconds", fmt::format("at most {} steps can be compared", kMostSteps));
  scene.duration = static_cast<double>(p.options.steps) * scene.time.step;
  add_entries(a, scene, p);
  p.options.precision = !a.quick;
  p.options.reference = reference_of(a, p);
  p.options.threads = a.threads.empty() ? static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))
                                        : static_cast<int>(count("--threads", a.threads, kMostThreads));
  p.options.interruption = &interruption();
  p.stills = stills_of(a, scene.duration);
  return p;
}

Json to_json(const Prepared& p, const CompareResult& result) {
  const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); };
  Json methods = Json::array(), refused = Json::array();
  for (std::size_t k = 0; k < p.entries.size(); ++k) {
    const CompareResult::Row& row = result.rows[k];
    const std::optional<ContactWork> work = relative_contact_work(row.run);
    Json precision = Json::array();
    for (const PrecisionPoint& point : row.precision)
      precision.push_back({{"dt", p.entries[k].scene.time.step / point.refinement},
                           {"seconds", point.seconds},
                           {"error", number(point.error)},
                           {"own_error", number(point.own_error)},
                           {"natural_map", number(point.natural_map)}});
    methods.push_back({{"name", p.entries[k].name},
                       {"method", p.entries[k].method},
                       {"asleep", row.run.asleep},
                       {"ms_per_step", {{"median", row.run.step_times.median}, {"p95", row.run.step_times.p95}}},
                       {"energy_drift", number(row.energy_drift)},
                       {"energy_gained", number(energy_gained(row.run.motion))},
                       {"energy_lost", number(energy_lost(row.run.motion))},
                       {"energy_taken_in_impacts", work ? number(work->impacts) : Json(nullptr)},
                       {"energy_taken_by_friction", work ? number(work->friction) : Json(nullptr)},
                       {"penetration", largest(row.run.penetration)},
                       {"joint_error", largest(row.run.joint_error)},
                       {"truth", truth_json(row.run.truth)},
                       {"residuals", row.residuals},
                       {"precision", precision},
                       {"trouble", row.run.trouble},
                       {"reports", row.run.reports}});
  }
  for (const auto& [name, why] : p.refused) refused.push_back({{"name", name}, {"reason", why}});
  return {{"scene", p.entries.front().scene.name},
          {"dt", p.entries.front().scene.time.step},
          {"steps", p.options.steps},
          {"reference", p.options.precision ? Json(p.entries[p.options.reference].name) : Json(nullptr)},
          {"reference_blur", number(reference_blur(result, p.options))},
          {"verdict", compare_verdict({p.entries, p.options, result, p.refused, {}})},
          {"methods", methods},
          {"refused", refused}};
}

/// The reference of the distances, and which of them are significant.
std::string distance_words(const Prepared& p, const CompareResult& result) {
  const std::string& name = p.entries[p.options.reference].name;
  const double blur = reference_blur(result, p.options);
  std::string text = fmt::format(
      "\nDistance: of the bodies from {} at 1/{} of the step, which is not the exact motion; root mean square over the "
      "run.",
      name, kReferenceRefinement);
  if (std::isfinite(blur))
    text += fmt::format(
        " From 1/{} to 1/{} of the step {} itself still moves by {:.3g} m: distances of this size are not significant.",
        kReferenceRefinement / 2, kReferenceRefinement, name, blur);
  return text;
}

std::string to_text(const Prepared& p, const CompareResult& result) {
  std::string verdict;
  for (const std::string& sentence : compare_verdict({p.entries, p.options, result, p.refused, {}}))
    verdict += printable_text(sentence) + "\n";
  std::size_t width = 6;
  for (const CompareEntry& e : p.entries) width = std::max(width, e.name.size());
  std::string text =
      verdict + "\n" +
      Style().bold(fmt::format("{:<{}} {:>10} {:>10} {:>12} {:>12} {:>12} {:>12}", "method", width, "step time", "p95",
                               "energy drift", "penetration", "joint error", p.options.precision ? "distance" : "")) +
      "\n";
  for (std::size_t k = 0; k < p.entries.size(); ++k) {
    const CompareResult::Row& row = result.rows[k];
    text += fmt::format("{:<{}} {:>10} {:>10} ", p.entries[k].name, width, duration_text(row.run.step_times.median),
                        duration_text(row.run.step_times.p95));
    if (!row.run.trouble.empty()) {
      text += row.run.trouble + "\n";
      continue;
    }
    text += fmt::format("{:>12.2e} {:>9.3g} mm {:>9.3g} mm", row.energy_drift, 1e3 * largest(row.run.penetration),
                        1e3 * largest(row.run.joint_error));
    if (!row.precision.empty() && std::isfinite(row.precision.front().error))
      text += fmt::format(" {:>10.3g} m", row.precision.front().error);
    text += "\n";
  }
  text += "\n";
  for (const auto& [name, why] : p.refused) text += name + " does not take part: " + printable_text(why) + "\n";
  for (std::size_t k = 0; k < p.entries.size(); ++k)
    for (const std::string& report : result.rows[k].run.reports)
      text += p.entries[k].name + ": " + printable_text(report) + "\n";
  text += "Largest figures of the run; step times are computing time, medians.";
  if (p.options.precision) text += distance_words(p, result);
  return text + "\n";
}

CompareResult run_with_progress(const Prepared& p) {
  Progress bar(true);
  CompareOptions options = p.options;
  options.progress = [&](const CompareProgress& now) {
    const auto run = [&] {
      const std::string& name = p.entries[now.entry].name;
      return now.refinement == 1 ? name : fmt::format("{} at 1/{} of the step", name, now.refinement);
    };
    bar.update(now.done, [&] { return fmt::format("{} of {} runs, {}", now.runs_ended, now.runs, run()); });
    if (now.has_ended)
      bar.tell(fmt::format("{} of {}: {}: {} of computing", now.runs_ended, now.runs, run(),
                           duration_text(1e3 * now.seconds)));
  };
  return run_compare(p.entries, options);
}

/// The methods that a replay shows: those of Rigor.
std::vector<CompareEntry> replayed(const Prepared& p) {
  std::vector<CompareEntry> shown;
  for (const CompareEntry& entry : p.entries)
    if (!entry.peer) shown.push_back(entry);
  if (shown.empty() || shown.size() > kMostReplayed)
    throw Error("--replay",
                fmt::format("one to {} methods of Rigor can be shown, got {}", kMostReplayed, shown.size()));
  return shown;
}

/// All methods in lock-step. Ends early if a method cannot continue; the table gives the reason.
void record_replay(const std::vector<CompareEntry>& entries, std::uint64_t steps, ReplayOutput& replay) {
  std::vector<Simulation> runs;
  for (const CompareEntry& entry : entries) runs.push_back(make_simulation(entry.scene));
  replay.see(runs);
  for (std::uint64_t i = 0; i < steps; ++i) {
    throw_if_interrupted();
    for (Simulation& s : runs) {
      try {
        s.step();
      } catch (const Error&) {
        return;
      }
      if (!is_finite(s)) return;
    }
    replay.see(runs);
  }
}

}  // namespace

int compare(const Arguments& arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--profile") != arguments.end()) return compare_profile(arguments);
  CompareArguments a;
  if (!parse(arguments, a)) return kSuccess;
  const Prepared p = prepare(a);
  std::optional<OutputFile> report;
  if (!a.report.empty()) report.emplace(a.report);
  std::optional<ReplayOutput> replay;
  const std::vector<CompareEntry> shown = a.replay.empty() ? std::vector<CompareEntry>() : replayed(p);
  std::vector<std::string> labels;
  for (const CompareEntry& entry : shown) labels.push_back(entry.name);
  if (!shown.empty()) replay.emplace(a.replay, shown.front().scene, labels);
  watch_for_interrupts();
  const CompareResult result = run_with_progress(p);
  if (report) {
    report->write(compare_html({p.entries, p.options, result, p.refused, p.stills, made_by(arguments)}));
    throw_if_interrupted();
    report->finish();
  }
  if (replay) {
    record_replay(shown, p.options.steps, *replay);
    replay->write();
    replay->finish();
  }
  if (a.json)
    print(with_nulls(to_json(p, result)));
  else
    print(to_text(p, result) + (report ? "Wrote " + printable_text(a.report) + "\n" : "") +
          (replay ? "Wrote " + printable_text(a.replay) + "\n" : ""));
  return kSuccess;
}

}  // namespace rigor::cli
