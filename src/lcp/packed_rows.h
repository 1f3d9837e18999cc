// Rows in factors, laid out for sweeps: what every visit of a row reads lies in one cache line, its factors J and JW in the
// next three, velocities in one line per body. Neighbouring rows of the same two bodies keep these velocities in registers.
//
// The same operator as RowsOperator (sums are taken in another order). A sweep does not touch the factors of a row whose
// limits are zero, as they are for the friction of a contact that carries nothing.
#pragma once

#include "lcp/gauss_seidel.h"

namespace rigor {

class PackedRows {
 public:
  using Pair = double __attribute__((vector_size(16)));  // GCC and clang on every machine; lanes are independent

  /// One line per row.
  struct alignas(64) Head {
    double b, gamma;
    double scale;    // d_i of the shared residual
    double inverse;  // 1 / d_i
    double lo, hi;   // with a dependency: hi is the factor
    int dependency;  // -1: none
    int first, second;
    int run_end;  // one past the last neighbour with the same bodies
  };
  struct alignas(64) Factors {
    Pair J[6], JW[6];
  };
  struct alignas(64) Velocity {
    Pair at[3];
  };

  /// Memory is kept from call to call.
  void pack(const LcpRows& rows);

  std::vector<Head> heads;
  std::vector<Factors> factors;
  std::vector<Velocity> velocities;  // the first one is that of what cannot move, and stays zero
};

class PackedOperator {
 public:
  /// `packed` has to hold the rows already.
  PackedOperator(PackedRows& packed, std::span<const double> x) : p_(packed), x_(x) {}

  int size() const { return static_cast<int>(p_.heads.size()); }
  double diagonal(int i) const;
  double constant(int i) const { return p_.heads[static_cast<std::size_t>(i)].b; }
  double row(int i) const;
  void change(int i, double delta);
  void restart();

  PackedRows& packed() { return p_; }

 private:
  PackedRows& p_;
  std::span<const double> x_;
};

/// Also keeps the scales with the rows, for the sweep.
void row_scales(PackedOperator& op, std::vector<double>& d);
/// The sweep of gauss_seidel.h; `limits` and `d` are those that were packed.
Sweep gauss_seidel_sweep(PackedOperator& op, const LcpLimits& limits, std::span<const double> d, std::span<double> x,
                         double omega);

}  // namespace rigor
