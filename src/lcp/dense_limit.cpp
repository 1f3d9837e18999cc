#include "lcp/dense_limit.h"

#include <cstdio>
#include <string>

namespace rigor {

void check_dense_size(std::size_t rows) {
  constexpr double kMost = 1e9;  // B, chosen: solvers hold three or four such matrices, and memory is shared
  const double bytes = 8.0 * static_cast<double>(rows) * static_cast<double>(rows);
  if (bytes <= kMost) return;
  char size[32];
  std::snprintf(size, sizeof size, "%.1f GB", bytes / 1e9);
  const std::string n = std::to_string(rows);
  throw TooLarge(n + " rows of contacts and joints need a matrix of " + n + " × " + n + " numbers, " + size +
                 ", and an exact solver takes at most 1 GB; choose an iterative method such as soft-step, tgs or "
                 "garstenauer, or a smaller scene");
}

}  // namespace rigor
