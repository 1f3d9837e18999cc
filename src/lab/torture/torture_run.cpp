#include "lab/torture/torture_run.h"

#include <cmath>

#include "lab/torture/judge.h"

namespace rigor {

namespace {

std::unique_ptr<SceneEngine> build(const Scene& scene, const BenchEngine& engine) {
  try {
    return engine.make(scene);
  } catch (const Error& error) {
    throw NotBuilt(error.what());
  }
}

/// An engine that refuses the world when it meets it has not built it.
void make_step(SceneEngine& engine, bool is_first) {
  try {
    engine.step();
  } catch (const Error& error) {
    if (is_first) throw NotBuilt(error.what());
    throw;
  }
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
  const auto steps = static_cast<std::uint64_t>(std::ceil(scene.duration / scene.time.step - 1e-6));
  for (std::uint64_t i = 0; i < steps; ++i) {
    make_step(*run, i == 0);
    if (const std::string lost = run->lost_body(); !lost.empty()) {
      judge.body_removed(lost);
      break;
    }
    run->read_poses(poses);
    run->read_velocities(velocities);
    if (!judge.step_done(poses, velocities)) break;
  }
  return judge.finish();
}

}  // namespace rigor
