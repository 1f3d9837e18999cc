#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rigor {

/// The value below which the fraction q of all values lies, between two of them in proportion; `values` is reordered.
inline double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return 0;
  const double place = q * static_cast<double>(values.size() - 1);
  const auto k = static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), values.begin() + k, values.end());
  const double below = values[static_cast<std::size_t>(k)], part = place - static_cast<double>(k);
  return part == 0 ? below : below + part * (*std::min_element(values.begin() + k + 1, values.end()) - below);
}

}  // namespace rigor
