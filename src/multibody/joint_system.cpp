#include "multibody/joint_system.h"

#include "constraints/row_math.h"

namespace rigor {

namespace {

/// M⁻¹ f of one body.
BodyVelocity accelerate(const BodyMass& m, const BodyVelocity& f) { return {f.v / m.linear, inverse(m.angular) * f.w}; }

}  // namespace

void JointSystem::factorise(int bodies, std::span<const TreeEdge> edges, std::span<const BodyMass> masses,
                            std::span<const Jacobian> J, std::span<const double> gamma, LoopMethod loops,
                            double dependent) {
  tree_.set_graph(bodies, edges);
  tree_.factorise(masses, J, gamma);
  method_ = loops;
  masses_.assign(masses.begin(), masses.end());
  collect_loops();
  if (loop_rows_.empty()) return;
  J_.assign(J.begin(), J.end());
  gamma_.assign(gamma.begin(), gamma.end());
  factorise_loops(dependent);
}

void JointSystem::collect_loops() {
  loop_rows_.clear();
  for (const int e : tree_.loops()) {
    const TreeEdge& edge = tree_.edges()[static_cast<std::size_t>(e)];
    for (int i = edge.begin; i < edge.end; ++i) loop_rows_.push_back({i, edge.a, edge.b});
  }
}

double JointSystem::velocity(const LoopRow& row, std::span<const BodyVelocity> x) const {
  const Jacobian& J = J_[static_cast<std::size_t>(row.row)];
  double sum = 0;
  if (row.a >= 0) {
    const BodyVelocity& u = x[static_cast<std::size_t>(row.a)];
    sum += dot(part(J, 0), u.v) + dot(part(J, 3), u.w);
  }
  if (row.b >= 0) {
    const BodyVelocity& u = x[static_cast<std::size_t>(row.b)];
    sum += dot(part(J, 6), u.v) + dot(part(J, 9), u.w);
  }
  return sum;
}

void JointSystem::push(const LoopRow& row, double lambda, std::span<BodyVelocity> f) const {
  const Jacobian& J = J_[static_cast<std::size_t>(row.row)];
  if (row.a >= 0) {
    BodyVelocity& a = f[static_cast<std::size_t>(row.a)];
    a.v += lambda * part(J, 0);
    a.w += lambda * part(J, 3);
  }
  if (row.b >= 0) {
    BodyVelocity& b = f[static_cast<std::size_t>(row.b)];
    b.v += lambda * part(J, 6);
    b.w += lambda * part(J, 9);
  }
}

/// J M⁻¹ Jᵀ + γ of the row alone, as a scale: the Schur complement of a row that depends on the forest is only rounding.
double JointSystem::own_diagonal(const LoopRow& row) const {
  const Jacobian& J = J_[static_cast<std::size_t>(row.row)];
  double sum = gamma_[static_cast<std::size_t>(row.row)];
  const auto add = [&](int body, int at) {
    if (body < 0) return;
    const BodyVelocity g{part(J, at), part(J, at + 3)};
    const BodyVelocity x = accelerate(masses_[static_cast<std::size_t>(body)], g);
    sum += dot(g.v, x.v) + dot(g.w, x.w);
  };
  add(row.a, 0);
  add(row.b, 6);
  return sum > 0 ? sum : 1;
}

/// One column of the loops' matrix: the velocities of all loop rows after a unit impulse of this row.
void JointSystem::fill_column(std::size_t column) {
  const LoopRow& own = loop_rows_[column];
  push(own, 1, f_);
  if (method_ == LoopMethod::together) {
    tree_.solve(no_r_, f_, lambda_, x_);
  } else {
    for (const int body : {own.a, own.b})
      if (const auto i = static_cast<std::size_t>(body); body >= 0) x_[i] = accelerate(masses_[i], f_[i]);
  }
  const std::size_t n = loop_rows_.size();
  for (std::size_t i = column; i < n; ++i) S_[i * n + column] = velocity(loop_rows_[i], x_);
  S_[column * n + column] += gamma_[static_cast<std::size_t>(own.row)];
  for (const int body : {own.a, own.b})
    if (body >= 0) f_[static_cast<std::size_t>(body)] = x_[static_cast<std::size_t>(body)] = {};
}

void JointSystem::factorise_loops(double dependent) {
  const std::size_t n = loop_rows_.size();
  no_r_.assign(J_.size(), 0);
  lambda_.assign(J_.size(), 0);  // the forest does not write those of loops
  f_.assign(masses_.size(), {});
  x_.assign(masses_.size(), {});
  S_.assign(n * n, 0);
  for (std::size_t k = 0; k < n; ++k) fill_column(k);
  scale_.resize(n);
  for (std::size_t i = 0; i < n; ++i) scale_[i] = 1 / std::sqrt(own_diagonal(loop_rows_[i]));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) S_[i * n + j] *= scale_[i] * scale_[j];
  ldlt_.factorise(static_cast<int>(n), S_, dependent);
}

void JointSystem::solve(std::span<const double> r, std::span<const BodyVelocity> f, std::span<double> lambda,
                        std::span<BodyVelocity> x) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = f.empty() ? BodyVelocity{} : accelerate(masses_[i], f[i]);
  tree_.solve(r, f, lambda, x);
  const std::size_t n = loop_rows_.size();
  if (n == 0) return;
  loop_lambda_.resize(n);
  for (std::size_t k = 0; k < n; ++k)
    loop_lambda_[k] = scale_[k] * (r[static_cast<std::size_t>(loop_rows_[k].row)] - velocity(loop_rows_[k], x));
  ldlt_.solve(loop_lambda_);
  for (std::size_t k = 0; k < n; ++k) {
    const double impulse = scale_[k] * loop_lambda_[k];
    lambda[static_cast<std::size_t>(loop_rows_[k].row)] = impulse;
    push(loop_rows_[k], impulse, f_);
  }
  if (method_ == LoopMethod::together) {
    tree_.solve(no_r_, f_, lambda_, x_);
    for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] += lambda_[i];
  } else {
    for (std::size_t i = 0; i < x.size(); ++i) x_[i] = accelerate(masses_[i], f_[i]);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i].v += x_[i].v;
    x[i].w += x_[i].w;
    x_[i] = f_[i] = {};
  }
}

}  // namespace rigor
