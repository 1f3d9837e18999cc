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

/// Rows of solve_wide() at a time: the sums of one row follow each other, those of several do not wait for each other.
constexpr int kRowVectors = 3;
constexpr int kRowLanes = kRowVectors * kWidth;

/// Rows are independent of each other: a lane has one.
void solve_wide(ConstPanelView L, int size, PanelView X, int rows) {
  const PanelLanes d;
  double x[kMostTriangle * kRowLanes];
  for (int begin = 0; begin < rows; begin += kRowLanes) {
    const int count = rows - begin < kRowLanes ? rows - begin : kRowLanes;
    double* const first = X.data + static_cast<std::ptrdiff_t>(begin) * X.stride;
    for (int r = 0; r < kRowLanes; ++r)
      for (int j = 0; j < size; ++j)
        x[j * kRowLanes + r] = r < count ? first[static_cast<std::ptrdiff_t>(r) * X.stride + j] : 0;
    for (int j = 0; j < size; ++j) {
      const double* l = L.data + static_cast<std::ptrdiff_t>(j) * L.stride;
      Num<PanelLanes> sum[kRowVectors];
      RIGOR_UNROLL
      for (int v = 0; v < kRowVectors; ++v) sum[v] = load(d, x + j * kRowLanes + v * kWidth);
      for (int k = 0; k < j; ++k) {
        const Num<PanelLanes> factor = number(d, l[k]);
        RIGOR_UNROLL
        for (int v = 0; v < kRowVectors; ++v) sum[v] -= load(d, x + k * kRowLanes + v * kWidth) * factor;
      }
      const Num<PanelLanes> pivot = number(d, l[j]);
      RIGOR_UNROLL
      for (int v = 0; v < kRowVectors; ++v) store(d, sum[v] / pivot, x + j * kRowLanes + v * kWidth);
    }
    for (int r = 0; r < count; ++r)
      for (int j = 0; j < size; ++j) first[static_cast<std::ptrdiff_t>(r) * X.stride + j] = x[j * kRowLanes + r];
  }
}

/// Four partial sums whatever the instruction set, so that results do not depend on it.
constexpr int kSums = 4;
using SumLanes = hn::CappedTag<double, kSums>;
constexpr int kSumWidth = static_cast<int>(hn::MaxLanes(SumLanes()));
constexpr int kSumVectors = kSums / kSumWidth;

/// y −= A x for six rows of A.
HWY_INLINE void subtract_six_rows(const double* A, std::ptrdiff_t stride, const double* x, int width, double* y) {
  const SumLanes d;
  Num<SumLanes> s[kPanelRows][kSumVectors];
  RIGOR_UNROLL
  for (int i = 0; i < kPanelRows; ++i) RIGOR_UNROLL
  for (int v = 0; v < kSumVectors; ++v) s[i][v] = number(d, 0);
  int k = 0;
  for (; k + kSums <= width; k += kSums) {
    RIGOR_UNROLL
    for (int v = 0; v < kSumVectors; ++v) {
      const Num<SumLanes> b = load(d, x + k + v * kSumWidth);
      RIGOR_UNROLL
      for (int i = 0; i < kPanelRows; ++i) s[i][v] += load(d, A + i * stride + k + v * kSumWidth) * b;
    }
  }
  RIGOR_UNROLL
  for (int i = 0; i < kPanelRows; ++i) {
    double t[kSums];
    RIGOR_UNROLL
    for (int v = 0; v < kSumVectors; ++v) store(d, s[i][v], t + v * kSumWidth);
    double sum = (t[0] + t[1]) + (t[2] + t[3]);
    for (int j = k; j < width; ++j) sum += A[i * stride + j] * x[j];
    y[i] -= sum;
  }
}

void forward_wide(ConstPanelView panel, int own, const int* row, int count, double* x) {
  const std::ptrdiff_t w = panel.stride;
  double* const y = x + static_cast<std::ptrdiff_t>(kPanelRows) * row[0];
  for (int b = 0; b < own; ++b) {
    const double* l = panel.data + b * kPanelRows * w;
    double* t = y + b * kPanelRows;
    subtract_six_rows(l, w, y, b * kPanelRows, t);
    l += b * kPanelRows;
    for (int i = 0; i < kPanelRows; ++i) {
      double sum = t[i];
      for (int k = 0; k < i; ++k) sum -= l[i * w + k] * t[k];
      t[i] = sum / l[i * w + i];
    }
  }
  for (int b = own; b < count; ++b)
    subtract_six_rows(panel.data + b * kPanelRows * w, w, y, panel.stride,
                      x + static_cast<std::ptrdiff_t>(kPanelRows) * row[b]);
}

/// y −= Aᵀ x for six rows of A, each of `width` numbers.
HWY_INLINE void subtract_six_columns(const double* A, std::ptrdiff_t stride, const double* x, int width, double* y) {
  const PanelLanes d;
  Num<PanelLanes> value[kPanelRows];
  RIGOR_UNROLL
  for (int r = 0; r < kPanelRows; ++r) value[r] = number(d, x[r]);
  int k = 0;
  for (; k + kWidth <= width; k += kWidth) {
    Num<PanelLanes> rest = load(d, y + k);
    RIGOR_UNROLL
    for (int r = 0; r < kPanelRows; ++r) rest -= load(d, A + r * stride + k) * value[r];
    store(d, rest, y + k);
  }
  for (; k < width; ++k) {
    double rest = y[k];
    for (int r = 0; r < kPanelRows; ++r) rest -= A[r * stride + k] * x[r];
    y[k] = rest;
  }
}

void backward_wide(ConstPanelView panel, int own, const int* row, int count, double* x) {
  const std::ptrdiff_t w = panel.stride;
  double* const y = x + static_cast<std::ptrdiff_t>(kPanelRows) * row[0];
  for (int b = own; b < count; ++b)
    subtract_six_columns(panel.data + b * kPanelRows * w, w, x + static_cast<std::ptrdiff_t>(kPanelRows) * row[b],
                         panel.stride, y);
  for (int b = own; b-- > 0;) {
    const double* l = panel.data + b * kPanelRows * w;
    double* t = y + b * kPanelRows;
    for (int i = kPanelRows; i-- > 0;) {
      t[i] /= l[i * w + b * kPanelRows + i];
      for (int k = 0; k < i; ++k) t[k] -= l[i * w + b * kPanelRows + k] * t[i];
    }
    subtract_six_columns(l, w, t, b * kPanelRows, y);
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
HWY_EXPORT(forward_wide);
HWY_EXPORT(backward_wide);

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

void solve_panel_forward(ConstPanelView panel, int own, const int* row, int count, double* x) {
  HWY_DYNAMIC_DISPATCH(forward_wide)(panel, own, row, count, x);
}

void solve_panel_backward(ConstPanelView panel, int own, const int* row, int count, double* x) {
  HWY_DYNAMIC_DISPATCH(backward_wide)(panel, own, row, count, x);
}

}  // namespace rigor
#endif
