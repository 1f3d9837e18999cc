// W of a cone problem as an Eigen matrix, for solvers that factorise. To be included by those only, because it includes Eigen.
#pragma once

#include <Eigen/SparseCore>

#include "lcp/cone_problem.h"

namespace rigor {

using ConeMatrix = Eigen::SparseMatrix<double>;

/// Every entry of every block, zeros included, so that the pattern does not depend on values.
inline ConeMatrix cone_matrix(const BlockMatrix& W) {
  using Index = std::size_t;
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(W.data.size());
  for (int i = 0; i < W.blocks(); ++i)
    for (int k = W.row_begin[Index(i)]; k < W.row_begin[Index(i) + 1]; ++k) {
      const int j = W.column[Index(k)], m = W.size_of(j);
      const double* w = W.data.data() + W.data_begin[Index(k)];
      for (int a = 0; a < W.size_of(i); ++a)
        for (int b = 0; b < m; ++b) entries.emplace_back(W.start[Index(i)] + a, W.start[Index(j)] + b, w[a * m + b]);
    }
  ConeMatrix matrix(W.size(), W.size());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace rigor
