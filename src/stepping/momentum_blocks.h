// Moves free islands as rigid blocks, so that they keep their momentum.
//
// Rows between bodies do not see a common motion of all of them, so the best such motion for the objective of a
// position-level method can be computed directly: Σ m v and Σ (x × m v + I ω) have to be those after the free motion. Sweeps over
// single bodies reach it only in the limit. An island with a row whose torques do not cancel (a gear) keeps its
// linear momentum only.
#pragma once

#include <vector>

#include "stepping/pose_rows.h"

namespace rigor {

class MomentumBlocks {
 public:
  /// After the free motion: finds the islands and their momenta.
  void begin(StepContext& c);
  /// Moves them; `pose` has the displacements of their bodies.
  void visit(StepContext& c, PoseRows& pose);

 private:
  struct Momentum {
    Vec3 p, L;  // about the origin
  };
  struct Block {
    std::vector<int> places;
    Momentum kept;
    bool turns = true;  // whether its angular momentum is to be kept
  };

  static Momentum momentum_of(const StepContext& c, const PoseRows* pose, const Block& block);
  static void shift(StepContext& c, PoseRows& pose, const Block& block);
  static void turn(StepContext& c, PoseRows& pose, const Block& block);

  std::vector<Block> blocks_;
};

}  // namespace rigor
