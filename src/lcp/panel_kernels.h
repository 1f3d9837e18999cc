// Products of dense panels for block_cholesky.h, in SIMD lanes. Panels are stored row by row; `stride` is the distance of two rows.
//
// Every entry is summed by one lane in the order of k, or as four partial sums in a fixed order, with products rounded before they are added, so results do not depend on the instruction set.
#pragma once

#include <vector>

namespace rigor {

struct PanelView {
  double* data;
  int stride;  // numbers from one row to the next
};

struct ConstPanelView {
  const double* data;
  int stride;
};

/// Rows of A are taken six at a time: `rows` of A and C is a multiple of six.
inline constexpr int kPanelRows = 6;

/// C ← C − A Bᵀ, of rows × columns, with `depth` numbers in each row of A and B. `scratch` holds B in the order in which it is read.
void subtract_panel_product(ConstPanelView A, ConstPanelView B, PanelView C, int rows, int columns, int depth,
                            std::vector<double>& scratch);
/// Blocks of six by six numbers of a panel: block (i, j) is at row 6 row[i] and column 6 column[j].
struct PanelBlocks {
  double* data;
  int stride;
  const int* row;     // by block of rows
  const int* column;  // by block of columns
};
/// C(i, j) ← C(i, j) − A_i A_jᵀ for j ≤ i < rows and j < columns, where A_i are the rows 6 i … 6 i + 5 of A, each of `depth` numbers.
void subtract_block_products(ConstPanelView A, const PanelBlocks& C, int rows, int columns, int depth,
                             std::vector<double>& scratch);
/// X ← X L⁻ᵀ for a lower triangle L of `size` × `size`, at most kMostTriangle.
inline constexpr int kMostTriangle = 24;
void solve_panel_rows(ConstPanelView L, int size, PanelView X, int rows);
/// One supernode of L x = b, and of Lᵀ x = b: a panel of 6 own columns whose blocks of six rows are `row`, first those of its own columns, which follow each other. x has six numbers for each row.
void solve_panel_forward(ConstPanelView panel, int own, const int* row, int count, double* x);
void solve_panel_backward(ConstPanelView panel, int own, const int* row, int count, double* x);

}  // namespace rigor
