#include "cli/torture_job.h"

#include <nlohmann/json.hpp>

#include "io/json_text.h"
#include "lab/torture/torture_run.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

std::string to_text(const TortureResult& r) {
  Json findings = Json::array();
  for (const Finding& f : r.judgement.findings)
    findings.push_back({static_cast<int>(f.verdict), f.object, f.time, f.figure, f.allowed});
  return Json{
      {"findings", findings},
      {"figures",
       {r.judgement.momentum_drift, r.judgement.energy_excess, r.judgement.penetration, r.judgement.joint_error}},
      {"steps", r.judgement.steps},
      {"hash", r.judgement.hash},
      {"not_built", r.not_built}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
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
  r.judgement.steps = json["steps"];
  r.judgement.hash = json["hash"];
  r.not_built = json["not_built"];
  return r;
}

TortureResult run(const TortureJob& job) {
  TortureResult result;
  try {
    result.judgement = torture_run(scene_of(job), job.contestant->engine);
  } catch (const NotBuilt& refusal) {
    result.not_built = refusal.what();
  }
  return result;
}

}  // namespace

Scene scene_of(const TortureJob& job) {
  Scene scene = make_random_world(*job.kind, job.seed);
  apply_method(scene, job.contestant->method);
  scene.time.step /= job.refinement;
  return scene;
}

RunningTorture::RunningTorture(const TortureJob& job, int limit)
    : process_(std::make_unique<LimitedProcess>(limit, [&] { return to_text(run(job)); })) {}

TortureResult RunningTorture::result() {
  TortureResult result;
  try {
    if (const auto text = process_->answer()) return from_text(*text);
    result.judgement.add({Verdict::hang, "", 0, 0, 0});
  } catch (const Error& error) {
    result.judgement.add({Verdict::crash, error.what(), 0, 0, 0});
  }
  return result;
}

}  // namespace rigor::cli
