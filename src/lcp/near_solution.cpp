#include "lcp/near_solution.h"

#include "lcp/newton_polish.h"
#include "lcp/work.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr int kSweeps = 300, kNewtonSteps = 5;  // chosen: heaps of some forty bodies need half of them
constexpr double kTolerance = 1e-8;             // relative residual, that of the exact solvers
constexpr double kSolved = 1e-6;                // as in force_lcp.cpp: far below anything visible

}  // namespace

NearSolution::NearSolution() = default;
NearSolution::~NearSolution() = default;

LcpSolver& NearSolution::sweeps() {
  if (!sweeps_)
    sweeps_ = create<LcpSolver>(Kind::lcp, {"nncg", {{"iterations", std::int64_t{kSweeps}}, {"tolerance", kTolerance}}},
                                "lcp");
  return *sweeps_;
}

void NearSolution::judge(LcpResult& result) {
  result.converged = result.residual <= kSolved;
  result.status = result.converged ? LcpStatus::solved : LcpStatus::iteration_limit;
}

void NearSolution::polish(const LcpProblem& problem, std::span<double> x, LcpResult& result) {
  if (result.residual > kTolerance) {
    WorkLeft work(WorkSettings{});
    result.residual = newton_polish(problem, kNewtonSteps, kTolerance, x, work);
  }
  judge(result);
}

LcpResult NearSolution::solve(const LcpProblem& problem, std::span<double> x) {
  LcpResult result = sweeps().solve(problem, x);
  if (result.status != LcpStatus::diverged) polish(problem, x, result);
  return result;
}

LcpResult NearSolution::solve_rows(const LcpRows& rows, std::span<double> x, int dense_rows) {
  LcpResult result = sweeps().solve_rows(rows, x);
  if (result.status == LcpStatus::diverged) return result;
  if (rows.size() > dense_rows) {
    judge(result);
    return result;
  }
  A_ = assemble(rows);
  polish({A_, rows.b, rows.limits}, x, result);
  return result;
}

}  // namespace rigor
