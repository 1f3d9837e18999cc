// Islands that nothing holds, moved as one rigid block so that they keep their momentum.
//
// Rows that only act between bodies are blind to a common motion of all of them, so the best such motion for the objective of a
// position-level method is found in one go: Σ m v and Σ (x × m v + I ω) are to be what they were after the free motion. Rounds over
// single bodies get there in the limit only. An island with a row that turns more than it is turned (a gear) keeps its
// linear momentum alone.
#pragma once

#include <vector>

#include "stepping/pose_rows.h"

namespace rigor {

class MomentumBlocks {
 public:
  /// After the free motion: finds the islands and their momenta.
  void begin(StepContext& c);
  /// Moves them; `pose` knows how far their bodies have come.
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
