// What a contact costs among bodies of unlike size, beside the same among equal ones.
#pragma once

#include <vector>

#include "rigor/method.h"

namespace rigor {

struct SizeBenchRow {
  double smallest = 0, largest = 0;  // m, sides of the boxes
  std::size_t pairs = 0;             // bodies that touch, mean of the steps that count
  std::size_t contacts = 0;          // contact points, the same
  double milliseconds = 0;           // of a step, median
  double microseconds_per_contact() const {
    return contacts > 0 ? 1e3 * milliseconds / static_cast<double>(contacts) : 0;
  }
};

/// Boxes fall into a pit and settle, under the method without sleep: equal ones with a side of 0.6 m, then such whose three sides are between 0.2 and
/// 1 m. The last `measured_steps` of `steps` of 1/60 s count; both piles are measured in turns.
std::vector<SizeBenchRow> run_size_bench(const Method& method, int bodies, int steps, int measured_steps);

}  // namespace rigor
