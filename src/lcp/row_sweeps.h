// Projected Gauss–Seidel with relaxation on rows in factors: contacts in lanes where there are many, packed where they can be.
#pragma once

#include "lcp/lane_contacts.h"

namespace rigor {

/// Keeps its memory from call to call.
class RowSweeps {
 public:
  LcpResult solve(const LcpRows& rows, std::span<double> x, double omega, const IterationSettings& settings);

 private:
  PackedRows packed_;
  LaneContacts lanes_;
  std::vector<double> d_, v_;
};

}  // namespace rigor
