// Energy, momentum, penetration and joint errors from poses and velocities only, for any engine.
#pragma once

#include <span>

#include "lab/compare.h"

namespace rigor {

class MotionMeter {
 public:
  explicit MotionMeter(const Scene& scene);

  /// Appends one instant to `run`. Returns false and appends nothing if a number is not finite.
  bool take(double time, std::span<const BodyPose> poses, std::span<const BodyVelocities> velocities, CompareRun& run);

 private:
  Simulation measure_;
  std::vector<BodyId> bodies_;
};

}  // namespace rigor
