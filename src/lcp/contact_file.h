// Friction-contact problems as plain text, in the form of Siconos' numerics (its frictionContact_… and globalFrictionContact_… functions
// read and write the same files):
//
//   reduced   dimension, contacts, W, q, μ              u = W r + q
//   global    dimension, contacts, M, H, q, b, μ        M v = q + H r,  u = Hᵀ v + b;   W = Hᵀ M⁻¹ H,  q_reduced = b + Hᵀ M⁻¹ q
//
// with the normal as the first of a contact's 3 (or 2) components. A matrix is its storage, its two sizes and then: 0 dense by columns,
// 1 sparse blocks (each by columns), 2 sparse as CSparse prints it. A solution r may follow the friction coefficients.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lcp/cone_problem.h"

namespace rigor {

struct ContactFile {
  int dimension = 3, contacts = 0;
  bool global = false;
  SparseEntries W;     // reduced
  SparseEntries M, H;  // global
  std::vector<double> q, b, mu;
  std::vector<double> solution;  // r, empty when the file has none

  /// The reduced problem. Error where M is singular.
  ConeProblem problem() const;
};

/// Error, in one sentence with the place in the file, for what is no such problem.
ContactFile read_contact_file(std::string_view text);
/// Reduced, with W as sparse blocks. Error for blocks that are not contacts of the same dimension with one friction coefficient.
std::string write_contact_file(const ConeProblem& problem, std::span<const double> solution = {});

}  // namespace rigor
