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

// Sums stay in registers only if the loops over them are unrolled, which compilers leave out at -O2.
#ifndef RIGOR_UNROLL
#if defined(__clang__)
#define RIGOR_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define RIGOR_UNROLL _Pragma("GCC unroll 8")
#else
#define RIGOR_UNROLL
#endif
#endif

using PanelLanes = hn::CappedTag<double, 8>;
constexpr int kTile = 8;  // columns
constexpr int kWidth = static_cast<int>(hn::MaxLanes(PanelLanes()));
constexpr int kVectors = kTile / kWidth;

/// Six rows and eight columns of the product; B is packed: eight numbers for each k.
HWY_INLINE void tile_product(const double* A, int stride, const double* B, int depth, double* sum) {
  const PanelLanes d;
  Num<PanelLanes> s[kPanelRows][kVectors];
  RIGOR_UNROLL
  for (int i = 0; i < kPanelRows; ++i) RIGOR_UNROLL
  for (int v = 0; v < kVectors; ++v) s[i][v] = number(d, 0);
  for (int k = 0; k < depth; ++k, B += kTile) {
    Num<PanelLanes> b[kVectors];
    RIGOR_UNROLL
    for (int v = 0; v < kVectors; ++v) b[v] = load(d, B + v * kWidth);
    RIGOR_UNROLL
    for (int i = 0; i < kPanelRows; ++i) {
      const Num<PanelLanes> a = number(d, A[static_cast<std::ptrdiff_t>(i) * stride + k]);
      RIGOR_UNROLL
      for (int v = 0; v < kVectors; ++v) s[i][v] += a * b[v];
    }
  }
  RIGOR_UNROLL
  for (int i = 0; i < kPanelRows; ++i) RIGOR_UNROLL
  for (int v = 0; v < kVectors; ++v) store(d, s[i][v], sum + i * kTile + v * kWidth);
}

void subtract_wide(ConstPanelView A, const double* packed, PanelView C, int rows, int columns, int depth) {
  const PanelLanes d;
  for (int j = 0; j < columns; j += kTile, packed += static_cast<std::ptrdiff_t>(kTile) * depth) {
    const int width = columns - j < kTile ? columns - j : kTile;
    for (int i = 0; i < rows; i += kPanelRows) {
      double sum[kPanelRows * kTile];
      tile_product(A.data + static_cast<std::ptrdiff_t>(i) * A.stride, A.stride, packed, depth, sum);
      for (int r = 0; r < kPanelRows; ++r) {
        double* to = C.data + static_cast<std::ptrdiff_t>(i + r) * C.stride + j;
        const double* s = sum + r * kTile;
        if (width == kTile) {
          for (int v = 0; v < kTile; v += kWidth) store(d, load(d, to + v) - load(d, s + v), to + v);
        } else {
          for (int c = 0; c < width; ++c) to[c] -= s[c];
        }
      }
    }
  }
}

/// The vectors of six columns; the last one may be wider than what is left of them.
constexpr int kBlockVectors = (kPanelRows + kWidth - 1) / kWidth;
constexpr int kLastLanes = kPanelRows - (kBlockVectors - 1) * kWidth;

/// C ← C − A Bᵀ of six rows and columns; B is packed: six numbers for each k, filled up to whole vectors.
HWY_INLINE void subtract_block(const double* A, const double* B, int depth, double* C, int stride) {
  const PanelLanes d;
  Num<PanelLanes> s[kPanelRows][kBlockVectors];
  RIGOR_UNROLL
  for (int i = 0; i < kPanelRows; ++i) RIGOR_UNROLL
  for (int v = 0; v < kBlockVectors; ++v) s[i][v] = number(d, 0);
  for (int k = 0; k < depth; ++k, B += kBlockVectors * kWidth) {
    Num<PanelLanes> b[kBlockVectors];
    RIGOR_UNROLL
    for (int v = 0; v < kBlockVectors; ++v) b[v] = load(d, B + v * kWidth);
    RIGOR_UNROLL
    for (int i = 0; i < kPanelRows; ++i) {
      const Num<PanelLanes> a = number(d, A[static_cast<std::ptrdiff_t>(i) * depth + k]);
      RIGOR_UNROLL
      for (int v = 0; v < kBlockVectors; ++v) s[i][v] += a * b[v];
    }
  }
  RIGOR_UNROLL
  for (int i = 0; i < kPanelRows; ++i) RIGOR_UNROLL
  for (int v = 0; v < kBlockVectors; ++v) {
    double* to = C + static_cast<std::ptrdiff_t>(i) * stride + v * kWidth;
    if constexpr (kLastLanes < kWidth) {
      if (v + 1 == kBlockVectors) {
        const auto first = hn::FirstN(d, static_cast<std::size_t>(kLastLanes));
        hn::BlendedStore(hn::Sub(hn::MaskedLoad(first, d, to), s[i][v].v), first, d, to);
        continue;
      }
    }
    store(d, load(d, to) - s[i][v], to);
  }
}

void subtract_blocks_wide(const double* A, const PanelBlocks& C, int rows, int columns, int depth, double* packed) {
  constexpr int kPacked = kBlockVectors * kWidth;
  const std::ptrdiff_t next = static_cast<std::ptrdiff_t>(kPanelRows) * depth,
                       next_packed = static_cast<std::ptrdiff_t>(kPacked) * depth;
  for (int j = 0; j < columns; ++j)
    for (int c = 0; c < kPacked; ++c) {
      const double* from = A + j * next + static_cast<std::ptrdiff_t>(c) * depth;
      double* to = packed + j * next_packed + c;
      for (int k = 0; k < depth; ++k) to[k * kPacked] = c < kPanelRows ? from[k] : 0;
    }
  for (int i = 0; i < rows; ++i) {
    double* row = C.data + static_cast<std::ptrdiff_t>(kPanelRows * C.row[i]) * C.stride;
    const int until = i + 1 < columns ? i + 1 : columns;
    for (int j = 0; j < until; ++j)
      subtract_block(A + i * next, packed + j * next_packed, depth, row + kPanelRows * C.column[j], C.stride);
  }
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

HWY_EXPORT(subtract_wide);
HWY_EXPORT(subtract_blocks_wide);
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

void subtract_panel_product(ConstPanelView A, ConstPanelView B, PanelView C, int rows, int columns, int depth,
                            std::vector<double>& scratch) {
  HWY_DYNAMIC_DISPATCH(subtract_wide)(A, pack(B, columns, depth, scratch), C, rows, columns, depth);
}

void subtract_block_products(ConstPanelView A, const PanelBlocks& C, int rows, int columns, int depth,
                             std::vector<double>& scratch) {
  constexpr std::size_t kMostPacked = 8;  // numbers for each k, of any instruction set
  scratch.resize(kMostPacked * static_cast<std::size_t>(columns) * static_cast<std::size_t>(depth));
  HWY_DYNAMIC_DISPATCH(subtract_blocks_wide)(A.data, C, rows, columns, depth, scratch.data());
}

void solve_panel_rows(ConstPanelView L, int size, PanelView X, int rows) {
  HWY_DYNAMIC_DISPATCH(solve_wide)(L, size, X, rows);
}

}  // namespace rigor
#endif
