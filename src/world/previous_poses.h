// Poses before the last step, for poses between two steps.
#pragma once

#include <vector>

#include "rigor/world.h"

namespace rigor {

class PreviousPoses {
 public:
  /// Stores the present poses. Call it before a step.
  void take(const World& world);
  /// The interpolated pose of the body frame: the center of mass moves on a straight line, the body turns about one axis.
  Transform pose_at(const World& world, BodyId id, double alpha) const;
  void clear() { poses_.clear(); }

 private:
  struct Pose {
    BodyId id;
    Transform frame;  // of the body in the world
  };
  std::vector<Pose> poses_;  // by id index
};

}  // namespace rigor
