#include "lcp/panel_kernels.h"

#include <cstddef>

#include "math/lane_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lcp/panel_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "math/lane_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {

using PanelLanes = hn::CappedTag<double, 8>;
constexpr int kTile = 8;  // columns
constexpr int kWidth = static_cast<int>(hn::MaxLanes(PanelLanes()));
constexpr int kVectors = kTile / kWidth;

/// Six rows and eight columns of the product; B is packed: eight numbers for each k.
HWY_INLINE void tile_product(const double* A, int stride, const double* B, int depth, double* sum) {
  const PanelLanes d;
  Num<PanelLanes> s[kPanelRows][kVectors];
  for (int i = 0; i < kPanelRows; ++i)
    for (int v = 0; v < kVectors; ++v) s[i][v] = number(d, 0);
  for (int k = 0; k < depth; ++k, B += kTile) {
    Num<PanelLanes> b[kVectors];
    for (int v = 0; v < kVectors; ++v) b[v] = load(d, B + v * kWidth);
    for (int i = 0; i < kPanelRows; ++i) {
      const Num<PanelLanes> a = number(d, A[static_cast<std::ptrdiff_t>(i) * stride + k]);
      for (int v = 0; v < kVectors; ++v) s[i][v] += a * b[v];
    }
  }
  for (int i = 0; i < kPanelRows; ++i)
    for (int v = 0; v < kVectors; ++v) store(d, s[i][v], sum + i * kTile + v * kWidth);
}

template <bool subtract>
HWY_INLINE void product(ConstPanelView A, const double* packed, PanelView C, int rows, int columns, int depth) {
  for (int j = 0; j < columns; j += kTile, packed += static_cast<std::ptrdiff_t>(kTile) * depth) {
    const int width = columns - j < kTile ? columns - j : kTile;
    for (int i = 0; i < rows; i += kPanelRows) {
      double sum[kPanelRows * kTile];
      tile_product(A.data + static_cast<std::ptrdiff_t>(i) * A.stride, A.stride, packed, depth, sum);
      for (int r = 0; r < kPanelRows; ++r) {
        double* to = C.data + static_cast<std::ptrdiff_t>(i + r) * C.stride + j;
        for (int c = 0; c < width; ++c) to[c] = subtract ? to[c] - sum[r * kTile + c] : sum[r * kTile + c];
      }
    }
  }
}

void product_wide(ConstPanelView A, const double* packed, PanelView C, int rows, int columns, int depth) {
  product<false>(A, packed, C, rows, columns, depth);
}

void subtract_wide(ConstPanelView A, const double* packed, PanelView C, int rows, int columns, int depth) {
  product<true>(A, packed, C, rows, columns, depth);
}

/// Rows are independent of each other: a lane has one.
void solve_wide(ConstPanelView L, int size, PanelView X, int rows) {
  const PanelLanes d;
  double x[kMostTriangle * kWidth];
  for (int begin = 0; begin < rows; begin += kWidth) {
    const int count = rows - begin < kWidth ? rows - begin : kWidth;
    double* const first = X.data + static_cast<std::ptrdiff_t>(begin) * X.stride;
    for (int j = 0; j < size; ++j)
      for (int r = 0; r < kWidth; ++r)
        x[j * kWidth + r] = r < count ? first[static_cast<std::ptrdiff_t>(r) * X.stride + j] : 0;
    for (int j = 0; j < size; ++j) {
      const double* l = L.data + static_cast<std::ptrdiff_t>(j) * L.stride;
      Num<PanelLanes> sum = load(d, x + j * kWidth);
      for (int k = 0; k < j; ++k) sum -= load(d, x + k * kWidth) * number(d, l[k]);
      store(d, sum / number(d, l[j]), x + j * kWidth);
    }
    for (int r = 0; r < count; ++r)
      for (int j = 0; j < size; ++j) first[static_cast<std::ptrdiff_t>(r) * X.stride + j] = x[j * kWidth + r];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(product_wide);
HWY_EXPORT(subtract_wide);
HWY_EXPORT(solve_wide);

namespace {

/// B by tiles of eight columns of Bᵀ, the last one filled up with zeros.
const double* pack(ConstPanelView B, int columns, int depth, std::vector<double>& scratch) {
  constexpr int kTile = 8;
  const int tiles = (columns + kTile - 1) / kTile;
  scratch.resize(static_cast<std::size_t>(tiles) * static_cast<std::size_t>(kTile) * static_cast<std::size_t>(depth));
  double* to = scratch.data();
  for (int t = 0; t < tiles; ++t)
    for (int k = 0; k < depth; ++k)
      for (int c = 0; c < kTile; ++c, ++to) {
        const int column = t * kTile + c;
        *to = column < columns ? B.data[static_cast<std::ptrdiff_t>(column) * B.stride + k] : 0;
      }
  return scratch.data();
}

}  // namespace

void panel_product(ConstPanelView A, ConstPanelView B, PanelView C, int rows, int columns, int depth,
                   std::vector<double>& scratch) {
  HWY_DYNAMIC_DISPATCH(product_wide)(A, pack(B, columns, depth, scratch), C, rows, columns, depth);
}

void subtract_panel_product(ConstPanelView A, ConstPanelView B, PanelView C, int rows, int columns, int depth,
                            std::vector<double>& scratch) {
  HWY_DYNAMIC_DISPATCH(subtract_wide)(A, pack(B, columns, depth, scratch), C, rows, columns, depth);
}

void solve_panel_rows(ConstPanelView L, int size, PanelView X, int rows) {
  HWY_DYNAMIC_DISPATCH(solve_wide)(L, size, X, rows);
}

}  // namespace rigor
#endif
