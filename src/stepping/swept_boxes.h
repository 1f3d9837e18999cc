// The boxes that bodies have swept in a step, sorted into strips and along x: finds the boxes that overlap one
// without testing all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "narrowphase/time_of_impact.h"

namespace rigor {

class SweptBoxes {
 public:
  bool empty() const { return boxes_.empty(); }
  /// By slot.
  void assign(std::vector<Aabb> boxes);
  /// Ascending slots whose boxes overlap that of `slot` and for which accept(slot) is true, without `slot` itself.
  template <class Accept>
  void find_overlapping(std::uint32_t slot, const Accept& accept, std::vector<std::uint32_t>& found) const;

 private:
  /// A box that is not wide, with the slot it belongs to.
  struct Entry {
    Aabb box;
    std::uint32_t slot;
  };
  std::size_t strip_of(double coordinate) const;
  void sort(std::size_t strips);
  /// Rounded up, because differences have rounding errors.
  static double rounded_up(double length, double coordinate) {
    return length * (1 + 1e-9) + 1e-9 * std::abs(coordinate);
  }

  std::vector<Aabb> boxes_;
  std::vector<std::uint32_t> wide_;  // slots of those that are much wider than most
  std::vector<Entry> entries_;       // the others: strip by strip by their lower corners, in a strip by their lower x
  std::vector<std::size_t> begin_;   // of each strip, and one more
  std::vector<std::pair<double, std::uint32_t>> order_;  // lower x and slot; scratch
  int axis_ = 2;                                         // across the strips
  double origin_ = 0, strip_ = 1;                        // m, along that axis
  double widest_x_ = 0, widest_ = 0;                     // m, of the entries: along x, along the axis
};

template <class Accept>
void SweptBoxes::find_overlapping(std::uint32_t slot, const Accept& accept, std::vector<std::uint32_t>& found) const {
  const Aabb& own = boxes_[slot];
  found.clear();
  const auto look_at = [&](std::uint32_t i, const Aabb& box) {
    if (i != slot && overlap(own, box) && accept(i)) found.push_back(i);
  };
  for (const std::uint32_t i : wide_) look_at(i, boxes_[i]);
  const double lower = own.lower[axis_], from = own.lower.x - rounded_up(widest_x_, own.lower.x);
  const std::size_t first = strip_of(lower - rounded_up(widest_, lower)), last = strip_of(own.upper[axis_]);
  for (std::size_t strip = first; strip <= last; ++strip) {
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(begin_[strip + 1]);
    auto it = std::lower_bound(entries_.begin() + static_cast<std::ptrdiff_t>(begin_[strip]), end, from,
                               [](const Entry& e, double x) { return e.box.lower.x < x; });
    for (; it != end && it->box.lower.x <= own.upper.x; ++it) look_at(it->slot, it->box);
  }
  std::sort(found.begin(), found.end());
}

}  // namespace rigor
