// The lower triangle of a symmetric A in compressed columns, without a dense A in between.
#pragma once

#include <vector>

#include "lcp/lcp.h"

namespace rigor {

struct SparseLower {
  int n = 0;
  std::vector<int> column_begin;  // n + 1 positions in `row` and `value`
  std::vector<int> row;           // ascending within a column, the diagonal first
  std::vector<double> value;

  bool same_pattern(const SparseLower& other) const {
    return n == other.n && column_begin == other.column_begin && row == other.row;
  }
};

/// The entries that are not zero, and the whole diagonal.
SparseLower sparse_lower(const LcpProblem& problem);
/// An entry for every pair of rows that share a body, whatever its value, so that the pattern stays while bodies move.
SparseLower sparse_lower(const LcpRows& rows);

}  // namespace rigor
