// The problem that every solver of this folder solves, and the interface they share. Nothing here knows a world.
//
// The mathematics and the types of the problem stand in rigor/extend/lcp.h.
//
// An instance keeps scratch memory and factorisations between calls: use one per thread.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "rigor/extend/lcp.h"
#include "rigor/fields.h"

namespace rigor {

/// One block of W: a mass and the tensor of inertia, inverted.
struct InverseMass {
  double linear = 0;
  std::array<double, 6> angular{};  // xx, yy, zz, xy, xz, yz
};

/// A = J W Jᵀ + diag(γ) in factors: row i touches the two blocks (bodies) first[i] and second[i] of six components each.
struct LcpRows {
  std::span<const std::array<double, 12>> J;   // components 0…5 act on `first`, 6…11 on `second`
  std::span<const std::array<double, 12>> JW;  // the same rows times the block-diagonal W = M⁻¹
  std::span<const int> first, second;          // 0…bodies - 1, or -1 for what cannot move: its half of JW is zero
  std::span<const double> regularisation;      // γ >= 0; empty for none
  std::span<const double> b;
  LcpLimits limits;
  int bodies = 0;
  std::span<const InverseMass> masses = {};  // W by body, the one in JW; empty if it is not available in this form

  int size() const { return static_cast<int>(b.size()); }
};

enum class LcpStatus {
  solved,
  iteration_limit,        // stopped above the tolerance
  work_limit,             // the same, because it would have taken too long
  inconsistent,           // contradicting rows, or a multiplier that would have to be infinite
  not_positive_definite,  // A is not what the method needs
  not_symmetric,
  no_path,   // pivoting ended on a ray: there is no solution, or this method cannot find it
  diverged,  // numbers overflowed; x was set to the admissible point nearest to zero
};
/// A sentence.
std::string_view to_string(LcpStatus status);

struct LcpResult {
  int iterations = 0;     // sweeps, pivots, or factorisations and refinements
  double residual = 0;    // the shared definition, at the x returned
  bool converged = true;  // residual <= the solver's tolerance; otherwise `status` says why not
  LcpStatus status = LcpStatus::solved;
};

class LcpSolver : public Configurable {
 public:
  /// `x` holds a first guess (read by solvers with the capability "warm-start") and receives the solution, which lies within
  /// its limits whether the solver converged or not. Error for input that is not finite or not of matching sizes.
  virtual LcpResult solve(const LcpProblem& problem, std::span<double> x) = 0;
  /// The same problem in factors. Solvers with the capability "matrix-free" or "sparse" never form the dense A.
  virtual LcpResult solve_rows(const LcpRows& rows, std::span<double> x);
};

/// Error when sizes differ, a number is not finite, limits are crossed or a dependency names no independent row.
void check_problem(const LcpProblem& problem, std::span<const double> x);
void check_problem(const LcpRows& rows, std::span<const double> x);
/// The same in two parts: all but J and JW, and those of row i.
void check_but_factors(const LcpRows& rows, std::span<const double> x);
void check_factors(const LcpRows& rows, int i);
/// Error, naming `method`, unless every row is an equation.
void check_equations_only(const LcpLimits& limits, std::string_view method);

/// The dense A of `rows`.
std::vector<double> assemble(const LcpRows& rows);
bool is_symmetric(const LcpProblem& problem);
/// The shared residual.
double residual_of(const LcpProblem& problem, std::span<const double> x);
/// Moves x to the nearest point within the limits; independent rows first.
void project(const LcpLimits& limits, std::span<double> x);
/// Fills in residual, converged and status; `otherwise` is the status above the tolerance.
void judge(const LcpProblem& problem, std::span<const double> x, double tolerance, LcpStatus otherwise,
           LcpResult& result);

}  // namespace rigor
