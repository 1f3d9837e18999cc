// Preconditioned conjugate gradients for A x = -b (Hestenes, Stiefel 1952), preconditioner D = diag(A).
//
//   r = -(A x + b),  z = D⁻¹ r,  α = rᵀz / pᵀA p,  x ← x + α p,  r ← r - α A p,  β = (rᵀz)_new / (rᵀz)_old,  p ← z + β p
//
// Equations only. For symmetric positive semi-definite A with a solution; at most as many iterations as D⁻¹A has different
// eigenvalues in exact arithmetic, about √condition for a digit in practice. Cost per iteration: one product with A, that is
// n² or 24 n for rows in factors. A direction without curvature ends the iteration (A is indefinite, or rows contradict each
// other). The recurrence of r drifts, so it is replaced by the true one whenever it claims success.
#include "lcp/gauss_seidel.h"
#include "registry/entry.h"

namespace rigor {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return dot_product(a.data(), b.data(), static_cast<int>(a.size()));
}

class ConjugateGradient final : public LcpSolver {
 public:
  ConjugateGradient() { settings_ = {1000, 1e-9}; }
  void fields(FieldVisitor& v) override { settings_.fields(v); }

  LcpResult solve(const LcpProblem& problem, std::span<double> x) override {
    check_problem(problem, x);
    check_equations_only(problem.limits, "cg");
    DenseOperator op(problem, x);
    return iterate(op, problem.limits, x);
  }
  LcpResult solve_rows(const LcpRows& rows, std::span<double> x) override {
    check_problem(rows, x);
    check_equations_only(rows.limits, "cg");
    RowsOperator op(rows, x, v_);
    return iterate(op, rows.limits, x);
  }

 private:
  template <LcpProduct Op> LcpResult iterate(Op& op, const LcpLimits& limits, std::span<double> x) {
    LcpResult result;
    row_scales(op, d_);
    double rz = begin(op, x);
    const double fixed_scale = residual_scale(op, limits, d_);
    LcpStatus otherwise = LcpStatus::iteration_limit;
    while (result.iterations < settings_.iterations && rz > 0) {
      throw_if_interrupted();
      op.multiply(p_, Ap_);
      const double curvature = dot(p_, Ap_);
      if (!(curvature > 0)) {
        otherwise = curvature < 0 ? LcpStatus::not_positive_definite : LcpStatus::inconsistent;
        break;
      }
      ++result.iterations;
      const double alpha = rz / curvature;
      double largest = 0, scale = fixed_scale;
      for (int i = 0; i < op.size(); ++i) {
        x[i] += alpha * p_[i];
        r_[i] -= alpha * Ap_[i];
        largest = worse(largest, std::abs(r_[i]));
        scale = std::max(scale, kRounding * d_[i] * std::abs(x[i]));
      }
      if (largest > settings_.tolerance * scale) {
        rz = next_direction(rz);
        continue;
      }
      op.restart();
      judge_iterate(op, limits, d_, x, settings_.tolerance, result);
      if (result.converged || result.status == LcpStatus::diverged) return result;
      rz = begin(op, x);
    }
    op.restart();
    judge_iterate(op, limits, d_, x, settings_.tolerance, result);
    if (result.status == LcpStatus::iteration_limit) result.status = otherwise;
    return result;
  }

  /// r, z, p from x; returns rᵀz.
  template <LcpProduct Op> double begin(Op& op, std::span<const double> x) {
    op.restart();
    r_.resize(x.size()), p_.resize(x.size()), Ap_.resize(x.size());
    double rz = 0;
    for (int i = 0; i < op.size(); ++i) {
      r_[i] = -op.row(i);
      p_[i] = r_[i] / d_[i];
      rz += r_[i] * p_[i];
    }
    return rz;
  }

  double next_direction(double rz) {
    double next = 0;
    for (std::size_t i = 0; i < r_.size(); ++i) next += r_[i] * r_[i] / d_[i];
    for (std::size_t i = 0; i < r_.size(); ++i) p_[i] = r_[i] / d_[i] + next / rz * p_[i];
    return next;
  }

  IterationSettings settings_;
  std::vector<double> d_, v_, r_, p_, Ap_;
};

}  // namespace

Entry register_lcp_cg() {
  return {Kind::lcp,
          "cg",
          "conjugate gradients with diagonal preconditioning; equations only",
          "Hestenes, Stiefel 1952; Saad 2003, 9.2",
          {"singular", "warm-start", "matrix-free"},
          make_default<ConjugateGradient>,
          {}};
}

}  // namespace rigor
