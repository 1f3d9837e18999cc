// One contact alone, exactly: given its block W of the matrix and the velocity v that it has without its own impulse,
//
//   find r:  u = W r + v,   r_n ≥ 0, u_n ≥ 0, r_n u_n = 0,   r_t = −μ r_n u_t/‖u_t‖ where u_t ≠ 0, ‖r_t‖ ≤ μ r_n
//
// Cases (the RaiSim rule of Hwangbo, Lee, Hutter 2018, and the quartic of Bonnefon, Daviet 2011):
//   v_n ≥ 0   r = 0.
//   otherwise u_n = 0, and u_t = −α r_t with α ≥ 0. With S = W_tt − W_tn W_nt / W_nn and ṽ = v_t − W_tn v_n / W_nn,
//             r_t(α) = −(S + α)⁻¹ ṽ,   r_n(α) = −(v_n + W_nt r_t) / W_nn.
//   stick     α = 0, if ‖r_t(0)‖ ≤ μ r_n(0).
//   slip      the α > 0 at which ‖r_t‖ = μ r_n; it exists, since ‖r_t‖ → 0 and r_n → −v_n/W_nn > 0 for large α. In the eigenvectors
//             of S it is a scalar equation, solved by Newton's method within a bracket.
// Groups of rolling and spinning are solved one after the other for the r_n found.
#pragma once

#include <array>

#include "lcp/cone_problem.h"

namespace rigor {

/// What depends on W alone.
struct ContactFactors {
  double nn = 0;                // W_nn; zero: the contact cannot be moved
  std::array<double, 2> tn{};   // W_tn in the eigenvectors of S
  std::array<double, 2> s{};    // eigenvalues of S, of one tangent only s[0]
  double cosine = 1, sine = 0;  // the eigenvectors
  int tangents = 0;             // 0, 1 or 2
};

ContactFactors contact_factors(const ConeBlock& block, std::span<const double> W);

/// Writes the impulse of normal and tangents to r. v: velocities without it.
void solve_contact(const ContactFactors& factors, double mu, const double* v, double* r);

/// r within a disk of the given radius that opposes W r + v: W (size × size, with row length `stride`) of a group of one or two rows.
void solve_disk(const double* W, int stride, int size, double radius, const double* v, double* r);

}  // namespace rigor
