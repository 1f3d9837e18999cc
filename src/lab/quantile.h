#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace rigor {

/// The value below which the fraction q of all values lies; `values` is reordered.
inline double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return 0;
  const auto last = static_cast<double>(values.size() - 1);
  const auto k = static_cast<std::ptrdiff_t>(std::ceil(q * last));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

}  // namespace rigor
