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
// R may be as small as one likes. Steps are Mehrotra's: a first one with κ = 0 shows how small κ may be made, the second goes there with the products of the first as corrections (Andersen, Dahl, Vandenberghe 2013,
// coneqp). De Saxcé's shift, where it is asked for, follows the slip in the first iterations. About ten iterations, whatever the stiffness.
//
// Two additions save a third of them. Further corrections with the same factors bring back the products x ∘ s that would be far from κ at the end of a longer step (Gondzio 1996): a correction is a back substitution, a tenth of a
// factorisation in heaps. And the method begins near a guess of v and γ where there is one: with z = x − s/w of the guess, x = (z + √(z² + 4 κ/w))/2 in Jordan's algebra and s = κ x⁻¹ are on the central
// path of their own cone, and κ is the energy that the guess is wrong by, so that a good guess begins close to the boundary and a bad one in the middle of the cones.
#pragma once

#include <array>

#include "lcp/block_cholesky.h"
#include "lcp/convex_problem.h"

namespace rigor {

struct InteriorSettings {
  int iterations = 100;
  double tolerance = 1e-8;
  bool with_shift = false;    // follows de Saxcé's term
  bool is_continued = false;  // v and γ are a guess; otherwise it begins at v* and in the middle of the cones
  int corrections = 0;        // most corrections by Gondzio in an iteration
};

class ConvexInteriorPoint {
 public:
  struct Result {
    bool converged = false;
    int iterations = 0;
    double residual = 0;  // relative: the largest of the equations' errors and of the gap
  };

  /// Writes v, the impulses γ, which lie in their cones, and the problem's shifts.
  Result solve(ConvexProblem& problem, BlockCholesky& factors, std::span<double> v, std::span<double> gamma,
               const InteriorSettings& settings);

 private:
  /// One cone: a normal with a group, a normal alone, or one side of a row with limits.
  struct Cone {
    int block = 0, row = 0, size = 1;  // first row of the group's tangents; size 1: the orthant
    double mu = 1, sign = 1;           // x_0 = μ γ_n, or sign · (γ − bound)
    double bound = 0;
    bool limit = false, alone = true;  // alone: no other cone shares its rows
    double x[3]{}, s[3]{}, dx[3]{}, ds[3]{};
    double kept_dx[3]{}, kept_ds[3]{};  // the step before a correction
    double target[3]{}, products[3]{};  // W Δx + W⁻¹ Δs, and λ ∘ target
    double W[9]{}, lambda[3]{};         // scaling: λ = W x = W⁻¹ s
    // S = W² of Lorentz' cone: η² (cosh, sinh; sinh, cosh) on the normal and the direction `along`, η² across; and terms of the product with Q⁻¹.
    double eta2 = 0, cosh = 1, sinh = 0, along[2]{};
    double in_plane = 0, across = 0, coupling = 0;
  };

  struct Scale {
    double energy = 0, speed = 0;  // J and m/s that errors are relative to
  };

  Scale start(const ConvexProblem& problem, std::span<double> v, std::span<double> gamma);
  void start_near(ConvexProblem& problem, std::span<const double> v, std::span<double> gamma, double energy,
                  bool with_shift);
  double guess_error(const ConvexProblem& problem, std::span<const double> gamma);
  void write_start(const ConvexProblem& problem, double kappa, std::span<double> gamma);
  void make_cones(const ConvexProblem& problem);
  void read_cones(const ConvexProblem& problem, std::span<const double> gamma);
  bool scale_cones();
  void residuals(const ConvexProblem& problem, std::span<const double> v, std::span<const double> gamma);
  bool factorise(const ConvexProblem& problem, BlockCholesky& factors);
  enum class Step { predictor, corrector, correction };
  void step(const ConvexProblem& problem, BlockCholesky& factors, double kappa, Step kind);
  double find_step(const ConvexProblem& problem, BlockCholesky& factors, double kappa, double least, int corrections);
  double gap_after(double alpha) const;
  void keep_step();
  void restore_step();
  void add_corrections(double kappa, double alpha);
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
  void write_targets(const ConvexProblem& problem, double kappa, Step kind);
  void write_cone_steps(const ConvexProblem& problem);

  std::vector<Cone> cones_;
  std::vector<int> cone_begin_;  // by block
  std::vector<std::size_t> Q_begin_;
  std::vector<int> sizes_;                                       // rows, by block
  std::vector<unsigned> held_;                                   // by block: bit i is set if row i may have an impulse
  std::vector<double> normal_;                                   // 1/N, by block
  std::vector<double> Q_, c_, r1_, r2_, dv_, dgamma_, v_c_, t_;  // Q⁻¹; Aᵀ c; residuals; steps
  std::vector<double> kept_dv_, kept_dgamma_, guess_v_, guess_gamma_;
  double second_order_ = 1;               // the part of the predictor's products that the corrector takes
  std::vector<std::array<double, 3>> z_;  // of the guess, by cone
};

/// H = M + Jᵀ G J into the factors; G as convex_block() writes it, by block from `begin` on.
void assemble_convex(const ConvexProblem& problem, std::span<const std::size_t> begin, std::span<const double> G,
                     BlockCholesky& factors);

}  // namespace rigor
