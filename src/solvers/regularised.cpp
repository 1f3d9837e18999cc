#include "solvers/regularised.h"

#include <algorithm>

#include "registry/entry.h"
#include "solvers/row_islands.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

/// Million multiplications, tenths of a second, as in with_polygon() of presets.cpp.
constexpr double kLemkeWork = 200;

/// Rows that want a velocity and know no position.
bool wants_velocity(RowKind kind) {
  return kind == RowKind::friction || kind == RowKind::rolling || kind == RowKind::spinning || kind == RowKind::motor;
}

}  // namespace

void Regularised::fields(FieldVisitor& v) {
  v.number("joint_compliance", joint_.compliance, {"m/N", 0, 1, "of joints that have no stiffness; also in rad/(N m)"});
  v.number("joint_relaxation", joint_.relaxation, {"s", 0, 1e6, "time in which their errors decay to 1/e"});
  v.number("contact_compliance", contact_.compliance, {"m/N", 0, 1, "of each contact point"});
  v.number("contact_relaxation", contact_.relaxation, {"s", 0, 1e6, "time in which overlap decays to 1/e"});
  v.number("creep", creep_, {"m/(N s)", 0, 1, "slip speed of friction that holds, and lag of motors, per force"});
  v.number("max_speed", max_speed_, {"m/s", kPositive, 1e6, "largest speed at which overlap is pushed apart"});
  v.integer("passes", settings_.passes, {"1", 1, 1e4, "most solutions of the linear system per step"});
  v.integer("iterations", settings_.sweeps, {"1", 0, 1e6, "most sweeps where the passes do not settle"});
  v.integer("exact_rows", exact_rows_,
            {"1", 0, 10000, "most rows that Lemke's algorithm solves where the passes do not settle"});
  v.number("tolerance", settings_.tolerance, {"1", 0, 1, "relative residual that counts as solved"});
}

SolverReport Regularised::solve(SolverContext& c) {
  if (c.blocks.empty()) return {};
  stiffness_.collect(c.list, c.state, c.h());
  if (stiffness_.is_needed()) {
    stiffness_.add_to(c.bodies);
    prepare_rows(c.bodies, c.rows);
  }
  SolverReport report;
  const std::vector<std::vector<int>> islands = split_islands(c);
  if (systems_.size() < islands.size()) systems_.resize(islands.size());
  for (std::size_t k = 0; k < islands.size(); ++k) {
    assemble(c, islands[k]);
    const LcpRows problem{
        J_, JW_, first_, second_, gamma_, b_, {lo_, hi_, dependency_, factor_}, static_cast<int>(place_.size())};
    const GuardedResult guarded = solve_rows(problem, systems_[k]);
    apply(c, islands[k]);
    add(guarded, report);
  }
  if (stiffness_.is_needed()) {
    stiffness_.put_back(c.bodies);
    prepare_rows(c.bodies, c.rows);
  }
  report.changes_inertia = stiffness_.is_needed();
  return report;
}

/// The report of a step is that of its worst island.
void Regularised::add(const GuardedResult& guarded, SolverReport& report) const {
  report.iterations = std::max(report.iterations, guarded.solver.iterations);
  report.residual = std::max(report.residual, guarded.residual);
  report.fell_back = report.fell_back || guarded.fell_back;
  if (guarded.solver.converged) return;
  const bool is_worst = guarded.worst_error >= report.worst_error;
  if (report.converged || is_worst)
    report.trouble = guarded.is_near ? NearSolution::kAccepted : to_string(guarded.solver.status).data();
  report.converged = false;
  if (!is_worst) return;
  report.worst_error = guarded.worst_error;
  if (guarded.worst_row >= 0) report.worst_row = row_[static_cast<std::size_t>(guarded.worst_row)];
}

GuardedResult Regularised::solve_rows(const LcpRows& problem, BlockPivoting& system) {
  LcpResult result = system.solve(problem, x_, settings_);
  if (result.converged) return guard_.examine(result, true, problem, x_);
  std::vector<double> near = x_;
  LcpResult second = near_.solve_rows(problem, near, exact_rows_);
  second.iterations += result.iterations;
  if (second.residual < result.residual) {
    result = second;
    x_ = near;
  }
  if (result.converged) return guard_.examine(result, true, problem, x_);
  if (result.residual <= NearSolution::kClose && static_cast<int>(x_.size()) > NearSolution::kMany) {
    GuardedResult close = guard_.examine(result, false, problem, x_);
    close.is_near = !close.fell_back;
    close.fell_back = true;  // reported if the error is noticeable
    return close;
  }
  if (static_cast<int>(x_.size()) > exact_rows_) return guard_.examine(result, true, problem, x_);
  if (!lemke_) lemke_ = create<LcpSolver>(Kind::lcp, {"lemke", {{"work", kLemkeWork}}}, "lcp");
  std::vector<double> exact = x_;
  LcpResult third = lemke_->solve_rows(problem, exact);
  third.iterations += result.iterations;
  if (!third.converged) return guard_.examine(result, true, problem, x_);
  x_ = exact;
  return guard_.examine(third, true, problem, x_);
}

VelocityRow Regularised::target(const Rows& rows, const RowBlock& block, int row, double h) const {
  const auto i = static_cast<std::size_t>(row);
  const bool is_contact = block.source == RowBlock::Source::contact;
  const Softness& s = is_contact ? contact_ : joint_;
  const double part = h / (h + s.relaxation);
  VelocityRow t = velocity_row(rows, row, h, {part, 0, is_contact ? max_speed_ : kUnbounded, s.compliance * part});
  if (std::isfinite(rows.stiffness[i])) return t;
  if (wants_velocity(rows.kind[i])) t.gamma = creep_ / h;
  if (block.colliding && rows.kind[i] == RowKind::normal) t.gamma = 0;
  return t;
}

void Regularised::assemble(const SolverContext& c, const std::vector<int>& blocks) {
  row_.clear(), J_.clear(), JW_.clear(), first_.clear(), second_.clear(), dependency_.clear();
  for (auto* v : {&gamma_, &b_, &lo_, &hi_, &factor_, &x_}) v->clear();
  local_.resize(static_cast<std::size_t>(c.bodies.awake), -1);
  place_.clear();
  for (const int b : blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    for (int row = block.begin; row < block.end; ++row) append(c, block, row);
  }
  for (const int place : place_) local_[static_cast<std::size_t>(place)] = -1;
}

/// The number of a body within its island, or -1 for what cannot move.
int Regularised::local_body(const SolverContext& c, int place) {
  if (place >= c.bodies.awake) return -1;
  int& local = local_[static_cast<std::size_t>(place)];
  if (local < 0) {
    local = static_cast<int>(place_.size());
    place_.push_back(place);
  }
  return local;
}

void Regularised::append(const SolverContext& c, const RowBlock& block, int row) {
  const auto i = static_cast<std::size_t>(row);
  const Rows& rows = c.rows;
  const int begin = static_cast<int>(row_.size()) - (row - block.begin);  // of the block, here
  const VelocityRow t = target(rows, block, row, c.h());
  row_.push_back(row);
  J_.push_back(rows.J[i]), JW_.push_back(rows.JW[i]);
  first_.push_back(local_body(c, block.a)), second_.push_back(local_body(c, block.b));
  gamma_.push_back(t.gamma);
  b_.push_back(row_velocity(rows, row, block, c.bodies.u) - t.wanted);
  x_.push_back(rows.lambda[i]);
  const bool depends = rows.friction_of[i] >= 0;
  lo_.push_back(depends ? 0 : c.h() * rows.lo[i]), hi_.push_back(depends ? 0 : c.h() * rows.hi[i]);
  dependency_.push_back(depends ? begin + rows.friction_of[i] - block.begin : -1);
  factor_.push_back(depends ? rows.mu[i] : 0);
}

void Regularised::apply(SolverContext& c, const std::vector<int>& blocks) const {
  std::size_t k = 0;
  for (const int b : blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    for (int row = block.begin; row < block.end; ++row, ++k) {
      c.rows.lambda[static_cast<std::size_t>(row)] = x_[k];
      if (x_[k] != 0) apply_row(c.rows, row, block, x_[k], c.bodies.u);
    }
  }
}

Entry register_regularised() {
  return {Kind::solver,
          "regularised",
          "constraints with compliance and relaxation time, by a sparse direct solver with block pivoting",
          "Servin 2011; Lacoursière 2007",
          {"level:velocity", "collision", "contact", "joint", "soft", "corrects-errors", "lacks:extreme-bodies",
           "lacks:error-reduction"},
          make_default<Regularised>,
          {},
          {kMeetsFirst}};
}

}  // namespace rigor
