#include "solvers/convex_rows.h"

#include <algorithm>

#include "constraints/row_math.h"

namespace rigor {

namespace {

using Index = std::size_t;

bool is_slip_or_normal(RowKind kind) { return kind == RowKind::normal || kind == RowKind::friction; }

}  // namespace

double inverse_mass_of(const Rows& rows, const RowBlock& block, int row) {
  if (block.source != RowBlock::Source::contact) return rows.diagonal[Index(row)];
  const bool linear = is_slip_or_normal(rows.kind[Index(row)]);
  double sum = 0;
  int count = 0;
  for (int i = block.begin; i < block.end; ++i) {
    const RowKind kind = rows.kind[Index(i)];
    if (linear ? !is_slip_or_normal(kind) : kind != rows.kind[Index(row)]) continue;
    sum += rows.diagonal[Index(i)];
    ++count;
  }
  return sum / count;
}

SolverReport ConvexRows::solve(SolverContext& c, const Law& law, const ConvexSettings& settings) {
  SolverReport report;
  if (c.blocks.empty()) return report;
  stiffness_.collect(c.list, c.state, c.h());
  if (stiffness_.is_needed()) {
    stiffness_.add_to(c.bodies);
    prepare_rows(c.bodies, c.rows);
  }
  for (const std::vector<int>& island : split_islands(c)) {
    assemble(c, island, law);
    guess(c);
    gamma_.assign(Index(problem_.rows()), 0);
    const ConvexResult result = newton_.solve(problem_, v_, gamma_, settings);
    if (!result.converged) {
      const double part = harmless_part();
      for (double& x : gamma_) x *= part;
    }
    store_multipliers(c, island, factor_, gamma_);
    add(result, c, island, report);
  }
  if (stiffness_.is_needed()) {
    stiffness_.put_back(c.bodies);
    prepare_rows(c.bodies, c.rows);
  }
  report.changes_inertia = stiffness_.is_needed();
  return report;
}

int ConvexRows::local_body(const SolverContext& c, int place) {
  if (place >= c.bodies.awake) return -1;
  int& local = local_[Index(place)];
  if (local >= 0) return local;
  local = problem_.bodies();
  place_.push_back(place);
  const BodyInverseMass& inverse_mass = c.bodies.mass[Index(place)];
  problem_.mass.push_back({1 / inverse_mass.linear, inverse(inverse_mass.angular)});
  const BodyVelocity& u = c.bodies.u[Index(place)];
  for (int k = 0; k < 3; ++k) problem_.v_free.push_back(u.v[k]);
  for (int k = 0; k < 3; ++k) problem_.v_free.push_back(u.w[k]);
  return local;
}

void ConvexRows::assemble(const SolverContext& c, std::span<const int> blocks, const Law& law) {
  problem_.clear();
  place_.clear(), factor_.clear();
  local_.resize(c.bodies.u.size(), -1);
  for (const int b : blocks) append(c, c.rows.blocks[Index(b)], law);
  for (const int place : place_) local_[Index(place)] = -1;
}

void ConvexRows::append(const SolverContext& c, const RowBlock& block, const Law& law) {
  ConvexBlock convex;
  convex.a = local_body(c, block.a), convex.b = local_body(c, block.b);
  convex.begin = problem_.rows(), convex.size = block.size();
  convex.contact = block.source == RowBlock::Source::contact;
  for (int row = block.begin; row < block.end; ++row) {
    const ConvexTarget t = law(block, row);
    const ImpulseBounds bounds = impulse_bounds(c.rows, row, c.h());
    const Jacobian& J = c.rows.J[Index(row)];
    double moved = 0;  // by bodies of infinite mass
    if (convex.a < 0)
      moved += dot(part(J, 0), c.bodies.u[Index(block.a)].v) + dot(part(J, 3), c.bodies.u[Index(block.a)].w);
    if (convex.b < 0)
      moved += dot(part(J, 6), c.bodies.u[Index(block.b)].v) + dot(part(J, 9), c.bodies.u[Index(block.b)].w);
    problem_.J.push_back(J);
    problem_.target.push_back(t.velocity - moved), problem_.R.push_back(t.R);
    problem_.inverse_mass.push_back(inverse_mass_of(c.rows, block, row));
    problem_.lo.push_back(bounds.lo), problem_.hi.push_back(std::max(bounds.hi, bounds.lo));
    factor_.push_back(1);
  }
  if (convex.contact) {
    const Index first = Index(convex.begin + 1);
    const FrictionGroups groups = friction_groups(c.rows, block, std::span(factor_).subspan(first));
    convex.groups = groups.count, convex.group = groups.group;
    for (Index k = first; k < factor_.size(); ++k) {
      for (double& x : problem_.J[k]) x *= factor_[k];
      problem_.target[k] *= factor_[k];
    }
  }
  problem_.blocks.push_back(convex);
}

void ConvexRows::guess(const SolverContext& c) {
  v_.clear();
  for (const int place : place_) {
    const Index i = Index(place);
    for (int k = 0; k < 3; ++k) v_.push_back(c.state.velocity[i][k]);
    for (int k = 0; k < 3; ++k) v_.push_back(c.state.angular_velocity[i][k]);
  }
  if (!(newton_.evaluate(problem_, v_, {}) < newton_.evaluate(problem_, problem_.v_free, {}))) v_ = problem_.v_free;
}

/// Impulses γ add the energy ½ γᵀ J M⁻¹ Jᵀ γ + γᵀ(J v* − v̂), apart from what targets ask for. This is the largest part of γ that adds none, for impulses that
/// did not converge. It leaves them in their cones.
double ConvexRows::harmless_part() const {
  std::vector<double> p(problem_.v_free.size(), 0), v_c(gamma_.size());
  if (!std::all_of(gamma_.begin(), gamma_.end(), [](double x) { return std::isfinite(x); })) return 0;
  add_impulses(problem_, gamma_, p);
  row_velocities(problem_, problem_.v_free, v_c);
  double linear = 0, quadratic = 0;
  for (Index i = 0; i < gamma_.size(); ++i) linear += gamma_[i] * (v_c[i] - problem_.target[i]);
  for (int i = 0; i < problem_.bodies(); ++i) {
    const double* q = p.data() + 6 * i;
    const Vec3 P{q[0], q[1], q[2]}, L{q[3], q[4], q[5]};
    const ConvexMass& mass = problem_.mass[Index(i)];
    quadratic += dot(P, P) / mass.linear + dot(L, inverse(mass.angular) * L);
  }
  if (!(quadratic > 0)) return linear <= 0 ? 1 : 0;
  return std::clamp(-2 * linear / quadratic, 0.0, 1.0);
}

void ConvexRows::add(const ConvexResult& result, const SolverContext& c, std::span<const int> blocks,
                     SolverReport& report) const {
  report.iterations = std::max(report.iterations, result.iterations);
  report.residual = std::max(report.residual, result.residual);
  if (result.converged) return;
  report.converged = false, report.cut_short = true;
  report.trouble =
      "Newton's method on the convex problem did not converge; impulses were shortened to what adds no energy";
  if (!(result.worst_error > report.worst_error)) return;
  report.worst_error = result.worst_error;
  for (const int b : blocks) {
    const RowBlock& block = c.rows.blocks[Index(b)];
    if (result.worst_body < 0) break;
    const int place = place_[Index(result.worst_body)];
    if (block.a == place || block.b == place) report.worst_row = block.begin;
  }
}

}  // namespace rigor
