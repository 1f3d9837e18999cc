// Rows packed for sweeps are the same operator as the rows they were made of.
#include "lcp/packed_rows.h"

#include <gtest/gtest.h>

#include "lcp/contact_problem.h"
#include "lcp/random_problems.h"
#include "lcp/row_sweeps.h"
#include "rigor/error.h"

namespace rigor {
namespace {

using test::ContactProblem;
using test::ProblemClass;
using test::ProblemMaker;
using test::RandomProblem;

/// Sums of a few dozen products of numbers up to 10, taken in another order.
constexpr double kRounding = 1e-12;

TEST(PackedRows, IsTheSameOperator) {
  ProblemMaker maker(7);
  for (const int n : {1, 2, 3, 30, 200}) {
    const RandomProblem p = maker.make_rows(ProblemClass::contact, n);
    const LcpRows rows = p.rows();
    Random random(static_cast<std::uint64_t>(n));
    std::vector<double> x, v;
    for (int i = 0; i < n; ++i) x.push_back(random.symmetric(1));
    PackedRows packed;
    ASSERT_TRUE(packed.pack(rows)) << n;
    PackedOperator op(packed, x);
    op.restart();
    RowsOperator plain(rows, x, v);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(op.diagonal(i), plain.diagonal(i), kRounding);
      EXPECT_NEAR(op.row(i), plain.row(i), kRounding);
    }
    x[0] += 0.5;
    op.change(0, 0.5), plain.change(0, 0.5);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(op.row(i), plain.row(i), kRounding);
  }
}

/// A sweep over packed rows moves x as one over plain rows does, friction of idle contacts included.
TEST(PackedRows, SweepsAlike) {
  ProblemMaker maker(8);
  for (const ProblemClass c : {ProblemClass::contact, ProblemClass::mixed}) {
    const RandomProblem p = maker.make_rows(c, 90);
    const LcpRows rows = p.rows();
    std::vector<double> x(90, 0.0), y(90, 0.0), d, e, v;
    PackedRows packed;
    ASSERT_TRUE(packed.pack(rows));
    PackedOperator op(packed, x);
    RowsOperator plain(rows, y, v);
    row_scales(op, d), row_scales(plain, e);
    op.restart();
    for (int sweep = 0; sweep < 5; ++sweep) {
      const Sweep a = gauss_seidel_sweep(op, rows.limits, d, x, 1);
      const Sweep b = gauss_seidel_sweep(plain, rows.limits, e, y, 1);
      // Errors of rounding grow by the condition of a row, up to the mass ratio of 100.
      EXPECT_NEAR(a.change, b.change, 1e3 * kRounding);
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e3 * kRounding) << i;
    }
  }
}

TEST(PackedRows, ContactsAreTheSameOperatorAndSweepAlike) {
  const ContactProblem p(20);
  const LcpRows rows = p.rows();
  PackedRows packed;
  ASSERT_TRUE(packed.pack(rows));
  EXPECT_EQ(packed.contacts.size(), 20u);
  EXPECT_TRUE(packed.rows.empty());
  std::vector<double> x(60, 0.0), y(60, 0.0), d, e, v;
  PackedOperator op(packed, x);
  RowsOperator plain(rows, y, v);
  row_scales(op, d), row_scales(plain, e);
  op.restart();
  for (int sweep = 0; sweep < 3; ++sweep) {
    gauss_seidel_sweep(op, rows.limits, d, x, 1), gauss_seidel_sweep(plain, rows.limits, e, y, 1);
    for (int i = 0; i < op.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(d[k], e[k], 10 * kRounding);
      EXPECT_NEAR(x[k], y[k], 1e3 * kRounding) << i;
      EXPECT_NEAR(op.row(i), plain.row(i), 1e3 * kRounding) << i;
    }
  }
}

/// The contacts' own residual is the shared one.
TEST(PackedRows, ContactsHaveTheSharedResidual) {
  const ContactProblem p(20);
  const LcpRows rows = p.rows();
  PackedRows packed;
  ASSERT_TRUE(packed.pack(rows));
  std::vector<double> x(60, 0.0), d, v;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.01 * static_cast<double>(i % 7) - 0.02;
  PackedOperator op(packed, x);
  row_scales(op, d);
  op.restart();
  const RowsOperator plain(rows, x, v);
  EXPECT_NEAR(residual_scale(op, rows.limits, d), residual_scale(plain, rows.limits, d), kRounding);
  EXPECT_NEAR(natural_residual(op, rows.limits, d, x), natural_residual(plain, rows.limits, d, x), 1e3 * kRounding);
}

TEST(PackedRows, ContactsThatAreNotFiniteAreRefused) {
  for (const bool in_JW : {false, true})
    for (const double bad : {std::nan(""), kUnbounded}) {
      ContactProblem p(20);
      (in_JW ? p.JW : p.J)[31][4] = bad;
      std::vector<double> x(60, 0.0);
      RowSweeps sweeps;
      EXPECT_THROW(sweeps.solve(p.rows(), x, 1, {}), Error);
    }
}

/// Three rows limited as a contact's that are none: solved all the same, row by row.
TEST(PackedRows, TangentsThatAreNotPerpendicularArePlainRows) {
  ContactProblem p(20);
  p.J[1] = p.J[2], p.JW[1] = p.JW[2];
  PackedRows packed;
  ASSERT_TRUE(packed.pack(p.rows()));
  EXPECT_TRUE(packed.contacts.empty());
  EXPECT_EQ(packed.rows.size(), 60u);
}

TEST(PackedRows, RefusesRowsThatAreNotBetweenTwoMasses) {
  ProblemMaker maker(9);
  PackedRows packed;
  RandomProblem p = maker.make_rows(ProblemClass::contact, 30);
  p.J[4][0] += 0.25;  // forces that are not opposite
  EXPECT_FALSE(packed.pack(p.rows()));
  p = maker.make_rows(ProblemClass::contact, 30);
  p.JW[4][1] += 0.25;  // a mass that differs with the direction
  EXPECT_FALSE(packed.pack(p.rows()));
  // Solved all the same, as plain rows.
  std::vector<double> x(30, 0.0);
  RowSweeps sweeps;
  sweeps.solve(p.rows(), x, 1, {});
  for (const double v : x) EXPECT_TRUE(std::isfinite(v));
}

}  // namespace
}  // namespace rigor
