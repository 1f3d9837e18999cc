#include "cli/scene_table.h"

#include <fmt/format.h>

#include <deque>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/limited_run.h"
#include "cli/run_tally.h"
#include "io/json_text.h"
#include "lab/scene_verdict.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::cli {

namespace {

struct Cell {
  std::string scene, preset, outcome, sentence;
  double reached = 0;
};

std::vector<std::string> all_presets() {
  std::vector<std::string> names;
  for (const MethodInfo& info : rigor::methods())
    if (info.kind == Kind::preset) names.push_back(info.name);
  return names;
}

std::string judge(const std::string& scene_name, const std::string& preset_name, const SceneMeasure& measure,
                  double seconds) {
  const Scene scene = open_scene(scene_name);
  const SceneVerdict v = judge_scene(scene, preset(preset_name), measure, seconds);
  return Json{{"outcome", to_string(v.outcome)}, {"sentence", v.sentence}, {"reached", v.reached}}.dump();
}

Cell read(const std::string& scene, const std::string& preset_name, LimitedProcess& process) {
  Cell cell{scene, preset_name, "", "", 0};
  try {
    const std::optional<std::string> answer = process.answer();
    if (!answer) return {scene, preset_name, "slow", "a single step took longer than the limit", 0};
    const Json json = Json::parse(*answer);
    cell.outcome = json["outcome"];
    cell.sentence = json["sentence"];
    cell.reached = json["reached"];
  } catch (const Killed& error) {
    cell.outcome = kKilled;
    cell.sentence = error.what();
  } catch (const Error& error) {
    cell.outcome = "reported";
    cell.sentence = error.what();
  }
  return cell;
}

Json to_json(const Cell& cell) {
  return {{"scene", cell.scene},
          {"preset", cell.preset},
          {"outcome", cell.outcome},
          {"sentence", cell.sentence},
          {"reached", cell.reached}};
}

/// The cells of earlier runs, one JSON object per line; new ones are appended. An incomplete line is ignored and its cell runs again.
class Journal {
 public:
  explicit Journal(const std::string& path) : path_(path) {
    if (path_.empty()) return;
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) {
      const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!json.is_object() || !json.contains("reached")) continue;
      const Cell cell{json["scene"], json["preset"], json["outcome"], json["sentence"], json["reached"]};
      known_[{cell.scene, cell.preset}] = cell;
    }
    out_.open(path_, std::ios::app);
    if (!out_) throw Error("--journal", "'" + path_ + "' cannot be written");
  }

  const Cell* find(const std::string& scene, const std::string& preset_name) const {
    const auto found = known_.find({scene, preset_name});
    return found == known_.end() ? nullptr : &found->second;
  }
  /// Nothing is known about a cell whose process was killed, so that it runs again.
  void append(const Cell& cell) {
    if (!path_.empty() && cell.outcome != kKilled)
      out_ << "\n" << to_json(cell).dump(-1, ' ', false, Json::error_handler_t::replace) << std::flush;
  }

 private:
  std::string path_;
  std::map<std::pair<std::string, std::string>, Cell> known_;
  std::ofstream out_;
};

/// The cells of one scene under these presets, in their order.
std::vector<Cell> run_scene(const SceneTableOptions& options, const std::string& scene,
                            const std::vector<std::string>& presets, Journal& journal) {
  const std::optional<SceneMeasure> measure = LimitedRun<SceneMeasure>(options.limit, [&] {
                                                return measure_scene(open_scene(scene), options.seconds);
                                              }).result();
  std::vector<Cell> cells;
  std::deque<LimitedProcess> running;
  std::size_t next = 0;
  for (const std::string& name : presets) {
    for (; next < presets.size() && running.size() < static_cast<std::size_t>(options.jobs); ++next)
      running.emplace_back(options.limit, [&, next_name = presets[next]] {
        return judge(scene, next_name, measure.value_or(SceneMeasure{}), options.seconds);
      });
    cells.push_back(read(scene, name, running.front()));
    running.pop_front();
    journal.append(cells.back());
    fmt::print(stderr, "{} under {}: {} {}\n", scene, name, cells.back().outcome, cells.back().sentence);
  }
  return cells;
}

std::vector<Cell> make_runs(const SceneTableOptions& options, const std::vector<std::string>& scenes,
                            const std::vector<std::string>& presets) {
  Journal journal(options.journal);
  std::vector<Cell> cells;
  for (const std::string& scene : scenes) {
    std::vector<std::string> missing;
    for (const std::string& name : presets)
      if (!journal.find(scene, name)) missing.push_back(name);
    std::vector<Cell> made;
    if (!missing.empty()) made = run_scene(options, scene, missing, journal);
    auto next = made.begin();
    for (const std::string& name : presets) {
      const Cell* known = journal.find(scene, name);
      cells.push_back(known ? *known : *next++);
    }
  }
  return cells;
}

std::string page(const std::vector<Cell>& cells, const std::vector<std::string>& presets,
                 const SceneTableOptions& options) {
  std::map<std::string, int> count;
  for (const Cell& cell : cells) ++count[cell.outcome];
  std::string text = fmt::format(
      "# Every scene under every preset\n\n"
      "Every scene of the library, simulated for {:.6g} s with its own step under every preset. Made by `rigor "
      "robustness --scenes`.\n\n"
      "- *fine*: the run reports no problem and gains no energy that nothing explains. The total energy may exceed the "
      "highest one\n"
      "  under the default method by a quarter of the largest kinetic energy there, by the energy that overlaps and "
      "open "
      "joints at the start may add,\n"
      "  and by the work of lifting bodies by the depth of their contacts. A run that is not done after {} s of "
      "computing is\n"
      "  judged up to the simulated time that it reached, which stands in the table.\n"
      "- *refused*: the preset cannot simulate the scene and says so when it is configured.\n"
      "- *reported*: the run reports a problem, or ends with an error. The sentences are below.\n"
      "- *slow*: a single step takes longer than that limit.\n"
      "- *lost*: the state is not finite or has energy that nothing explains, and no step reported a problem.\n\n"
      "{} runs: {} fine, {} refused, {} reported, {} slow, {} lost{}.\n\n| scene |",
      options.seconds, options.limit, cells.size(), count["fine"], count["refused"], count["reported"], count["slow"],
      count["lost"], count[kKilled] > 0 ? "; " + killed_text(count[kKilled]) : "");
  for (const std::string& name : presets) text += " " + name + " |";
  text += "\n| --- |";
  for (std::size_t i = 0; i < presets.size(); ++i) text += " --- |";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i % presets.size() == 0) text += "\n| " + cells[i].scene + " |";
    const bool early = cells[i].outcome == "fine" && cells[i].reached < options.seconds - 1e-6;
    text += early ? fmt::format(" fine to {:.2g} s |", cells[i].reached) : " " + cells[i].outcome + " |";
  }
  text += "\n\n## Sentences\n\n";
  for (const Cell& cell : cells)
    if (!cell.sentence.empty())
      text += fmt::format("- {} under {}, {}: {}\n", cell.scene, cell.preset, cell.outcome, cell.sentence);
  return text;
}

}  // namespace

int print_scene_table(const SceneTableOptions& options) {
  const std::vector<std::string> scenes = options.scenes.empty() ? builtin_scene_names() : options.scenes;
  const std::vector<std::string> presets = options.presets.empty() ? all_presets() : options.presets;
  const std::vector<Cell> cells = make_runs(options, scenes, presets);
  Json list = Json::array();
  bool lost = false;
  for (const Cell& cell : cells) {
    lost |= cell.outcome == "lost";
    list.push_back(to_json(cell));
  }
  if (options.json)
    print(list);
  else
    print(page(cells, presets, options));
  return lost ? kFailure : kSuccess;
}

}  // namespace rigor::cli
