#include "lcp/row_sweeps.h"

namespace rigor {

namespace {

constexpr int kManyRows = 512;  // fewer than these are swept one after the other. Chosen: lanes would stay empty

}  // namespace

LcpResult RowSweeps::solve(const LcpRows& rows, std::span<double> x, double omega, const IterationSettings& settings) {
  check_but_factors(rows, x);
  const bool many = rows.size() >= kManyRows;
  if (packed_.pack(rows, many)) {
    // Rows that hang on contacts (rolling friction) read multipliers that lanes keep for themselves.
    const bool alone = packed_.behind == packed_.rows.size() && !packed_.contacts.empty();
    PackedOperator op(packed_, x);
    if (many && alone) {
      row_scales(op, d_);
      if (lanes_.pack(packed_, x)) {
        LaneOperator in_lanes(packed_, lanes_, x);
        return gauss_seidel(in_lanes, rows.limits, x, omega, settings, d_);
      }
    }
    return gauss_seidel(op, rows.limits, x, omega, settings, d_);
  }
  for (int i = 0; i < rows.size(); ++i) check_factors(rows, i);
  RowsOperator op(rows, x, v_);
  return gauss_seidel(op, rows.limits, x, omega, settings, d_);
}

}  // namespace rigor
