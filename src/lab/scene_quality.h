// How well an engine has done, from poses alone.
#pragma once

#include <span>

#include "lab/scene_bench.h"

namespace rigor {

class SceneQuality {
 public:
  explicit SceneQuality(const Scene& scene);

  /// After each step: keeps the largest joint error. False once a pose is no number.
  bool step_done(std::span<const BodyPose> poses);
  /// At the end: penetration, drift, joint error.
  void write(SceneBenchRow& row) const;

 private:
  World world_;
  std::vector<BodyId> bodies_;
  std::vector<JointId> joints_;  // those that hold two points together
  std::vector<Vec3> start_;
  Vec3 up_;  // zero without gravity
  double joint_error_ = 0;
  bool finite_ = true;
};

}  // namespace rigor
