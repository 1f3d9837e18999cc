// The largest matrix that exact solvers may hold. Without a limit, a heap of thousands of contacts ends in "out of memory"
// after minutes of swapping.
#pragma once

#include <cstddef>

#include "rigor/error.h"

namespace rigor {

/// A problem that does not fit into memory. The choice of the method is the mistake, not the run.
class TooLarge : public Error {
 public:
  using Error::Error;
};

/// TooLarge, with rows × rows and the gigabytes, if a dense matrix of so many rows takes more than 1 GB.
void check_dense_size(std::size_t rows);

}  // namespace rigor
