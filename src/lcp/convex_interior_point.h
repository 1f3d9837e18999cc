// A primal-dual interior-point method for the convex problem of convex_problem.h, for what Newton's method on the velocities alone does not solve in a few iterations: where stiff contacts begin to
// stick one after the other, each is a kink that ends a line search. With impulses γ and residual velocities z as unknowns of their own,
//
//   M (v − v*) = Jᵀ γ,    J v − v̂ + R γ = Aᵀ s,    x ∘ s = κ e,   x = A γ
//
// where A copies a contact's normal impulse into each of its groups: x_g = (μ_g γ_n, γ_g) and s_g lie in Lorentz' cone. Rows with limits have (γ − lo) s_lo = κ and (hi − γ) s_hi = κ. Nesterov's and
// Todd's scaling S x = s makes a step symmetric, and of the pattern of the primal method:
//
//   (M + Jᵀ Q⁻¹ J) Δv = …,   Q = R + Aᵀ S A,  block by block
//
// R may be as small as one likes. Steps are Mehrotra's: a first one with κ = 0 shows how small κ may be made, the second goes there with the products of the first as corrections. De Saxcé's shift, where it is asked for,
// follows the slip from iteration to iteration. About ten iterations, whatever the stiffness; a first guess is of no use (Andersen, Dahl, Vandenberghe 2013, coneqp).
#pragma once

#include "lcp/block_cholesky.h"
#include "lcp/convex_problem.h"

namespace rigor {

class ConvexInteriorPoint {
 public:
  struct Result {
    bool converged = false;
    int iterations = 0;
    double residual = 0;  // relative: the largest of the equations' errors and of the gap
  };

  /// Writes v, the impulses γ, which lie in their cones, and the problem's shifts.
  Result solve(ConvexProblem& problem, BlockCholesky& factors, std::span<double> v, std::span<double> gamma,
               int iterations, double tolerance, bool with_shift);

 private:
  /// One cone: a normal with a group, a normal alone, or one side of a row with limits.
  struct Cone {
    int block = 0, row = 0, size = 1;  // first row of the group's tangents; size 1: the orthant
    double mu = 1, sign = 1;           // x_0 = μ γ_n, or sign · (γ − bound)
    double bound = 0;
    bool limit = false, alone = true;  // alone: no other cone shares its rows
    double x[3]{}, s[3]{}, dx[3]{}, ds[3]{};
    double W[9]{}, lambda[3]{};  // scaling: λ = W x = W⁻¹ s
    // S = W² of Lorentz' cone: η² (cosh, sinh; sinh, cosh) on the normal and the direction `along`, η² across; and terms of the product with Q⁻¹.
    double eta2 = 0, cosh = 1, sinh = 0, along[2]{};
    double in_plane = 0, across = 0, coupling = 0;
  };

  void start(const ConvexProblem& problem, std::span<const double> v, std::span<double> gamma);
  void make_cones(const ConvexProblem& problem);
  void read_cones(const ConvexProblem& problem, std::span<const double> gamma);
  bool scale_cones();
  void residuals(const ConvexProblem& problem, std::span<const double> v, std::span<const double> gamma);
  bool factorise(const ConvexProblem& problem, BlockCholesky& factors);
  void step(const ConvexProblem& problem, BlockCholesky& factors, double kappa, bool corrected);
  void share_changes(const ConvexProblem& problem);
  double longest() const;
  double update_shifts(ConvexProblem& problem, int iteration);
  double momentum_error(const ConvexProblem& problem, std::span<const double> v) const;
  void move(const ConvexProblem& problem, double alpha, std::span<double> v, std::span<double> gamma);
  double gap() const;
  void prepare_contact(const ConvexProblem& problem, const ConvexBlock& block, std::size_t index);
  void solve_contact(std::size_t index, double* x) const;
  void write_inverse(const ConvexProblem& problem, const ConvexBlock& block, std::size_t index);
  void times_inverse(const ConvexProblem& problem, std::vector<double>& x) const;
  void write_targets(const ConvexProblem& problem, double kappa, bool corrected);
  void write_cone_steps(const ConvexProblem& problem);

  std::vector<Cone> cones_;
  std::vector<int> cone_begin_;  // by block
  std::vector<std::size_t> Q_begin_;
  std::vector<int> sizes_;                                       // rows, by block
  std::vector<unsigned> held_;                                   // by block: bit i is set if row i may have an impulse
  std::vector<double> normal_;                                   // 1/N, by block
  std::vector<double> Q_, c_, r1_, r2_, dv_, dgamma_, v_c_, t_;  // Q⁻¹; Aᵀ c; residuals; steps
};

/// H = M + Jᵀ G J into the factors; G as convex_block() writes it, by block from `begin` on.
void assemble_convex(const ConvexProblem& problem, std::span<const std::size_t> begin, std::span<const double> G,
                     BlockCholesky& factors);

}  // namespace rigor
