// The space that bodies have passed in a step, ordered along x: what may have met a body is found without looking at all.
#pragma once

#include <cstdint>
#include <vector>

#include "narrowphase/time_of_impact.h"

namespace rigor {

class SweptBoxes {
 public:
  bool empty() const { return boxes_.empty(); }
  /// By slot.
  void assign(std::vector<Aabb> boxes);
  /// Slots, ascending, whose boxes overlap that of `slot`; itself not among them.
  void find_overlapping(std::uint32_t slot, std::vector<std::uint32_t>& found) const;

 private:
  std::vector<Aabb> boxes_;
  std::vector<std::uint32_t> by_x_, wide_;  // slots: by their lower x; those that are much wider than most
  double widest_ = 0;                       // m, of the former
};

}  // namespace rigor
