// `rigor compare --profile`: several methods on many scenes and random worlds, as performance profiles.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/compare_entries.h"
#include "cli/interrupt.h"
#include "cli/limited_run.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "io/recording_output.h"
#include "io/scene_limits.h"
#include "lab/method_profile.h"
#include "lab/torture/torture_run.h"
#include "lab/torture/world_classes.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor::cli {

namespace {

constexpr std::uint64_t kMostSeed = 1'000'000'000'000, kMostWorlds = 10'000, kMostJobs = 256, kMostLimit = 100'000;
constexpr std::size_t kMostProblems = 10'000;

struct ProfileArguments {
  std::string scenes, methods, report, plot, seconds = "1", worlds, classes, seed = "1", jobs, limit = "5";
  bool json = false, profile = false;
};

bool parse(const Arguments& arguments, ProfileArguments& a) {
  Command command("compare",
                  "With --profile: runs several methods on many scenes and random worlds; see docs/compare.md.",
                  "  rigor compare --profile --methods soft-step,tgs,sap,nsgs --report profile.html\n"
                  "  rigor compare none --profile --methods soft-step,sap --worlds 10 --classes mild,joints --json");
  command.option("SCENES", a.scenes, "scenes and files separated by commas, or none; all built-in scenes otherwise",
                 "A,B,…");
  command.flag("--profile", a.profile, "performance profiles over many scenes instead of a comparison on one");
  command.option("--methods", a.methods, "as without --profile", "A,B,…")->required();
  command.option("--report", a.report, "write a page with plots and tables that needs no network", "FILE.html");
  command.option("--plot", a.plot, "write the plot alone", "FILE.svg");
  command.option("--seconds", a.seconds, "most simulated time of a scene, 1 unless given", "S");
  command.option("--worlds", a.worlds, "random worlds of each class, none unless given; see docs/torture.md", "N");
  command.option("--classes", a.classes, "these classes of random worlds only", "A,B");
  command.option("--seed", a.seed, "seed of the first random world, 1 unless given", "N");
  command.option("--jobs", a.jobs, "number of runs at the same time, as many as processors unless given", "N");
  command.option("--limit", a.limit, "seconds of computing after which a run has failed, 5 unless given", "S");
  command.flag("--json", a.json, "print the figures as JSON");
  return command.parse(arguments);
}

std::vector<std::string> scene_names(const std::string& text) {
  if (text == "none") return {};
  if (text.empty() || text == "all") return builtin_scene_names();
  return split_at_commas(text);
}

std::vector<Scene> problems_of(const ProfileArguments& a) {
  const double seconds = number_in("--seconds", a.seconds, kDurationRange.min, kDurationRange.max);
  std::vector<Scene> scenes;
  for (const std::string& name : scene_names(a.scenes)) {
    scenes.push_back(open_scene(name));
    scenes.back().name = name;
  }
  if (a.worlds.empty() && !a.classes.empty())
    throw Error("--classes", "it needs --worlds, the number of worlds of each class");
  if (!a.worlds.empty()) {
    const std::uint64_t worlds = count("--worlds", a.worlds, kMostWorlds), seed = count("--seed", a.seed, kMostSeed);
    std::vector<const WorldClass*> classes;
    for (const std::string& name : split_at_commas(a.classes)) classes.push_back(&find_world_class(name));
    if (classes.empty())
      for (const WorldClass& kind : world_classes()) classes.push_back(&kind);
    for (const WorldClass* kind : classes)
      for (std::uint64_t i = 0; i < worlds; ++i) {
        scenes.push_back(make_random_world(*kind, seed + i));
        scenes.back().name = fmt::format("{}/{}", kind->name, seed + i);
      }
  }
  if (scenes.empty()) throw Error("--profile", "no scene is named and no random world: name scenes, or give --worlds");
  if (scenes.size() > kMostProblems) throw Error("--worlds", fmt::format("at most {} problems fit", kMostProblems));
  for (Scene& scene : scenes) scene.duration = std::min(scene.duration, seconds);
  return scenes;
}

/// Runs in its own process, because it may hang or crash.
std::string answer_of(const Scene& scene, const std::string& method) {
  ProfileCell cell{"", std::vector<double>(profile_figures().size(), NAN)};
  try {
    const CompareEntry entry = entry_of(method, scene);
    if (!entry.engine.make) throw Error("this program was built without it");
    cell = profile_cell(entry, steps_for(scene.duration, scene.time.step));
  } catch (const Error& error) {
    cell.trouble = error.what();
  }
  Json values = Json::array();
  for (const double v : cell.values) values.push_back(std::isfinite(v) ? Json(v) : Json(nullptr));
  return Json{{"trouble", cell.trouble}, {"values", values}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ProfileCell read(LimitedProcess& process, int limit) {
  ProfileCell cell{"", std::vector<double>(profile_figures().size(), NAN)};
  try {
    const std::optional<std::string> text = process.answer();
    if (!text) {
      cell.trouble = fmt::format("it did not end within {} s of computing", limit);
      return cell;
    }
    const Json json = Json::parse(*text);
    cell.trouble = json["trouble"];
    for (std::size_t f = 0; f < cell.values.size(); ++f)
      if (json["values"][f].is_number()) cell.values[f] = json["values"][f];
  } catch (const Error& error) {
    cell.trouble = error.what();
  }
  return cell;
}

/// "card-house: 3 of 4 ended; sap: it did not end within 5 s of computing".
std::string line_of(const MethodProfile& profile, std::size_t problem) {
  std::string reasons;
  std::size_t ended = 0;
  for (std::size_t s = 0; s < profile.methods.size(); ++s) {
    const std::string& trouble = profile.cells[problem][s].trouble;
    if (trouble.empty()) ++ended;
    if (!trouble.empty()) reasons += fmt::format("; {}: {}", profile.methods[s], trouble);
  }
  return fmt::format("{}: {} of {} ended{}", profile.problems[problem], ended, profile.methods.size(), reasons);
}

void run_all(const std::vector<Scene>& scenes, std::size_t jobs, int limit, MethodProfile& profile) {
  struct Slot {
    std::size_t task;
    std::unique_ptr<LimitedProcess> process;
  };
  const std::size_t methods = profile.methods.size(), tasks = scenes.size() * methods;
  std::vector<Slot> slots;
  std::vector<std::size_t> open(scenes.size(), methods);  // runs of each problem that have not ended
  Progress bar(true);
  for (std::size_t next = 0, done = 0; done < tasks;) {
    throw_if_interrupted();
    for (; next < tasks && slots.size() < jobs; ++next)
      slots.push_back({next, std::make_unique<LimitedProcess>(limit, [&] {
                         return answer_of(scenes[next / methods], profile.methods[next % methods]);
                       })});
    std::vector<pollfd> ends;
    for (const Slot& slot : slots) ends.push_back({slot.process->descriptor(), POLLIN, 0});
    if (poll(ends.data(), ends.size(), -1) <= 0) continue;
    for (std::size_t i = slots.size(); i-- > 0;) {
      if (ends[i].revents == 0) continue;
      const std::size_t problem = slots[i].task / methods;
      profile.cells[problem][slots[i].task % methods] = read(*slots[i].process, limit);
      slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
      if (--open[problem] == 0) bar.tell(line_of(profile, problem));
    }
    bar.update(static_cast<double>(done) / static_cast<double>(tasks),
               [&] { return fmt::format("{} of {} runs", done, tasks); });
  }
}

std::string to_text(const MethodProfile& p) {
  std::size_t width = 6;
  for (const std::string& name : p.methods) width = std::max(width, name.size());
  std::string heads;
  for (const ProfileFigure& f : profile_figures()) heads += fmt::format(" {:>16}", f.key);
  std::string text = Style().bold(fmt::format("{:<{}} {:>12}{}", "method", width, "ended", heads)) + "\n";
  std::vector<std::vector<ProfileCurve>> curves;
  for (std::size_t f = 0; f < profile_figures().size(); ++f) curves.push_back(p.curves(f));
  for (std::size_t s = 0; s < p.methods.size(); ++s) {
    text += fmt::format("{:<{}} {:>12}", p.methods[s], width, fmt::format("{} of {}", p.ended(s), p.problems.size()));
    for (const std::vector<ProfileCurve>& list : curves) {
      const ProfileCurve& c = list[s];
      text += fmt::format(" {:>16}",
                          c.ratios.empty() ? "-" : fmt::format("{:.0f} % / {:.0f} %", 100 * c.at(1), 100 * c.at(10)));
    }
    text += "\n";
  }
  return text +
         "Each cell: the part of the problems on which a method is among the best / within ten times the best.\n";
}

Json to_json(const MethodProfile& p) {
  Json methods = Json::array(), problems = Json::array();
  for (std::size_t s = 0; s < p.methods.size(); ++s) {
    Json figures = Json::object();
    for (std::size_t f = 0; f < profile_figures().size(); ++f) {
      const ProfileCurve c = p.curves(f)[s];
      figures[profile_figures()[f].key] = {
          {"problems", c.problems}, {"with_figure", c.ratios.size()},
          {"best", c.at(1)},        {"within_2", c.at(2)},
          {"within_10", c.at(10)},  {"mean_ratio", c.ratios.empty() ? Json(nullptr) : Json(c.mean_ratio())}};
    }
    methods.push_back({{"name", p.methods[s]}, {"ended", p.ended(s)}, {"figures", figures}});
  }
  for (std::size_t i = 0; i < p.problems.size(); ++i) {
    Json cells = Json::object();
    for (std::size_t s = 0; s < p.methods.size(); ++s) {
      const ProfileCell& cell = p.cells[i][s];
      Json values = Json::object();
      for (std::size_t f = 0; f < cell.values.size(); ++f)
        if (std::isfinite(cell.values[f])) values[profile_figures()[f].key] = cell.values[f];
      cells[p.methods[s]] = {{"trouble", cell.trouble}, {"figures", values}};
    }
    problems.push_back({{"name", p.problems[i]}, {"methods", cells}});
  }
  return {{"methods", methods}, {"problems", problems}};
}

}  // namespace

int compare_profile(const Arguments& arguments) {
  ProfileArguments a;
  if (!parse(arguments, a)) return kSuccess;
  if (!a.report.empty() && !a.report.ends_with(".html")) throw Error("--report", "the name must end in .html");
  if (!a.plot.empty() && !a.plot.ends_with(".svg")) throw Error("--plot", "the name must end in .svg");
  const auto jobs = a.jobs.empty() ? std::max<std::size_t>(1, std::thread::hardware_concurrency())
                                   : static_cast<std::size_t>(count("--jobs", a.jobs, kMostJobs));
  const auto limit = static_cast<int>(count("--limit", a.limit, kMostLimit));
  MethodProfile profile;
  profile.methods = compared_names(a.methods);
  const std::vector<Scene> scenes = problems_of(a);
  for (const std::string& name : profile.methods) entry_of(name, scenes.front());  // mistakes are found before the runs
  for (const Scene& scene : scenes) profile.problems.push_back(scene.name);
  profile.cells.assign(scenes.size(), std::vector<ProfileCell>(profile.methods.size()));
  std::optional<OutputFile> report, plot;
  if (!a.report.empty()) report.emplace(a.report);
  if (!a.plot.empty()) plot.emplace(a.plot);
  watch_for_interrupts();
  run_all(scenes, jobs, limit, profile);
  if (report) {
    report->write(profile_html(profile, made_by(arguments)));
    report->finish();
  }
  if (plot) {
    Plot drawn = profile_plot(profile);
    drawn.bare = false;
    drawn.title = "Performance profiles";
    drawn.subtitle = fmt::format("{} methods on {} problems", profile.methods.size(), profile.problems.size());
    plot->write(render_svg(drawn));
    plot->finish();
  }
  if (a.json)
    print(to_json(profile));
  else
    print(to_text(profile) + (report ? "Wrote " + a.report + "\n" : "") + (plot ? "Wrote " + a.plot + "\n" : ""));
  return kSuccess;
}

}  // namespace rigor::cli
