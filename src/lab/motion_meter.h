// Energy, momentum, penetration and joint errors from poses and velocities alone, whoever made them.
#pragma once

#include <span>

#include "lab/compare.h"

namespace rigor {

class MotionMeter {
 public:
  explicit MotionMeter(const Scene& scene);

  /// Appends one instant to `run`. False, and nothing appended, when a number is not finite.
  bool take(double time, std::span<const BodyPose> poses, std::span<const BodyVelocities> velocities, CompareRun& run);

 private:
  Simulation measure_;
  std::vector<BodyId> bodies_;
};

}  // namespace rigor
