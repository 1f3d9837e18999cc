#include "lab/collision_bench.h"

#include <algorithm>

#include "broadphase/broadphase.h"
#include "lab/cpu_clock.h"
#include "lab/quantile.h"
#include "narrowphase/pair_table.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr double kEnvelope = 0.02;  // m, what Bullet calls the contact breaking threshold

/// The cache of an engine for one pair.
struct KeptPair {
  PairCache cache;
  std::vector<Manifold> manifolds;
};

class RigorEngine final : public CollisionEngine {
 public:
  Timing run(const PairBenchmark& bench) override {
    std::vector<KeptPair> kept(bench.pairs);
    Timing timing;
    const double start = thread_seconds();
    for (std::size_t f = 0; f < bench.frames; ++f)
      for (std::size_t k = 0; k < bench.pairs; ++k) {
        const std::size_t i = f * bench.pairs + k;
        KeptPair& pair = kept[k];
        pair.manifolds.clear();
        const PairQuery query{inverse(bench.pose_a[i]) * bench.pose_b[i], kEnvelope};
        collide_shapes(*bench.a, *bench.b, query, PairMode::special, pair.cache, pair.manifolds);
        for (const Manifold& m : pair.manifolds) timing.found += static_cast<std::size_t>(m.count);
      }
    timing.seconds = thread_seconds() - start;
    return timing;
  }

  Timing run(const BroadphaseBenchmark& bench) override {
    const auto tree = create<Broadphase>(Kind::broadphase, {"aabb-tree", {}}, "broadphase");
    std::vector<ProxyBounds> bounds(bench.bodies);
    std::vector<ProxyPair> pairs;
    for (std::size_t k = 0; k < bench.bodies; ++k) bounds[k] = {bench.boxes[k], true, true};
    tree->find_pairs(bounds, pairs);  // the first build is not measured
    Timing timing;
    const double start = thread_seconds();
    for (std::size_t f = 1; f < bench.frames; ++f) {
      for (std::size_t k = 0; k < bench.bodies; ++k) bounds[k].box = bench.boxes[f * bench.bodies + k];
      tree->find_pairs(bounds, pairs);
      timing.found += pairs.size();
    }
    timing.seconds = thread_seconds() - start;
    return timing;
  }
};

/// The mean over enough passes to take kShortest in total: a single pass over boxes takes a millisecond, in which a clock tick or
/// another program's cache misses would matter.
template <class Benchmark> Timing mean_pass(CollisionEngine& engine, const Benchmark& bench) {
  constexpr double kShortest = 0.01;  // s
  Timing timing = engine.run(bench);
  int passes = 1;
  for (; timing.seconds < kShortest; ++passes) timing.seconds += engine.run(bench).seconds;
  timing.seconds /= passes;
  return timing;
}

template <class Benchmark>
CollisionBenchRow measure(CollisionEngine& rigor, CollisionEngine* peer, const Benchmark& bench, double items,
                          int rounds) {
  CollisionBenchRow row;
  std::vector<double> own, other, ratios;
  for (int r = 0; r < rounds; ++r) {
    const Timing mine = mean_pass(rigor, bench);
    own.push_back(mine.seconds);
    row.found = mine.found;
    if (!peer) continue;
    const Timing theirs = mean_pass(*peer, bench);
    other.push_back(theirs.seconds);
    ratios.push_back(theirs.seconds / mine.seconds);
    row.peer_found = theirs.found;
  }
  row.rate = items / quantile(own, 0.5);
  if (!peer) return row;
  row.peer_rate = items / quantile(other, 0.5);
  row.ratio = quantile(ratios, 0.5);
  row.ratio_low = *std::min_element(ratios.begin(), ratios.end());
  row.ratio_high = *std::max_element(ratios.begin(), ratios.end());
  return row;
}

}  // namespace

std::unique_ptr<CollisionEngine> rigor_collision_engine() { return std::make_unique<RigorEngine>(); }

std::vector<CollisionBenchRow> run_collision_bench(CollisionEngine& rigor, CollisionEngine* peer, int rounds) {
  std::vector<CollisionBenchRow> rows;
  for (const PairBenchmark& bench : pair_benchmarks()) {
    rows.push_back(measure(rigor, peer, bench, static_cast<double>(bench.pairs * bench.frames), rounds));
    rows.back().name = bench.name;
    rows.back().unit = "manifolds";
  }
  const BroadphaseBenchmark broad = broadphase_benchmark();
  rows.push_back(measure(rigor, peer, broad, static_cast<double>(broad.frames - 1), rounds));
  rows.back().name = "broadphase-" + std::to_string(broad.bodies);
  rows.back().unit = "updates";
  return rows;
}

}  // namespace rigor
