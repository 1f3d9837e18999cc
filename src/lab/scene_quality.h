// The quality of an engine's motion, from poses only.
#pragma once

#include <span>

#include "lab/scene_bench.h"

namespace rigor {

class SceneQuality {
 public:
  explicit SceneQuality(const Scene& scene);

  /// Call this after each step: updates the largest joint error. False once the motion has blown up: a pose is not finite, or a body is
  /// farther from its start than a kilometre and a hundred times as far as thrown and falling bodies of this scene get.
  bool step_done(std::span<const BodyPose> poses);
  /// At the end: penetration, drift, joint error.
  void write(SceneBenchRow& row) const;

  double time() const { return time_; }  // s

 private:
  bool is_sane(std::span<const BodyPose> poses) const;

  World world_;
  std::vector<BodyId> bodies_;
  std::vector<JointId> joints_;  // those that hold two points together
  std::vector<Vec3> start_;
  Vec3 gravity_, up_;       // m/s²; unit vector against it, zero without gravity
  double fastest_ = 0;      // m/s, at the start
  bool has_more_forces_;    // besides gravity and drag: a body may get anywhere
  double step_, time_ = 0;  // s
  double joint_error_ = 0;
  bool sane_ = true;
};

}  // namespace rigor
