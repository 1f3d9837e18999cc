#include "lab/torture/torture_run.h"

#include <cmath>

#include "lab/cpu_clock.h"
#include "lab/torture/judge.h"
#include "math/hash.h"

namespace rigor {

namespace {

constexpr std::size_t kMostReports = 5;

std::unique_ptr<SceneEngine> build(const Scene& scene, const BenchEngine& engine) {
  try {
    return engine.make(scene);
  } catch (const Error& error) {
    throw NotBuilt(error.what());
  }
}

/// An engine that refuses the world in its first step has not built it.
void make_step(SceneEngine& engine, bool is_first) {
  try {
    engine.step();
  } catch (const Error& error) {
    if (is_first) throw NotBuilt(error.what());
    throw;
  }
}

std::uint64_t steps_of(const Scene& scene) {
  return static_cast<std::uint64_t>(std::ceil(scene.duration / scene.time.step - 1e-6));
}

}  // namespace

void apply_method(Scene& scene, const Method& method) {
  const bool is_sleepless = scene.method.sleep.name == "never";
  scene.method = method;
  if (is_sleepless) scene.method.sleep = {"never", {}};
}

Judgement torture_run(const Scene& scene, const BenchEngine& engine) {
  const std::unique_ptr<SceneEngine> run = build(scene, engine);
  Judge judge(scene);
  std::vector<BodyPose> poses;
  std::vector<BodyVelocities> velocities;
  std::vector<std::string> reports;
  const auto collect = [&] {
    for (std::string& sentence : run->take_reports())
      if (reports.size() < kMostReports) reports.push_back(std::move(sentence));
  };
  double seconds = 0;
  for (std::uint64_t i = 0; i < steps_of(scene); ++i) {
    const double begin = thread_seconds();
    make_step(*run, i == 0);
    seconds += thread_seconds() - begin;
    collect();
    if (const std::string lost = run->lost_body(); !lost.empty()) {
      judge.body_removed(lost);
      break;
    }
    run->read_poses(poses);
    run->read_velocities(velocities);
    if (!judge.step_done(poses, velocities)) break;
  }
  Judgement judgement = judge.finish();
  judgement.reports = std::move(reports), judgement.seconds = seconds;
  return judgement;
}

std::uint64_t trajectory_hash(const Scene& scene, const BenchEngine& engine, std::size_t count) {
  const std::unique_ptr<SceneEngine> run = build(scene, engine);
  std::vector<BodyPose> poses;
  std::vector<BodyVelocities> velocities;
  Hasher hash;
  for (std::uint64_t i = 0; i < steps_of(scene); ++i) {
    make_step(*run, i == 0);
    if (!run->lost_body().empty()) break;
    run->read_poses(poses);
    run->read_velocities(velocities);
    for (std::size_t k = 0; k < count; ++k) {
      hash.add(poses[k].position);
      hash.add(poses[k].orientation);
      hash.add(velocities[k].linear);
      hash.add(velocities[k].angular);
    }
  }
  return hash.value();
}

Scene with_far_body(Scene scene) {
  BodyDef far;
  far.name = "far body";
  far.shape = sphere(0.5);
  far.position = {7000, 2000, 0};  // m; high enough not to land within a run
  far.velocity = {0, 1, 0};        // m/s; without gravity too it never sleeps
  scene.world.add_body(far);
  return scene;
}

}  // namespace rigor
