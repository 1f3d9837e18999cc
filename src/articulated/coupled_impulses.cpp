#include "articulated/coupled_impulses.h"

#include <algorithm>

#include "constraints/write_rows.h"
#include "lcp/newton_polish.h"
#include "registry/entry.h"

namespace rigor::articulated {

namespace {

/// γ of taut loops, relative to J M⁻¹ Jᵀ of the bodies by themselves. Chosen: just soft enough for the step to resolve. A chain of
/// n links under its weight sags until (ω h)² is about a half, for which its ends move apart by less than a thousandth of its length.
constexpr double kTautSoftness = 1e-2;
/// Newton's method on taut loops. m or rad: loops are closed. Chosen: a hundredth of a millimetre, and more than kOpen of smooth_motion.cpp,
/// so that a step can detect whether the last one was taut.
constexpr double kTautClosed = 1e-5;
constexpr int kTautRounds = 12;
/// Million multiplications, tenths of a second, as in with_polygon() of presets.cpp.
constexpr double kLemkeWork = 200;
/// Newton steps from the multipliers of the last step, and the relative residual that they must reach. Chosen: contacts that stay need one, a few
/// that begin to slide or open need two or three; more are worth less than the pivoting that they would save.
constexpr int kFirstSteps = 4;
constexpr double kFirstResidual = 1e-9;
/// An inequality is clearly violated at the end of a step if more of the change of velocity than this would have to be taken back. Chosen: the first stage
/// of a resting contact foresees all of it, and a motion that leaves a contact none.
constexpr double kClear = 0.5;
/// Levenberg's damping for rows that depend on each other, relative to J M⁻¹ Jᵀ. Chosen.
constexpr double kDamping = 1e-6;
/// Fraction of an island's moment of inertia that Newton's method adds to its links, and its change with success and failure. Chosen.
constexpr double kFirstStiffness = 1e-3, kLessStiffness = 0.1, kMoreStiffness = 10;

}  // namespace

void CoupledImpulses::fields(FieldVisitor& v) {
  v.number("erp", erp_, {"1", 0, 1, "fraction of an overlap or of an exceeded limit that one step removes"});
  v.number("slop", slop_, {"m", 0, 1, "tolerated overlap, or rad beyond a limit"});
  v.number("max_push", max_push_, {"m/s", kPositive, 1e6, "speed at which overlapping bodies are moved apart"});
  v.integer("dense_rows", dense_rows_,
            {"1", 0, 20000, "islands with more rows are solved by projected Gauss–Seidel without a matrix"});
  v.integer("iterations", iterations_, {"1", 1, 100000, "Gauss–Seidel sweeps on those"});
  lcp_.fields(v, LcpNeeds::inequalities);
}

VelocityRow CoupledImpulses::target(const Rows& rows, const RowRef& ref, const Island& island, double h) const {
  const auto i = static_cast<std::size_t>(ref.row);
  // Implicit Euler of a spring k = 1 / (h² γ).
  if (ref.kind == RowClass::equation && island.taut)
    return {rows.bias[i] - rows.C[i] / h, kTautSoftness * rows.diagonal[i]};
  // Loops are closed after the step, not by velocities, except in large islands.
  if (ref.kind == RowClass::equation && !island.large) return {rows.bias[i] + loop_drift_[i], 0};
  return velocity_row(rows, ref.row, h, {erp_, slop_, max_push_, 0});
}

bool CoupledImpulses::will_forbid(System& s, const Island& island, const ArticulatedBodies& at_start,
                                  const std::vector<LinkCoordinates>& start,
                                  const std::vector<LinkCoordinates>& derivative) {
  if (!island.has(RowClass::inequality)) return false;
  const Rows& rows = s.rows();
  const std::vector<BodyVelocity>& outside = s.c.constraints.bodies().u;
  foreseen_.resize(start.size()), u_.resize(start.size()), a_.resize(start.size());
  for (const int t : island.trees) {
    for (int link = s.forest.begin(t); link < s.forest.begin(t + 1); ++link) {
      const auto i = static_cast<std::size_t>(link);
      for (std::size_t k = 0; k < 6; ++k) foreseen_[i].rate[k] = start[i].rate[k] + s.h * derivative[i].rate[k];
    }
    at_start.velocities(t, start, s.state(), a_);
    at_start.velocities(t, foreseen_, s.state(), u_);
  }
  return std::any_of(island.rows.begin(), island.rows.end(), [&](const RowRef& ref) {
    if (ref.kind != RowClass::inequality) return false;
    const double end = along_row(rows, ref, s.forest, u_, outside),
                 change = end - along_row(rows, ref, s.forest, a_, outside);
    return target(rows, ref, island, s.h).wanted - end > kClear * std::abs(change);
  });
}

bool CoupledImpulses::allows(System& s, const Island& island, const ArticulatedBodies& at_start,
                             const SmoothMotion& motion) {
  const Rows& rows = s.rows();
  u_.resize(s.forest.links.size());
  for (const int t : island.trees) at_start.velocities(t, motion.end, s.state(), u_);
  return std::all_of(island.rows.begin(), island.rows.end(), [&](const RowRef& ref) {
    if (ref.kind != RowClass::inequality) return true;
    return along_row(rows, ref, s.forest, u_, s.c.constraints.bodies().u) >= target(rows, ref, island, s.h).wanted;
  });
}

void CoupledImpulses::choose_rows(System& s, const Island& island, const std::vector<double>& A) {
  const Rows& rows = s.rows();
  const std::size_t n = island.rows.size();
  solved_.clear(), kept_.clear();
  place_.assign(static_cast<std::size_t>(rows.size()), -1);
  for (std::size_t k = 0; k < n; ++k) {
    const RowRef& ref = island.rows[k];
    const int scaled_by = rows.friction_of[static_cast<std::size_t>(ref.row)];
    const bool is_zero = !A.empty() && !(A[k * n + k] > 0);
    if (is_zero || (scaled_by >= 0 && place_[static_cast<std::size_t>(scaled_by)] < 0)) continue;
    place_[static_cast<std::size_t>(ref.row)] = static_cast<int>(solved_.size());
    solved_.push_back(ref), kept_.push_back(k);
  }
}

void CoupledImpulses::find_loop_drift(System& s, const Island& island, const ArticulatedBodies& at_start) {
  if (!island.has_loops()) return;
  std::vector<BodyVelocity>& u = s.c.constraints.bodies().u;
  const std::vector<BodyVelocity> at_end = u;
  s.c.constraints.bodies().capture(s.state());
  find_row_drift(s, island, true, loop_drift_);
  u = at_end;
  a_.resize(s.forest.links.size());
  for (const int tree : island.trees) at_start.velocity_accelerations(tree, a_);
  for (const RowRef& ref : island.rows) {
    if (ref.kind != RowClass::equation) continue;
    double& drift = loop_drift_[static_cast<std::size_t>(ref.row)];
    drift = -s.h * (along_row(s.rows(), ref, s.forest, a_) + drift);
  }
}

void CoupledImpulses::set_targets(System& s, const Island& island) {
  const Rows& rows = s.rows();
  const std::size_t n = solved_.size();
  for (std::vector<double>* v : {&targets_.wanted, &targets_.gamma, &targets_.lo, &targets_.hi, &targets_.factor, &x_})
    v->assign(n, 0.0);
  targets_.dependency.assign(n, -1);
  for (std::size_t k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(solved_[k].row);
    const VelocityRow row = target(rows, solved_[k], island, s.h);
    targets_.wanted[k] = row.wanted, targets_.gamma[k] = row.gamma;
    x_[k] = rows.lambda[i];
    if (rows.friction_of[i] >= 0) {
      targets_.dependency[k] = place_[static_cast<std::size_t>(rows.friction_of[i])];
      targets_.factor[k] = rows.mu[i];
    } else {
      const ImpulseBounds bounds = impulse_bounds(rows, solved_[k].row, s.h);
      targets_.lo[k] = bounds.lo, targets_.hi[k] = bounds.hi;
    }
  }
}

SolverReport CoupledImpulses::solve_dense(System& s, const Island& island, ArticulatedBodies& bodies, bool newton,
                                          double damping) {
  const Rows& rows = s.rows();
  const std::vector<double>& A = coupling_.matrix(bodies, rows, island.rows);
  choose_rows(s, island, A);
  set_targets(s, island);
  const std::size_t n = solved_.size(), all = island.rows.size();
  A_.resize(n * n), b_.resize(n);
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) sum += A_[k * n + j] = A[kept_[k] * all + kept_[j]];
    b_[k] = along_row(rows, solved_[k], s.forest, u_, s.c.constraints.bodies().u) - targets_.wanted[k];
    if (newton) {
      const auto i = static_cast<std::size_t>(solved_[k].row);
      if (solved_[k].kind == RowClass::equation) {
        targets_.gamma[k] = damping * rows.diagonal[i];
        b_[k] = rows.C[i] / s.h - targets_.gamma[k] * x_[k];
      }
      for (std::size_t j = 0; j < n; ++j) b_[k] -= A_[k * n + j] * x_[j];
    }
    A_[k * n + k] += targets_.gamma[k];
    sum += b_[k];
  }
  // Bodies that are not finite exert no impulses; the validator removes them after the step.
  if (!std::isfinite(sum)) {
    if (!newton) std::fill(x_.begin(), x_.end(), 0.0);
    return {};
  }
  return solve_lcp({A_, b_, {targets_.lo, targets_.hi, targets_.dependency, targets_.factor}});
}

GuardedResult CoupledImpulses::solve_otherwise(const LcpProblem& problem) {
  const LcpResult result = near_.solve(problem, x_);
  if (result.converged) return {result, false, result.residual, -1, 0};
  if (result.residual <= NearSolution::kClose && problem.size() > NearSolution::kMany) {
    GuardedResult close = guard_.examine(result, false, problem, x_);
    close.is_near = !close.fell_back;
    close.fell_back = true;  // reported if the error is noticeable
    return close;
  }
  if (!lemke_) lemke_ = create<LcpSolver>(Kind::lcp, {"lemke", {{"work", kLemkeWork}}}, "lcp");
  std::vector<double> exact = x_;
  LcpResult second = lemke_->solve(problem, exact);
  second.iterations += result.iterations;
  if (!second.converged) return guard_.examine(result, true, problem, x_);
  x_ = exact;
  return {second, false, second.residual, -1, 0};
}

/// Most steps have the sets of rows at their limits of the step before, or nearly. Newton steps then end at a solution, which the solver of `lcp` only
/// confirms; elsewhere they are in vain. The equations of loops may depend on each other or contradict each other: Newton steps then meet the tolerance by
/// impulses that are as large as their regularisation allows.
void CoupledImpulses::improve_guess(const LcpProblem& problem) {
  const auto is_equation = [](const RowRef& ref) { return ref.kind == RowClass::equation; };
  if (std::any_of(solved_.begin(), solved_.end(), is_equation)) return;
  WorkLeft work(WorkSettings{kLemkeWork});
  polished_ = x_;
  if (newton_polish(problem, kFirstSteps, kFirstResidual, polished_, work) <= kFirstResidual) x_.swap(polished_);
}

SolverReport CoupledImpulses::solve_lcp(const LcpProblem& problem) {
  const std::vector<double> guess = x_;
  if (lcp_.is_exact()) improve_guess(problem);
  GuardedResult guarded;
  if (!lcp_.is_exact()) guarded = lcp_.solve(problem, x_);  // its number of sweeps is part of the method
  const LcpResult result = lcp_.is_exact() ? lcp_.solver().solve(problem, x_) : guarded.solver;
  if (lcp_.is_exact()) guarded = {result, false, result.residual, -1, 0};
  if (lcp_.is_exact() && !result.converged) {
    x_ = guess;
    guarded = solve_otherwise(problem);
    guarded.solver.iterations += result.iterations;
  }
  SolverReport report{guarded.solver.iterations, guarded.residual, guarded.solver.converged,
                      guarded.solver.converged ? "" : to_string(guarded.solver.status).data()};
  if (guarded.is_near) report.trouble = NearSolution::kAccepted;
  report.fell_back = guarded.fell_back, report.worst_error = guarded.worst_error;
  if (guarded.worst_row >= 0) report.worst_row = solved_[static_cast<std::size_t>(guarded.worst_row)].row;
  return report;
}

double CoupledImpulses::rewrite_loops(System& s, const Island& island, const SmoothMotion& motion) {
  s.place(motion.end, s.h);
  double worst = 0;
  int last = -1;
  for (const RowRef& ref : island.rows) {
    if (ref.kind != RowClass::equation) continue;
    if (ref.block != last)
      rewrite_block(s.c.constraints.list(), s.state(), s.c.constraints.row_settings(), ref.block, s.rows());
    last = ref.block;
    worst = std::max(worst, std::abs(s.rows().C[static_cast<std::size_t>(ref.row)]));
  }
  return worst;
}

void CoupledImpulses::close_taut_loops(System& s, const Island& island, const std::vector<LinkCoordinates>& start,
                                       SmoothMotion& motion, SolverReport& report) {
  double stiffness = kFirstStiffness, error = rewrite_loops(s, island, motion);
  for (int round = 0; round < kTautRounds && error > kTautClosed; ++round) {
    const std::vector<LinkCoordinates> end = motion.end;
    const std::vector<TreeMomentum> balance = motion.balance;
    const std::vector<double> lambda = s.rows().lambda;
    added_ = s.tension;
    added_.resize(s.state().awake());
    stiffen(s, island, stiffness, added_);
    at_end_.factorise(s.forest, s.poses(), s.state(), added_);
    for (const int t : island.trees) at_end_.velocities(t, motion.end, s.state(), u_);
    const SolverReport newton = solve_dense(s, island, at_end_, true, kDamping);
    apply(s, island, at_end_, start, motion);
    const double left = rewrite_loops(s, island, motion);
    if (left < error && !newton.fell_back) {
      stiffness *= left < 0.5 * error ? kLessStiffness : kMoreStiffness;
      error = left;
      report.iterations += newton.iterations;
      continue;
    }
    stiffness *= kMoreStiffness;
    motion.end = end, motion.balance = balance, s.rows().lambda = lambda;
    rewrite_loops(s, island, motion);
  }
  s.place(start, 0);
}

SolverReport CoupledImpulses::solve(System& s, const Island& island, ArticulatedBodies& at_start,
                                    const std::vector<LinkCoordinates>& start, SmoothMotion& motion) {
  const bool is_taut = island.taut && !island.large;
  if (is_taut) at_end_.factorise(s.forest, s.poses(), s.state(), s.tension);
  ArticulatedBodies& bodies = is_taut ? at_end_ : at_start;
  u_.resize(s.forest.links.size());
  for (const int t : island.trees) bodies.velocities(t, motion.end, s.state(), u_);
  find_loop_drift(s, island, at_start);
  SolverReport report;
  if (island.large) {
    choose_rows(s, island, {});
    set_targets(s, island);
    sweeps_.solve(bodies, s.rows(), solved_, targets_, s.c.constraints.bodies().u, iterations_, x_, u_);
    report.iterations = iterations_;
  } else {
    report = solve_dense(s, island, bodies, false, 0);
  }
  for (const RowRef& ref : island.rows) s.rows().lambda[static_cast<std::size_t>(ref.row)] = 0;
  apply(s, island, bodies, start, motion);
  if (is_taut) close_taut_loops(s, island, start, motion, report);
  return report;
}

void CoupledImpulses::apply(System& s, const Island& island, ArticulatedBodies& at_start,
                            const std::vector<LinkCoordinates>& start, SmoothMotion& motion) {
  Rows& rows = s.rows();
  p_.assign(s.forest.links.size(), {});
  for (std::size_t k = 0; k < solved_.size(); ++k) {
    double& lambda = rows.lambda[static_cast<std::size_t>(solved_[k].row)];
    subtract_row(rows, solved_[k], x_[k] - lambda, s.forest, p_);
    lambda = x_[k];
  }
  const std::vector<Wrench> impulses = p_;
  for (const int tree : island.trees) {
    const auto t = static_cast<std::size_t>(tree);
    at_start.propagate(tree, false, p_, u_);
    for (int link = s.forest.begin(tree); link < s.forest.begin(tree + 1); ++link) {
      const auto i = static_cast<std::size_t>(link);
      const std::array<double, 6> jump = at_start.rates(link);
      const std::array<double, 6> free = motion.end[i].rate;
      motion.end[i] = start[i];
      for (std::size_t k = 0; k < 6; ++k) motion.end[i].rate[k] = free[k] + jump[k];
      advance(s.forest.links[i].motion, motion.end[i].rate, s.h, motion.end[i]);
    }
    TreeMomentum& m = motion.balance[t];
    if (!(m.mass > 0)) continue;
    const Vec3 X = motion.balance_begin[t].X;
    const Wrench total = total_about(s.forest, tree, impulses, X, s.state());
    m.P += -1.0 * total.f, m.L += -1.0 * total.t;
    m.X = X + (s.h / m.mass) * m.P;
  }
}

}  // namespace rigor::articulated
