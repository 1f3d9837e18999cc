#include "cli/torture_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run_tally.h"
#include "cli/sweep_cell.h"
#include "cli/sweep_markdown.h"

namespace rigor::cli {

namespace {

/// Rows in the order of the first appearance.
template <class Key> using Rows = std::vector<std::pair<Key, RunTally>>;
template <class Key> RunTally& row(Rows<Key>& rows, const Key& key) {
  for (auto& [known, tally] : rows)
    if (known == key) return tally;
  return rows.emplace_back(key, RunTally{}).second;
}

std::string head() {
  std::string text = fmt::format("{:<10} {:<22} {:>6} {:>6} {:>7}", "class", "method", "worlds", "failed", "rate");
  for (int v = 0; v < kVerdicts; ++v)
    text += fmt::format(" {:>{}}", to_string(static_cast<Verdict>(v)),
                        std::max<std::size_t>(4, std::string(to_string(static_cast<Verdict>(v))).size()));
  return text + "  not built\n";
}

std::string line(const std::string& kind, const std::string& method, const RunTally& t) {
  std::string text =
      fmt::format("{:<10} {:<22} {:>6} {:>6} {:>6.1f}%", kind, method, t.judged, t.failed, 100 * t.rate());
  for (int v = 0; v < kVerdicts; ++v) {
    const int n = t.by_verdict[static_cast<std::size_t>(v)];
    const std::size_t width = std::max<std::size_t>(4, std::string(to_string(static_cast<Verdict>(v))).size());
    text += fmt::format(" {:>{}}", n > 0 ? std::to_string(n) : "·", width);
  }
  return text + (t.refused > 0 ? fmt::format("  {}\n", t.refused) : "\n");
}

std::string failures(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (const Finding& f : results[i].judgement.findings)
      text +=
          fmt::format("  {:<14} {:<12} {:<10} t = {:.3f} s  {:.4g} > {:.4g}  {}\n", jobs[i].world(),
                      jobs[i].contestant->name, to_string(f.verdict), f.time, f.figure, f.allowed, f.object) +
          (results[i].judgement.reports.empty() ? "" : "    reported: " + results[i].judgement.reports.front() + "\n");
  return text.empty() ? "" : "\nFailures:\n" + text;
}

std::string killed_runs(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (!results[i].killed.empty())
      text += fmt::format("  {:<14} {:<12} {}\n", jobs[i].world(), jobs[i].contestant->name, results[i].killed);
  return text.empty() ? "" : "\nNot judged, because they were killed:\n" + text;
}

SweepRow row_of(const TortureJob& job, const TortureResult& result) {
  SweepRow row;
  row.cell.scene = job.world();
  row.cell.method = job.contestant->name;
  add_judgement(row, result);
  return row;
}

}  // namespace

std::string torture_table(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results) {
  Rows<std::pair<std::string, std::string>> rows;
  Rows<std::string> totals;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string& method = jobs[i].contestant->name;
    const SweepRow run = row_of(jobs[i], results[i]);
    row(rows, {jobs[i].kind->name, method}).add(run);
    row(totals, method).add(run);
  }
  std::string text = head();
  for (const auto& [key, tally] : rows) text += line(key.first, key.second, tally);
  for (const auto& [method, tally] : totals) text += line("all", method, tally);
  for (const auto& [method, tally] : totals)
    text += fmt::format("largest drift of momentum under {}: {:.2g}\n", method, tally.momentum_drift);
  return text + failures(jobs, results) + killed_runs(jobs, results);
}

std::string torture_markdown(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results,
                             int seconds) {
  std::vector<SweepRow> rows;
  for (std::size_t i = 0; i < jobs.size(); ++i) rows.push_back(row_of(jobs[i], results[i]));
  return markdown(rate_table(rows, std::to_string(seconds)));
}

std::string comparison_table(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results) {
  int different = 0, compared = 0;
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::vector<std::uint64_t>& h = results[i].hashes;
    const bool ended = results[i].failed();
    compared += !h.empty() || ended;
    const bool differs = std::any_of(h.begin(), h.end(), [&](std::uint64_t x) { return x != h.front(); });
    different += differs;
    if (!differs && !ended) continue;
    const char* what = ended ? to_string(results[i].judgement.findings.front().verdict) : "differs";
    text += fmt::format("  {:<14} {:<12} {}\n", jobs[i].world(), jobs[i].contestant->name, what);
  }
  return fmt::format("{} of {} worlds differ\n", different, compared) + text + killed_runs(jobs, results);
}

std::string world_text(const Scene& scene) {
  const World& w = scene.world;
  std::string text =
      fmt::format("\n{}: step {:.6g} s, {:.3f} s, {} bodies, {} joints, sleep {}\n", scene.name, scene.time.step,
                  scene.duration, moving_bodies(w).size(), w.joint_count(), scene.method.sleep.name);
  for (const BodyId id : w.bodies()) {
    if (id == w.world_body()) continue;
    const BodyDef& def = w.body_def(id);
    const Vec3 p = w.position(id), v = w.velocity(id), o = w.angular_velocity(id);
    text += fmt::format(
        "  {:<12} {:<12} {:>10.4g} {}  at {:.3g} {:.3g} {:.3g}  v {:.3g} {:.3g} {:.3g}  w {:.3g} {:.3g} {:.3g}\n",
        w.name(id), def.shape->type(), def.fixed ? 0 : w.mass_properties(id).mass, def.fixed ? "fixed" : "kg", p.x, p.y,
        p.z, v.x, v.y, v.z, o.x, o.y, o.z);
  }
  for (const JointId id : w.joints()) {
    const JointDef& def = w.joint(id);
    text += fmt::format("  {:<12} {:<12} {} and {}\n", def.name, def.type, w.name(def.a), w.name(def.b));
  }
  return text;
}

Json torture_json(const std::vector<TortureJob>& jobs, const std::vector<TortureResult>& results) {
  Json list = Json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Judgement& j = results[i].judgement;
    Json findings = Json::array();
    for (const Finding& f : j.findings)
      findings.push_back({{"verdict", to_string(f.verdict)},
                          {"object", f.object},
                          {"time", f.time},
                          {"figure", f.figure},
                          {"allowed", f.allowed}});
    list.push_back({{"class", jobs[i].kind->name},
                    {"seed", jobs[i].seed},
                    {"method", jobs[i].contestant->name},
                    {"failed", results[i].failed()},
                    {"hashes", results[i].hashes},
                    {"findings", findings},
                    {"not_built", results[i].not_built},
                    {"killed", results[i].killed},
                    {"reports", j.reports},
                    {"steps", j.steps},
                    {"momentum_drift", j.momentum_drift},
                    {"energy_excess", j.energy_excess},
                    {"penetration", j.penetration},
                    {"joint_error", j.joint_error}});
  }
  return list;
}

}  // namespace rigor::cli
