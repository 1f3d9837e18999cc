#include "cli/torture_job.h"

#include <fmt/format.h>
#include <poll.h>

#include <nlohmann/json.hpp>

#include "cli/progress.h"
#include "io/json_text.h"
#include "lab/torture/torture_run.h"
#include "rigor/error.h"
#include "rigor/interruption.h"

namespace rigor::cli {

namespace {

std::string to_text(const TortureResult& r) {
  const Judgement& j = r.judgement;
  Json json;
  json["findings"] = Json::array();
  for (const Finding& f : j.findings)
    json["findings"].push_back(Json::array({static_cast<int>(f.verdict), f.object, f.time, f.figure, f.allowed}));
  json["figures"] = Json::array({j.momentum_drift, j.energy_excess, j.penetration, j.joint_error, j.seconds});
  json["steps"] = j.steps;
  json["hash"] = j.hash;
  json["hashes"] = Json::array();
  for (const std::uint64_t h : r.hashes) json["hashes"].push_back(h);
  json["not_built"] = r.not_built;
  json["reports"] = j.reports;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

double number(const Json& value) { return value.is_number() ? value.get<double>() : 0; }

TortureResult from_text(const std::string& text) {
  const Json json = Json::parse(text);
  TortureResult r;
  for (const Json& f : json["findings"])
    r.judgement.add({static_cast<Verdict>(f[0].get<int>()), f[1], number(f[2]), number(f[3]), number(f[4])});
  const Json& figures = json["figures"];
  r.judgement.momentum_drift = number(figures[0]);
  r.judgement.energy_excess = number(figures[1]);
  r.judgement.penetration = number(figures[2]);
  r.judgement.joint_error = number(figures[3]);
  r.judgement.seconds = number(figures[4]);
  r.judgement.steps = json["steps"];
  r.judgement.hash = json["hash"];
  r.not_built = json["not_built"];
  for (const Json& sentence : json["reports"]) r.judgement.reports.push_back(sentence);
  for (const Json& h : json["hashes"]) r.hashes.push_back(h);
  return r;
}

}  // namespace

Scene scene_of(const TortureJob& job) {
  Scene scene = make_random_world(*job.kind, job.seed);
  apply_method(scene, job.contestant->method);
  scene.time.step /= job.refinement;
  return scene;
}

RunningTorture::RunningTorture(const Work& work, int limit)
    : process_(std::make_unique<LimitedProcess>(limit, [&] { return to_text(work()); })) {}

TortureResult RunningTorture::result() {
  TortureResult result;
  try {
    if (const auto text = process_->answer()) return from_text(*text);
    result.judgement.add({Verdict::hang, "", 0, 0, 0});
  } catch (const Killed& error) {
    result.killed = error.what();
  } catch (const Error& error) {
    result.judgement.add({Verdict::crash, error.what(), 0, 0, 0});
  }
  return result;
}

TortureResult judged(const Scene& scene, const BenchEngine& engine) {
  TortureResult result;
  try {
    result.judgement = torture_run(scene, engine);
  } catch (const NotBuilt& refusal) {
    result.not_built = refusal.what();
  }
  return result;
}

TortureResult hashed(const std::vector<std::function<std::uint64_t()>>& runs) {
  TortureResult result;
  try {
    for (const auto& run : runs) result.hashes.push_back(run());
  } catch (const NotBuilt& refusal) {
    result.not_built = refusal.what();
    result.hashes.clear();
  }
  return result;
}

std::vector<TortureResult> run_jobs(const std::vector<TortureJob>& jobs, const TortureLimits& limits,
                                    const std::function<TortureResult(const TortureJob&)>& work) {
  struct Slot {
    std::size_t job;
    RunningTorture run;
  };
  std::vector<TortureResult> results(jobs.size());
  std::vector<Slot> slots;
  std::size_t next = 0, done = 0;
  Progress bar(true);
  while (done < jobs.size()) {
    throw_if_interrupted();
    for (; next < jobs.size() && slots.size() < limits.at_once; ++next)
      slots.push_back({next, RunningTorture([&] { return work(jobs[next]); }, limits.seconds)});
    std::vector<pollfd> ends;
    for (const Slot& slot : slots) ends.push_back({slot.run.descriptor(), POLLIN, 0});
    if (poll(ends.data(), ends.size(), -1) <= 0) continue;
    for (std::size_t i = slots.size(); i-- > 0;) {
      if (ends[i].revents == 0) continue;
      results[slots[i].job] = slots[i].run.result();
      slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
    }
    bar.update(static_cast<double>(done) / static_cast<double>(jobs.size()),
               [&] { return fmt::format("{} of {} runs", done, jobs.size()); });
  }
  return results;
}

}  // namespace rigor::cli
