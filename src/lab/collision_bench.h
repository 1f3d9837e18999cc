// Compares collision detection with other libraries on the same shapes and poses: manifolds per second, and updates of a broad
// phase.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

/// Many pairs of one kind that touch and move a little from frame to frame.
struct PairBenchmark {
  std::string name;  // "box-box"
  ShapePtr a, b;
  std::size_t pairs = 0, frames = 0;
  std::vector<Transform> pose_a, pose_b;  // by frame, then by pair
};
std::vector<PairBenchmark> pair_benchmarks();

/// Boxes that drift about in a room; each overlaps some neighbours.
struct BroadphaseBenchmark {
  std::size_t bodies = 0, frames = 0;
  std::vector<Aabb> boxes;  // by frame, then by body
};
BroadphaseBenchmark broadphase_benchmark(std::size_t bodies = 20000, std::size_t frames = 30);

struct Timing {
  double seconds = 0;     // for one pass over all frames
  std::size_t found = 0;  // contact points, or pairs: shows that both libraries did the work
};

/// A library that can run the benchmarks. Objects hold an engine's caches from frame to frame.
class CollisionEngine {
 public:
  virtual ~CollisionEngine() = default;
  virtual Timing run(const PairBenchmark& benchmark) = 0;
  virtual Timing run(const BroadphaseBenchmark& benchmark) = 0;
};
std::unique_ptr<CollisionEngine> rigor_collision_engine();
/// Null if the program was built without Bullet.
std::unique_ptr<CollisionEngine> bullet_collision_engine();

struct CollisionBenchRow {
  std::string name;
  std::string unit;      // what `rate` counts
  double rate = 0;       // of Rigor, per second
  double peer_rate = 0;  // 0: no peer
  double ratio = 0;      // median over rounds of peer time ÷ Rigor's time
  double ratio_low = 0, ratio_high = 0;
  std::size_t found = 0, peer_found = 0;
};
/// Alternates the two engines, because timings are noisy. `peer` may be null.
std::vector<CollisionBenchRow> run_collision_bench(CollisionEngine& rigor, CollisionEngine* peer, int rounds);

}  // namespace rigor
