#include "lcp/block_matrix.h"

#include <algorithm>

namespace rigor {

namespace {

using Index = std::size_t;

Index at(int i) { return static_cast<Index>(i); }

/// The block that each row belongs to.
std::vector<int> block_of_rows(const std::vector<int>& starts) {
  std::vector<int> block(at(starts.back()));
  for (Index b = 0; b + 1 < starts.size(); ++b)
    for (int i = starts[b]; i < starts[b + 1]; ++i) block[at(i)] = static_cast<int>(b);
  return block;
}

}  // namespace

std::span<const double> BlockMatrix::diagonal_block(int block) const {
  const int n = size_of(block);
  return {data.data() + data_begin[at(diagonal[at(block)])], at(n * n)};
}

double BlockMatrix::diagonal_entry(int block, int i) const { return diagonal_block(block)[at(i * size_of(block) + i)]; }

double* BlockMatrix::find(int i, int j) {
  const auto begin = column.begin() + row_begin[at(i)], end = column.begin() + row_begin[at(i) + 1];
  const auto found = std::lower_bound(begin, end, j);
  if (found == end || *found != j) return nullptr;
  return data.data() + data_begin[at(static_cast<int>(found - column.begin()))];
}

void BlockMatrix::set_pattern(std::vector<int> starts, std::vector<std::vector<int>> columns) {
  start = std::move(starts);
  row_begin.assign(1, 0), column.clear(), data_begin.clear(), diagonal.clear();
  int filled = 0;
  for (Index i = 0; i < columns.size(); ++i) {
    std::vector<int>& row = columns[i];
    row.push_back(static_cast<int>(i));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const int j : row) {
      if (j == static_cast<int>(i)) diagonal.push_back(static_cast<int>(column.size()));
      column.push_back(j);
      data_begin.push_back(filled);
      filled += size_of(static_cast<int>(i)) * size_of(j);
    }
    row_begin.push_back(static_cast<int>(column.size()));
  }
  data.assign(at(filled), 0);
}

void BlockMatrix::add_row(int block, const double* x, double* y) const {
  const int n = size_of(block);
  for (int k = row_begin[at(block)]; k < row_begin[at(block) + 1]; ++k) {
    const int j = column[at(k)], m = size_of(j);
    const double* W = data.data() + data_begin[at(k)];
    const double* v = x + start[at(j)];
    if (n == 3 && m == 3) {
      y[0] += W[0] * v[0] + W[1] * v[1] + W[2] * v[2];
      y[1] += W[3] * v[0] + W[4] * v[1] + W[5] * v[2];
      y[2] += W[6] * v[0] + W[7] * v[1] + W[8] * v[2];
      continue;
    }
    for (int a = 0; a < n; ++a) {
      double sum = 0;
      for (int b = 0; b < m; ++b) sum += W[a * m + b] * v[b];
      y[a] += sum;
    }
  }
}

void BlockMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  std::fill(y.begin(), y.end(), 0.0);
  for (int i = 0; i < blocks(); ++i) add_row(i, x.data(), y.data() + start[at(i)]);
}

void SparseEntries::add(int i, int j, double v) { row.push_back(i), column.push_back(j), value.push_back(v); }

BlockMatrix block_matrix(std::vector<int> starts, std::span<const double> dense) {
  SparseEntries entries;
  entries.rows = entries.columns = starts.back();
  for (int i = 0; i < entries.rows; ++i)
    for (int j = 0; j < entries.columns; ++j)
      if (const double v = dense[at(i) * at(entries.columns) + at(j)]; v != 0) entries.add(i, j, v);
  return block_matrix(std::move(starts), entries);
}

BlockMatrix block_matrix(std::vector<int> starts, const SparseEntries& entries) {
  const std::vector<int> block = block_of_rows(starts);
  std::vector<std::vector<int>> columns(starts.size() - 1);
  for (Index k = 0; k < entries.value.size(); ++k)
    columns[at(block[at(entries.row[k])])].push_back(block[at(entries.column[k])]);
  for (std::vector<int>& c : columns) {
    std::sort(c.begin(), c.end());
    c.erase(std::unique(c.begin(), c.end()), c.end());
  }
  BlockMatrix W;
  W.set_pattern(std::move(starts), std::move(columns));
  for (Index k = 0; k < entries.value.size(); ++k) {
    const int i = entries.row[k], j = entries.column[k], a = block[at(i)], b = block[at(j)];
    W.find(a, b)[(i - W.start[at(a)]) * W.size_of(b) + (j - W.start[at(b)])] += entries.value[k];
  }
  return W;
}

}  // namespace rigor
