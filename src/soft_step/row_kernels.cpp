#include "soft_step/row_kernels.h"

#include "math/lane_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "soft_step/row_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 4>;
constexpr std::size_t kWidth = hn::MaxLanes(Tag());

/// One row of C, `Registers` at a time in registers.
template <bool kAdds, std::size_t Registers>
HWY_INLINE void multiply_row(const double* a, std::size_t inner, const double* B, double* c, std::size_t stride) {
  const Tag d;
  hn::Vec<Tag> sum[Registers];
  for (std::size_t v = 0; v < Registers; ++v) sum[v] = hn::LoadU(d, c + v * kWidth);
  for (std::size_t k = 0; k < inner; ++k) {
    const auto factor = hn::Set(d, a[k]);
    for (std::size_t v = 0; v < Registers; ++v) {
      const auto product = hn::Mul(factor, hn::LoadU(d, B + k * stride + v * kWidth));
      sum[v] = kAdds ? hn::Add(sum[v], product) : hn::Sub(sum[v], product);
    }
  }
  for (std::size_t v = 0; v < Registers; ++v) hn::StoreU(sum[v], d, c + v * kWidth);
}

template <bool kAdds>
HWY_INLINE void multiply(const double* A, std::size_t from_row, std::size_t rows, std::size_t inner, const double* B,
                         double* C, std::size_t stride) {
  constexpr std::size_t kFour = 4 / kWidth;  // registers for four numbers
  for (std::size_t r = 0; r < rows; ++r) {
    const double* a = A + r * from_row;
    std::size_t at = 0;
    for (; at + 8 <= stride; at += 8) multiply_row<kAdds, 2 * kFour>(a, inner, B + at, C + r * stride + at, stride);
    if (at < stride) multiply_row<kAdds, kFour>(a, inner, B + at, C + r * stride + at, stride);
  }
}

void add_products(const double* A, std::size_t from_row, std::size_t rows, std::size_t inner, const double* B,
                  double* C, std::size_t stride) {
  multiply<true>(A, from_row, rows, inner, B, C, stride);
}
void subtract_products(const double* A, std::size_t from_row, std::size_t rows, std::size_t inner, const double* B,
                       double* C, std::size_t stride) {
  multiply<false>(A, from_row, rows, inner, B, C, stride);
}

void solve_rows(const double* U, std::size_t n, double* X, std::size_t rows, std::size_t stride) {
  const Tag d;
  for (std::size_t j = 0; j + 1 < n; ++j)
    for (std::size_t r = 0; r < rows; ++r) {
      double* x = X + r * stride;
      const auto factor = hn::Set(d, x[j]);
      for (std::size_t at = (j + 1) / kWidth * kWidth; at < stride; at += kWidth)
        hn::StoreU(hn::Sub(hn::LoadU(d, x + at), hn::Mul(factor, hn::LoadU(d, U + j * stride + at))), d, x + at);
    }
}

void scale_columns(const double* scale, double* X, std::size_t rows, std::size_t stride) {
  const Tag d;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t at = 0; at < stride; at += kWidth)
      hn::StoreU(hn::Mul(hn::LoadU(d, X + r * stride + at), hn::LoadU(d, scale + at)), d, X + r * stride + at);
}

RowKernels kernels() { return {add_products, subtract_products, solve_rows, scale_columns}; }

}  // namespace HWY_NAMESPACE
}  // namespace rigor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigor {

HWY_EXPORT(kernels);

RowKernels row_kernels() { return HWY_DYNAMIC_DISPATCH(kernels)(); }

}  // namespace rigor
#endif
