// What the non-smooth Newton methods on cone problems share. A solution is a zero of a function F(x, u) that is made of blocks, one per contact, with
// u = W x + q. With the generalised derivatives A = ∂F/∂x and B = ∂F/∂u, both block diagonal, a step solves
//
//   (A + B (W + ε I)) Δx = −F
//
// in the scaled problem of cone_problem.h. ε is proximal: it keeps the system regular where contacts are redundant and vanishes from the solution, since
// F is evaluated with W alone. The step is shortened until ‖F‖ falls below the largest of the last five; if no length achieves that, ε is
// raised as in Levenberg's and Marquardt's method, and where that does not help either, sweeps of Gauss–Seidel take over for a while
// and Newton's method begins anew from there: far from a solution, the derivative of which contact sticks, slips or opens says little. Heaps at rest have many contacts at the edge of sticking and of
// opening, and sweeps approach them slowly: if two rounds of sweeps have not helped, the interior-point method of cone_interior_point.cpp finds the cases from inside of the cones, and Newton's steps begin
// from its result.
#pragma once

#include "lcp/cone_problem.h"

namespace rigor {

struct NewtonSettings : ConeSettings {
  int sweeps = 20;         // of Gauss–Seidel before the first step, and whenever no step makes progress
  double proximal = 1e-9;  // ε, relative to the diagonal of the scaled W, which is 1
  bool interior = true;    // begins anew from the result of the interior-point method where sweeps do not help

  NewtonSettings() { iterations = 500, tolerance = 1e-11; }
  void fields(FieldVisitor& v);
};

/// F, A and B of one block; A and B are size × size, row by row.
class NewtonFunction {
 public:
  virtual ~NewtonFunction() = default;
  virtual void evaluate(const ConeProblem& problem, const ConeBlock& block, const double* x, const double* u, double* F,
                        double* A, double* B) const = 0;
};

/// F = x − clamp(x − u) of rows with limits.
void limits_function(const ConeProblem& problem, const ConeBlock& block, const double* x, const double* u, double* F,
                     double* A, double* B);
/// F = x_g − P(x_g − u_g) of one friction group, P on the disk of radius μ max(y_n, 0); `normal_by_u` whether y_n = x_n − u_n (Alart, Curnier) or x_n.
void disk_function(const ConeBlock& block, const FrictionGroup& group, const double* x, const double* u,
                   bool normal_by_u, double* F, double* A, double* B);

ConeResult newton(const NewtonFunction& function, const NewtonSettings& settings, const ConeProblem& problem,
                  std::span<double> r, ConeTrace* trace);

/// The cone solver that takes these steps on one function.
template <class Function> class NewtonSolver final : public ConeSolver {
 public:
  void fields(FieldVisitor& v) override { settings_.fields(v); }

  ConeResult solve(const ConeProblem& problem, std::span<double> r, ConeTrace* trace) override {
    return newton(function_, settings_, problem, r, trace);
  }

 private:
  Function function_;
  NewtonSettings settings_;
};

}  // namespace rigor
