// The cost per body in small and large piles: how far from linear a step is.
#pragma once

#include <span>
#include <vector>

#include "rigor/method.h"

namespace rigor {

struct GrowthBenchRow {
  int bodies = 0;
  std::size_t contacts = 0;  // contact points at the end
  double milliseconds = 0;   // of a step, median
  double microseconds_per_body() const { return bodies > 0 ? 1e3 * milliseconds / bodies : 0; }
};

/// Spheres, boxes and capsules, ten on top of each other, fall into a pit as wide as it takes and settle, under the method
/// without sleep; for each number of bodies (a multiple of ten). The last `measured_steps` of `steps` of 1/60 s count.
std::vector<GrowthBenchRow> run_growth_bench(const Method& method, std::span<const int> bodies, int steps,
                                             int measured_steps);

}  // namespace rigor
