// Measures the time per contact among boxes of different sizes, compared with boxes of equal size.
#pragma once

#include <vector>

#include "rigor/method.h"

namespace rigor {

struct SizeBenchRow {
  double smallest = 0, largest = 0;  // m, sides of the boxes
  std::size_t pairs = 0;             // pairs of bodies that touch, mean over the measured steps
  std::size_t contacts = 0;          // contact points, mean over the measured steps
  double milliseconds = 0;           // time of a step, median
  double microseconds_per_contact() const {
    return contacts > 0 ? 1e3 * milliseconds / static_cast<double>(contacts) : 0;
  }
};

/// Lets two piles of boxes fall into a pit and settle, with the method but without sleep: cubes with sides of 0.6 m,
/// and boxes whose three sides are between 0.2 and 1 m. Of the `steps` of 1/60 s the last `measured_steps` are
/// measured, alternately for the two piles. Returns one row for each pile.
std::vector<SizeBenchRow> run_size_bench(const Method& method, int bodies, int steps, int measured_steps);

}  // namespace rigor
