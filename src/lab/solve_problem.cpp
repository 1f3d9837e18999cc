#include "lab/solve_problem.h"

#include <algorithm>

#include "lab/cpu_clock.h"
#include "registry/entry.h"
#include "rigor/error.h"

namespace rigor {

namespace {

using Index = std::size_t;

/// ms: solves that take longer are not repeated, since noise hardly matters then.
constexpr double kLong = 200;

/// Friction as two pairs of opposite directions.
struct PyramidProblem {
  std::vector<double> A, lo, hi, factor;
  std::vector<int> dependency;

  explicit PyramidProblem(const ConeProblem& p)
      : A(Index(p.size()) * Index(p.size()), 0), lo(p.lo), hi(p.hi), factor(p.q.size(), 0), dependency(p.q.size(), -1) {
    const Index n = p.q.size();
    for (int i = 0; i < p.W.blocks(); ++i)
      for (int k = p.W.row_begin[Index(i)]; k < p.W.row_begin[Index(i) + 1]; ++k) {
        const int j = p.W.column[Index(k)], m = p.W.size_of(j);
        for (int a = 0; a < p.W.size_of(i); ++a)
          for (int b = 0; b < m; ++b)
            A[Index(p.W.start[Index(i)] + a) * n + Index(p.W.start[Index(j)] + b)] =
                p.W.data[Index(p.W.data_begin[Index(k)] + a * m + b)];
      }
    for (const ConeBlock& block : p.blocks) {
      if (!block.contact) continue;
      lo[Index(block.begin)] = 0, hi[Index(block.begin)] = kUnbounded;
      for (int g = 0; g < block.groups; ++g)
        for (int i = 0; i < block.group[Index(g)].size; ++i) {
          const Index row = Index(block.begin + block.group[Index(g)].offset + i);
          dependency[row] = block.begin, factor[row] = block.group[Index(g)].mu;
        }
    }
  }
};

bool takes_contacts(const MethodInfo& info) {
  return info.kind == Kind::cone ||
         (info.kind == Kind::lcp && has_capability(info, "inequalities") && has_capability(info, "dependent-limits"));
}

template <class Solve> double milliseconds_of(int repeat, Solve solve) {
  double best = kUnbounded;
  for (int i = 0; i < repeat; ++i) {
    const double before = thread_seconds();
    solve();
    best = std::min(best, 1e3 * (thread_seconds() - before));
    if (best > kLong) break;
  }
  return best;
}

void solve_cone(const ConeProblem& problem, const Choice& choice, int repeat, ProblemSolution& s) {
  const auto solver = create<ConeSolver>(Kind::cone, choice, "solver");
  ConeResult result;
  s.milliseconds = milliseconds_of(repeat, [&] {
    s.r.assign(problem.q.size(), 0);
    result = solver->solve(problem, s.r, nullptr);
  });
  std::vector<double> again(problem.q.size(), 0);
  solver->solve(problem, again, &s.history);
  s.iterations = result.iterations, s.converged = result.converged, s.reported = result.residual;
  if (!result.converged) s.status = to_string(result.status);
}

void solve_lcp(const ConeProblem& problem, const Choice& choice, int repeat, ProblemSolution& s) {
  const auto solver = create<LcpSolver>(Kind::lcp, choice, "solver");
  const PyramidProblem pyramid(problem);
  const LcpProblem lcp{pyramid.A, problem.q, {pyramid.lo, pyramid.hi, pyramid.dependency, pyramid.factor}};
  LcpResult result;
  s.milliseconds = milliseconds_of(repeat, [&] {
    s.r.assign(problem.q.size(), 0);
    result = solver->solve(lcp, s.r);
  });
  s.iterations = result.iterations, s.converged = result.converged, s.reported = result.residual;
  if (!result.converged) s.status = to_string(result.status);
}

}  // namespace

std::vector<std::string> contact_solvers() {
  std::vector<std::string> names;
  for (const Kind kind : {Kind::cone, Kind::lcp})
    for (const MethodInfo& info : methods())
      if (info.kind == kind && takes_contacts(info)) names.push_back(info.name);
  return names;
}

ProblemSolution solve_problem(const ConeProblem& problem, const std::string& solver, const Settings& settings,
                              int repeat) {
  const MethodInfo* info = find_method(Kind::cone, solver);
  if (!info) info = find_method(Kind::lcp, solver);
  if (!info) throw Error(unknown_name("solver", solver, contact_solvers()));
  if (!takes_contacts(*info)) throw Error("'" + solver + "' solves equations only, and contacts have bounds");
  ProblemSolution s;
  s.solver = solver, s.kind = to_string(info->kind);
  const Choice choice{solver, settings};
  info->kind == Kind::cone ? solve_cone(problem, choice, repeat, s) : solve_lcp(problem, choice, repeat, s);
  s.figures = cone_figures(problem, s.r);
  return s;
}

}  // namespace rigor
