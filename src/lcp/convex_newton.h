// Newton's method with exact line search for the convex problem of convex_problem.h (Castro, Permenter, Han 2022, algorithm 1):
//
//   H Δv = −∇ℓ,   ∇ℓ = M (v − v*) − Jᵀ γ,   H = M + Jᵀ G J,   v ← v + α Δv,   α = argmin ℓ(v + α Δv)
//
// H is factorised in blocks of six by body (block_cholesky.h). ℓ is convex with a continuous gradient that is piecewise smooth, so Newton's method with that α converges from
// any start, in the end quadratically. α is found on φ'(α) = 0 with φ'' known, by Newton's method within a bracket: an evaluation costs O(rows). The measure is
//
//   ‖D ∇ℓ‖ ≤ tolerance · max(‖D M v‖, ‖D Jᵀ γ‖, ‖D M v*‖),   D = diag(M)^(−1/2)
//
// With `rounds` > 0 the minimisation is repeated with de Saxcé's term of the last solution as `shift`, a fixed point whose limit obeys Coulomb's law (Acary, Cadoux, Lemaréchal,
// Malick 2011), until no shift changes by more than `shift_tolerance`. What two to four iterations do not solve, impacts and heaps in motion, goes to the interior-point method of
// convex_interior_point.h, and its result to a Newton method on velocities and impulses together, which brings the digits that the interior-point method leaves.
//
// With `is_continued` the impulses of the last step are a guess, too. Newton's method on velocities and impulses together comes first, which solves what rests or slides steadily in one to five iterations, as long as
// every iteration reduces the error. Otherwise the interior-point method begins near the guess.
#pragma once

#include "lcp/block_cholesky.h"
#include "lcp/convex_interior_point.h"
#include "lcp/convex_problem.h"

namespace rigor {

struct ConvexSettings {
  int iterations = 100;     // in each round
  double tolerance = 1e-8;  // relative
  int rounds = 10;
  double shift_tolerance = 1e-4;  // m/s
  int warm_iterations = 0;        // Newton steps on velocities and impulses together, tried first, from a guess of both
  bool is_exact = true;           // false: give up if the warm iterations do not suffice
  bool is_continued = false;      // the impulses of the last step are a guess
};

struct ConvexResult {
  int iterations = 0;   // of Newton's method, of all rounds
  double residual = 0;  // relative, as above
  bool converged = true;
  LcpStatus status = LcpStatus::solved;
  int worst_body = -1;     // where the gradient is largest
  double worst_error = 0;  // m/s or rad/s, of M⁻¹ ∇ℓ by the diagonal
};

class ConvexNewton {
 public:
  /// `v` holds a first guess and receives the minimum; `gamma` the impulses there. The problem's shifts are written. With warm iterations, or if continued, `gamma` is a
  /// guess, too.
  ConvexResult solve(ConvexProblem& problem, std::span<double> v, std::span<double> gamma,
                     const ConvexSettings& settings);
  /// ℓ, and ∇ℓ where it is not empty.
  double evaluate(const ConvexProblem& problem, std::span<const double> v, std::span<double> gradient);

  const BlockCholesky& factors() const { return factors_; }

 private:
  void set_sizes(const ConvexProblem& problem);
  void set_pattern(const ConvexProblem& problem);
  LcpStatus minimise(const ConvexProblem& problem, const ConvexSettings& settings, std::span<double> v,
                     ConvexResult& result);
  /// ℓ of the blocks at v_c_; writes γ and G.
  double evaluate_blocks(const ConvexProblem& problem);
  /// The measure at v, γ; writes the gradient.
  double measure(const ConvexProblem& problem, std::span<const double> v, ConvexResult& result);
  bool newton_step(const ConvexProblem& problem);
  double line_search(const ConvexProblem& problem, std::span<const double> v);
  struct Slope {
    double first, second;  // φ' and φ''
  };
  Slope slope_at(const ConvexProblem& problem, double alpha, double linear, double quadratic);
  double project_impulses(ConvexProblem& problem, std::span<const double> v, std::span<const double> gamma,
                          ConvexResult& result);
  void eliminate_impulses(const ConvexProblem& problem, std::size_t block, std::span<const double> gamma);
  bool polish_step(const ConvexProblem& problem, std::span<double> v, std::span<double> gamma);
  void polish(ConvexProblem& problem, const ConvexSettings& settings, std::span<double> v, std::span<double> gamma,
              ConvexResult& result);
  bool update_shifts(ConvexProblem& problem, double tolerance);
  double move_shifts(ConvexProblem& problem, double part);
  bool has_inequalities(const ConvexProblem& problem) const;
  bool solve_near(ConvexProblem& problem, std::span<double> v, std::span<double> gamma, const ConvexSettings& settings,
                  ConvexResult& result);
  ConvexResult solve_continued(ConvexProblem& problem, std::span<double> v, std::span<double> gamma,
                               const ConvexSettings& settings);
  void solve_inside(ConvexProblem& problem, std::span<double> v, std::span<double> gamma,
                    const ConvexSettings& settings, const InteriorSettings& inside, ConvexResult& result);
  bool solve_warm(ConvexProblem& problem, std::span<double> v, std::span<double> gamma, const ConvexSettings& settings,
                  ConvexResult& result);

  BlockCholesky factors_;
  ConvexInteriorPoint interior_point_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<std::size_t> G_begin_;
  std::vector<double> G_, gamma_, v_c_, start_c_, dv_c_, gradient_, dv_;
  std::vector<double> guess_v_, guess_gamma_, inside_v_, inside_gamma_, R_, target_;
};

}  // namespace rigor
