// A square matrix in dense blocks, compressed by block rows: W of a contact problem has a block for every pair of contacts or
// joints that share a body.
#pragma once

#include <span>
#include <vector>

namespace rigor {

struct BlockMatrix {
  std::vector<int> start;       // first row of each block, and the number of rows: blocks + 1
  std::vector<int> row_begin;   // blocks + 1 positions in `column` and `data_begin`
  std::vector<int> column;      // block columns, ascending within a block row
  std::vector<int> data_begin;  // of each block in `data`
  std::vector<int> diagonal;    // position of block (i, i)
  std::vector<double> data;     // blocks row by row

  int blocks() const { return static_cast<int>(row_begin.size()) - 1; }
  int size() const { return start.empty() ? 0 : start.back(); }
  int size_of(int block) const {
    return start[static_cast<std::size_t>(block) + 1] - start[static_cast<std::size_t>(block)];
  }
  std::span<const double> diagonal_block(int block) const;
  /// Entry (i, i) of a block's diagonal.
  double diagonal_entry(int block, int i) const;
  /// The block (i, j), nullptr where there is none.
  double* find(int i, int j);

  /// Blocks of zeros where `columns` has them; the diagonal blocks are always there.
  void set_pattern(std::vector<int> starts, std::vector<std::vector<int>> columns);
  /// y ← W x.
  void multiply(std::span<const double> x, std::span<double> y) const;
  /// y ← y + (W x) of one block row.
  void add_row(int block, const double* x, double* y) const;
};

/// Row-major, size × size; blocks of zeros are left out.
BlockMatrix block_matrix(std::vector<int> starts, std::span<const double> dense);

/// A general sparse matrix as read from a file.
struct SparseEntries {
  int rows = 0, columns = 0;
  std::vector<int> row, column;
  std::vector<double> value;

  void add(int i, int j, double v);
};
BlockMatrix block_matrix(std::vector<int> starts, const SparseEntries& entries);

}  // namespace rigor
