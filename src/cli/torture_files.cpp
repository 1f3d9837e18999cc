#include "cli/torture_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/progress.h"
#include "io/recording_output.h"
#include "lab/torture/shrink.h"
#include "rigor/error.h"
#include "rigor/interruption.h"

namespace rigor::cli {

namespace {

/// True if a run of the scene, in a separate process, has the verdict.
bool still_fails(const Scene& scene, const TortureJob& job, Verdict verdict, int limit) {
  throw_if_interrupted();
  RunningTorture run([&] { return judged(scene, job.contestant->engine); }, limit);
  return run.result().judgement.has(verdict);
}

}  // namespace

void write_scene(OutputFile& file, const Scene& scene) {
  const std::string text = rigor::write_scene(scene);
  file.write(text);
  if (!text.ends_with('\n')) file.write("\n");
  file.finish();
}

void write_scene_file(const std::string& path, const Scene& scene) {
  OutputFile file(path);
  write_scene(file, scene);
}

std::string failure_path(const std::string& folder, const TortureJob& job, Verdict verdict, bool with_method,
                         const std::string& ending) {
  std::string method = with_method ? "-" + job.contestant->name : "";
  std::replace_if(
      method.begin(), method.end(), [](char c) { return c == ' ' || c == '/'; }, '-');  // of --set KEY=VALUE
  return fmt::format("{}/{}-{}{}-{}{}.json", folder, job.kind->name, job.seed, method, to_string(verdict), ending);
}

void write_failures(const std::string& folder, const std::vector<TortureJob>& jobs,
                    const std::vector<TortureResult>& results, bool with_method) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    throw_if_interrupted();
    if (!results[i].failed()) continue;
    const Verdict verdict = results[i].judgement.findings.front().verdict;
    write_scene_file(failure_path(folder, jobs[i], verdict, with_method), scene_of(jobs[i]));
  }
}

std::string shrink_failures(const std::string& folder, const std::vector<TortureJob>& jobs,
                            const std::vector<TortureResult>& results, bool with_method, int limit) {
  std::string text;
  Progress bar(true);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!results[i].failed()) continue;
    const TortureJob& job = jobs[i];
    const Verdict verdict = results[i].judgement.findings.front().verdict;
    bar.update(static_cast<double>(i) / static_cast<double>(jobs.size()),
               [&] { return fmt::format("shrinking {}", job.world()); });
    const Scene whole = scene_of(job);
    const Scene small = shrink(whole, [&](const Scene& s) { return still_fails(s, job, verdict, limit); });
    const std::string path = failure_path(folder, job, verdict, with_method, "-small");
    write_scene_file(path, small);
    text += fmt::format("  {:<14} {:<12} {:<10} {} of {} bodies, {} of {} joints: {}\n", job.world(),
                        job.contestant->name, to_string(verdict), moving_bodies(small.world).size(),
                        moving_bodies(whole.world).size(), small.world.joint_count(), whole.world.joint_count(), path);
  }
  return text.empty() ? text : "\nShrunk:\n" + text;
}

}  // namespace rigor::cli
