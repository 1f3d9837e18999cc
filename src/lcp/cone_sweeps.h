// One sweep of block Gauss–Seidel over a cone problem: each contact exactly (cone_contact.h), a joint's equations at once, rows with
// limits one after the other. The sweep of `nsgs`, and the safeguard of the Newton methods.
#pragma once

#include "lcp/cone_contact.h"

namespace rigor {

class ConeSweeps {
 public:
  explicit ConeSweeps(const ConeProblem& problem);

  /// Every block once. Returns the largest change d |Δr|, m/s, an estimate of the error before the sweep.
  double sweep(std::span<double> r, bool backwards = false);

 private:
  double solve_contact_block(int b, double* v, double* r);
  double solve_rows(int b, double* v, double* r);

  const ConeProblem& problem_;
  std::vector<ContactFactors> contacts_;    // by block
  std::vector<int> inverse_;                // by block: where its inverse begins, −1: row after row
  std::vector<double> inverses_, v_, old_;  // v_, old_: scratch
};

}  // namespace rigor
