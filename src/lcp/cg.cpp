// Preconditioned conjugate gradients for A x = -b (Hestenes, Stiefel 1952), preconditioner D = diag(A).
//
//   r = -(A x + b),  z = D⁻¹ r,  α = rᵀz / pᵀA p,  x ← x + α p,  r ← r - α A p,  β = (rᵀz)_new / (rᵀz)_old,  p ← z + β p
//
// Equations only. For symmetric positive semi-definite A with a solution; at most as many iterations as D⁻¹A has different
// eigenvalues in exact arithmetic, about √condition for a digit in practice. Cost per iteration: one product with A, that is
// n² or 24 n for rows in factors. A direction without curvature ends the iteration (A is indefinite, or rows contradict each
// other). The recurrence of r drifts, so it is replaced by the true one whenever it claims success.
//
// Rows that contradict each other leave an r that A cannot reach: once the rest is solved, p turns into that part, its curvature
// is rounding, and x leaps to any size. So a curvature that is rounding counts as none, and without convergence the result is
// the x that had the smallest r.
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
    least_.assign(x.begin(), x.end());
    double least = largest_of(r_);
    while (result.iterations < settings_.iterations && rz > 0) {
      throw_if_interrupted();
      op.multiply(p_, Ap_);
      const double curvature = dot(p_, Ap_);
      const double rounding = kNoCurvature * weighed_square(p_);
      if (!(curvature > rounding)) {
        otherwise = curvature < -rounding ? LcpStatus::not_positive_definite : LcpStatus::inconsistent;
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
      if (largest < least) least = largest, least_.assign(x.begin(), x.end());
      if (largest > settings_.tolerance * scale) {
        rz = next_direction(rz);
        continue;
      }
      op.restart();
      judge_iterate(op, limits, d_, x, settings_.tolerance, result);
      if (result.converged || result.status == LcpStatus::diverged) return result;
      rz = begin(op, x);
    }
    std::copy(least_.begin(), least_.end(), x.begin());
    op.restart();
    judge_iterate(op, limits, d_, x, settings_.tolerance, result);
    if (result.status == LcpStatus::iteration_limit) result.status = otherwise;
    return result;
  }

  static double largest_of(std::span<const double> v) {
    double largest = 0;
    for (const double v_i : v) largest = worse(largest, std::abs(v_i));
    return largest;
  }
  /// vᵀ D v, of which vᵀ A v is a part between nothing and the number of rows.
  double weighed_square(std::span<const double> v) const {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += d_[i] * v[i] * v[i];
    return sum;
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

  /// Relative; chosen a hundred times above the rounding of a product.
  static constexpr double kNoCurvature = 2e-14;

  IterationSettings settings_;
  std::vector<double> d_, v_, r_, p_, Ap_, least_;
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
