#include "lcp/standard_form.h"

#include <algorithm>

#include "lcp/operators.h"

namespace rigor {

StandardForm::StandardForm(const LcpProblem& problem) : problem_(problem), n_(problem.size()) {
  split_rows();
  eliminate_equations();
  substitute();
}

void StandardForm::split_rows() {
  const LcpLimits& limits = problem_.limits;
  std::vector<int> position(n_, -1);
  for (int i = 0; i < n_; ++i) {
    if (limits.is_equation(i)) {
      equations_.push_back(i);
      continue;
    }
    position[i] = static_cast<int>(limited_.size());
    limited_.push_back(i);
  }
  int unknowns = static_cast<int>(limited_.size());
  for (const int i : limited_) {
    const bool dependent = limits.depends(i);
    const bool upper_only = !dependent && limits.lo[i] == -kUnbounded;
    const bool both = dependent || (!upper_only && limits.hi[i] != kUnbounded);
    master_.push_back(dependent ? position[limits.dependency[i]] : -1);
    sign_.push_back(upper_only ? -1 : 1);
    shift_.push_back(dependent ? 0 : upper_only ? limits.hi[i] : limits.lo[i]);
    slack_of_.push_back(both ? unknowns++ : -1);
  }
  for (std::size_t p = 0; p < limited_.size(); ++p)
    if (master_[p] >= 0) shift_[p] = -limits.factor[limited_[p]] * shift_[master_[p]];
  M.assign(static_cast<std::size_t>(unknowns) * unknowns, 0.0);
  q.assign(unknowns, 0.0);
}

/// A_ll - A_le A_ee⁻¹ A_el and b_l - A_le A_ee⁻¹ b_e.
void StandardForm::eliminate_equations() {
  const int e = static_cast<int>(equations_.size()), l = static_cast<int>(limited_.size());
  const auto A = [&](int i, int j) { return problem_.A[static_cast<std::size_t>(i) * n_ + j]; };
  std::vector<double> block(static_cast<std::size_t>(e) * e), y(e), row(e);
  for (int p = 0; p < e; ++p)
    for (int r = 0; r < e; ++r) block[static_cast<std::size_t>(p) * e + r] = A(equations_[p], equations_[r]);
  factors_.factorise(e, block, 1e-12);
  reduced_A_.resize(static_cast<std::size_t>(l) * l);
  reduced_b_.resize(l);
  for (int c = 0; c <= l; ++c) {  // column l is b
    for (int p = 0; p < e; ++p) y[p] = c < l ? A(equations_[p], limited_[c]) : problem_.b[equations_[p]];
    factors_.solve(y);
    for (int r = 0; r < l; ++r) {
      double value = c < l ? A(limited_[r], limited_[c]) : problem_.b[limited_[r]];
      for (int p = 0; p < e; ++p) value -= A(limited_[r], equations_[p]) * y[p];
      (c < l ? reduced_A_[static_cast<std::size_t>(r) * l + c] : reduced_b_[r]) = value;
    }
  }
}

void StandardForm::substitute() {
  const int l = static_cast<int>(limited_.size()), m = size();
  for (int r = 0; r < l; ++r) {
    const double* a = reduced_A_.data() + static_cast<std::size_t>(r) * l;
    double* M_r = M.data() + static_cast<std::size_t>(r) * m;
    q[r] = sign_[r] * (reduced_b_[r] + dot_product(a, shift_.data(), l));
    for (int c = 0; c < l; ++c) {
      M_r[c] += sign_[r] * a[c] * sign_[c];
      if (master_[c] >= 0) M_r[master_[c]] -= sign_[r] * a[c] * problem_.limits.factor[limited_[c]];
    }
    if (slack_of_[r] >= 0) add_slack(r, slack_of_[r]);
  }
}

void StandardForm::add_slack(int row, int slack) {
  const int m = size(), i = limited_[row];
  const auto entry = [&](int r, int c) -> double& { return M[static_cast<std::size_t>(r) * m + c]; };
  entry(row, slack) = 1;
  entry(slack, row) = -1;
  if (master_[row] >= 0) {
    const double mu = problem_.limits.factor[i];
    entry(slack, master_[row]) = 2 * mu;
    q[slack] = 2 * mu * shift_[master_[row]];
  } else {
    q[slack] = problem_.limits.hi[i] - problem_.limits.lo[i];
  }
}

void StandardForm::recover(std::span<const double> z, std::span<double> x) const {
  const int l = static_cast<int>(limited_.size()), e = static_cast<int>(equations_.size());
  for (int r = 0; r < l; ++r) x[limited_[r]] = sign_[r] * z[r] + (master_[r] < 0 ? shift_[r] : 0);
  for (int r = 0; r < l; ++r)
    if (master_[r] >= 0) x[limited_[r]] -= problem_.limits.factor[limited_[r]] * x[limited_[master_[r]]];
  std::vector<double> y(e);
  for (int p = 0; p < e; ++p) {
    y[p] = problem_.b[equations_[p]];
    for (const int i : limited_) y[p] += problem_.A[static_cast<std::size_t>(equations_[p]) * n_ + i] * x[i];
  }
  factors_.solve(y);
  for (int p = 0; p < e; ++p) x[equations_[p]] = -y[p];
}

}  // namespace rigor
